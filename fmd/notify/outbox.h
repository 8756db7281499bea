// Outbox: the messages that must be neither lost nor sent twice. A change of a case makes one entry
// per notifier that wants it. The entry is a row of the same transaction. It is delivered by the
// command `deliver` to the plugin that handles "outbox:NAME", retried with back-off until the
// notifier answers done, and marked as delivered in the next transaction. Its key stays the same
// across retries and restarts; the notifier remembers it and so sends once. Messages are in order
// per notifier and case. An entry that could not be delivered for too long is given up, which is
// reported.
//
// Rows "outbox", those of lanes and of channels. Pure: no clock, no sockets. Single thread. Waits
// use steady time; rows and lists show wall times.
#pragma once
#include <cstdint>
#include <functional>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "fmd/base/duration.h"
#include "fmd/base/moment.h"
#include "fmd/notify/channels.h"
#include "fmd/notify/delivery_order.h"
#include "fmd/notify/digest.h"
#include "fmd/notify/lanes.h"
#include "fmd/notify/packed_text.h"
#include "fmd/notify/telling.h"

namespace fmd {

struct OutboxMessage {  // what the notifiers are given, composed when the news came
  std::string subject, body, host;
  std::string case_json;       // the case as `fmadm faulty --json` prints it
  std::string sections = {};   // body.h, as JSON
  std::string happening = {};  // happening.h, as JSON, when it is about one
};

// News as messages. Each is composed when somebody is to have it: in a storm nearly all go into a digest.
struct Composer {
  std::function<OutboxMessage()> message;
  std::function<DigestItem()> item = {};  // what stands for it among many; nothing: it goes alone
};

struct Delivery {
  std::string entry;             // the entry's row key, "<uuid>:<event>:<n>@mail"
  std::string notifier;          // "mail"
  std::string uuid, event;       // of the case or happening
  std::string key;               // idempotency key, "<uuid>:<event>:<n>"
  std::string args;              // JSON object, the arguments of `deliver`
  int64_t deadline_ms = 300000;  // a mail server may take minutes to answer (RFC 5321 § 4.5.3.2)
  std::vector<DigestItem> members = {};  // of a digest: the messages in it
};

// A message that is tried no more.
struct GivenUp {
  Delivery delivery;  // without arguments
  std::string why;    // a sentence's end: "2 tries in 7d: connection refused"
};

class Outbox {
 public:
  static constexpr size_t kKeptDelivered = 1000;  // and those given up

  void set_digest(DigestLimits limits) { limits_ = std::move(limits); }
  // expire: how long a message is tried. in_use: the channels that preferences name.
  void set_expiry(int64_t expire_ns, std::set<std::string, std::less<>> in_use);

  // New entries for the news, one a target, or a place in a digest; each is composed once at most.
  // Returns the key of each target's entry.
  std::vector<std::string> add(const Tidings& tidings, const std::vector<Target>& targets,
                               const Composer& compose, Moment now);
  // Closes the digests whose time has come: from here on they are messages like others.
  void close_digests(Moment now, const DigestNow& as_now = {});
  std::optional<int64_t> next_digest_ns() const;  // steady: when close_digests has something to do
  // What to send now. ready(notifier): a plugin that takes "outbox:NAME" is connected.
  std::vector<Delivery> due(Moment now, const std::function<bool(std::string_view)>& ready);
  // The notifier's answer (status as of a command). True when delivered: the caller may note it on
  // the case.
  bool answered(const Delivery& delivery, std::string_view status, std::string_view reason,
                Moment now);
  // The notifier will never take it: it is given up at once, and the channel is none the worse for it.
  GivenUp refused_for_good(const Delivery& delivery, std::string_view reason, Moment now);
  std::optional<int64_t> next_deadline_ns() const;  // steady: the next try that waits for its time
  // Gives up what has waited too long.
  std::vector<GivenUp> expire(Moment now);
  std::optional<int64_t> next_expiry_ns() const;  // steady
  // What came through beside the outbox, such as a test.
  void proved(std::string_view channel, Moment now);
  Channels& channels() { return channels_; }
  // The case leaves the memory: what was not delivered about it is dropped. Returns the entries
  // dropped.
  std::vector<std::string> forget_case(std::string_view uuid);

  size_t waiting() const;
  // Identifies an entry, since an event makes at most one message per channel. The indexes hold it instead of the longer
  // row key.
  using Place = DeliveryOrder::Place;
  // For ListOutbox: the entry after that one, oldest first, and an entry as it is shown.
  std::optional<Place> next_after(const Place& place) const;
  nlohmann::json document(const Place& place) const;
  nlohmann::json list() const;  // all of these
  // {"state","attempts","reason"} of one, and "digest_by" while it gathers.
  nlohmann::json standing(std::string_view key, std::string_view notifier) const;
  std::vector<StateRow> take_changes();
  std::vector<StateRow> all_rows() const;
  Result<void> restore(const std::vector<StateRow>& rows);  // rows of other kinds are passed over

 private:
  struct Entry {
    std::string key, notifier, uuid, event;
    int64_t created_ns = 0;
    uint64_t order = 0;  // of creation
    PackedText args;     // JSON object; dropped once delivered
    Recipients to;
    std::vector<DigestItem> items;  // of a digest
    int64_t gathers_until_ns = 0;   // steady; of a digest that is not closed yet
    int64_t gathers_most_ns = 0;    // however much comes
    int64_t digest_by_ns = 0;       // the same as wall time, for showing
    bool gathers() const { return gathers_until_ns != 0; }
    bool delivered = false;
    int64_t delivered_ns = 0;
    int64_t queued_ns = 0;   // steady
    int64_t expired_ns = 0;  // wall; 0: it was not given up
    bool over() const { return delivered || expired_ns != 0; }
    bool refused() const { return !over() && attempts > 0 && !last_reason.empty(); }
    // Not stored: after a restart each is tried at once.
    bool in_flight = false;
    int attempts = 0;
    int64_t not_before_ns = 0;  // steady
    int64_t next_try_ns = 0;    // the same as wall time, for showing
    std::string last_reason;    // stored once it is given up
  };

  using Item = std::pair<const std::string, Entry>;  // by row key

  static Place place_of(const Entry& entry) { return {entry.order, entry.notifier}; }
  const Item* find(const Place& place) const;
  static std::string_view state_of(const Entry& entry);
  static StateRow row_of(const std::string& id, const Entry& entry);
  static Delivery delivery_of(const std::string& id, const Entry& entry);
  Item* open_digest(const Lane& lane);
  static bool holds(const Entry& digest, std::string_view uuid);
  void join(Item& digest, const DigestItem& item, Moment now);
  static void hasten(Entry& digest, Moment now);
  void begin_digest(Entry& entry, const Lane& lane, const DigestItem& item, Moment now);
  bool refused_waits(std::string_view channel) const;
  bool anything_waits(std::string_view channel) const;
  void finish(const std::string& id, Entry& entry);
  static void close(Entry& entry, const DigestNow& as_now);
  void no_longer_waits(const Entry& entry);
  GivenUp give_up(const std::string& id, Entry& entry, std::string why, Moment now);
  void insert(std::string id, Entry entry);
  void erase(const std::string& id);

  std::map<std::string, Entry, std::less<>> entries_;  // by row key
  std::map<Place, Item*> waiting_, over_;
  // Of those that wait, so that nobody has to look at all of them:
  DeliveryOrder turns_;
  std::set<Place> gathering_;                                       // digests that are not closed
  std::set<std::pair<int64_t, Place>> by_age_;                      // by queued_ns
  std::map<std::string, std::set<uint64_t>, std::less<>> refused_;  // channel → orders
  std::set<std::string> dirty_;
  DigestLimits limits_;
  Lanes lanes_;
  Channels channels_;
  int64_t expire_ns_ = 7 * 86400 * kSecondNs;
  std::set<std::string, std::less<>> in_use_;
  uint64_t next_order_ = 1;  // one for each piece of news, so a key is never used again
};

}  // namespace fmd
