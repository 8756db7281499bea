// Outbox: messages that must neither be lost nor sent twice. A change of a case makes one entry per
// notifier that wants it, as a row of the same transaction. The command `deliver` to the plugin
// that handles "outbox:NAME" delivers it, with retries and back-off until the notifier answers
// done; the next transaction marks it as delivered. Its key is the same across retries and
// restarts; the notifier remembers it and so sends the message once. Messages are in order per
// notifier and case. An entry that could not be delivered for too long is given up, which is
// reported.
//
// Rows "outbox", and those of lanes and channels. Pure: no clock, no sockets. Single thread. Waits
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
#include "fmd/notify/outbox_message.h"
#include "fmd/notify/packed_text.h"
#include "fmd/notify/telling.h"

namespace fmd {

// News as messages. Each is composed when somebody is to have it: in a storm nearly all go into a digest.
struct Composer {
  std::function<OutboxMessage()> message;
  std::function<DigestItem()> item = {};  // for a digest; empty: the message is sent individually
};

struct Delivery {
  std::string entry;             // the entry's row key, "<uuid>:<event>:<n>@mail"
  std::string notifier;          // "mail"
  std::string uuid, event;       // of the case or happening
  std::string key;               // idempotency key, "<uuid>:<event>:<n>"
  std::string args;              // JSON object, the arguments of `deliver`
  int64_t deadline_ms = 300000;  // a mail server may take minutes to answer (RFC 5321 § 4.5.3.2)
  std::vector<DigestItem> members = {};  // of a digest: its messages
  bool renewed = false;                  // composed again: it had waited, or is tried again
  bool nothing = false;                  // it has nothing to report any more: refused_for_good()
  std::vector<std::string> covers = {};  // keys of later messages whose news this one contains
};

// A message that is no longer tried.
struct GivenUp {
  Delivery delivery;  // without arguments
  std::string why;    // completes a sentence: "2 tries in 7d: connection refused"
};

class Outbox {
 public:
  static constexpr size_t kKeptDelivered = 1000;  // including those given up

  void set_digest(DigestLimits limits) { limits_ = std::move(limits); }
  bool is_for_people(const std::string& channel) const {
    return limits_.channels.contains(channel);
  }
  // expire: how long a message is tried. in_use: the channels in fmd.toml.
  void set_expiry(int64_t expire_ns, std::set<std::string, std::less<>> in_use);

  // Adds one entry, or a place in a digest, per target; composes each at most once. Returns the key
  // of each target's entry.
  std::vector<std::string> add(const Tidings& tidings, const std::vector<Target>& targets,
                               const Composer& compose, Moment now);
  // Closes digests that are due; they are then ordinary messages.
  void close_digests(Moment now, const DigestNow& as_now = {});
  std::optional<int64_t> next_digest_ns() const;  // steady: next time to call close_digests()
  // The messages to send now. ready(notifier): a plugin that handles "outbox:NAME" is connected.
  // as_now: composes messages for people (DigestLimits::channels) again if they are tried again or
  // have waited for some seconds. Later messages about the same case are then part of it.
  std::vector<Delivery> due(Moment now, const std::function<bool(std::string_view)>& ready,
                            const std::function<DigestNow()>& as_now = {});
  // The notifier's answer (status as for a command). True: delivered (the caller may note
  // that in the case).
  bool answered(const Delivery& delivery, std::string_view status, std::string_view reason,
                Moment now);
  // The notifier will never accept it: gives it up at once. The channel does not count as failing.
  GivenUp refused_for_good(const Delivery& delivery, std::string_view reason, Moment now);
  std::optional<int64_t> next_deadline_ns() const;  // steady: the next retry
  // Gives up messages that have waited too long.
  std::vector<GivenUp> expire(Moment now);
  std::optional<int64_t> next_expiry_ns() const;  // steady
  // A delivery outside the outbox, such as a test message, succeeded.
  void proved(std::string_view channel, Moment now);
  Channels& channels() { return channels_; }
  // The case leaves memory: drops its undelivered messages. Returns the dropped entries.
  std::vector<std::string> forget_case(std::string_view uuid);

  size_t waiting() const;
  // Identifies an entry, since an event makes at most one message per channel. Shorter than the row
  // key, for the indexes.
  using Place = DeliveryOrder::Place;
  // For ListOutbox: the entry after `place`, oldest first, and an entry as shown.
  std::optional<Place> next_after(const Place& place) const;
  nlohmann::json document(const Place& place) const;
  nlohmann::json list() const;  // all entries
  // {"state","attempts","reason"} of one entry, and "digest_by" while it gathers.
  nlohmann::json standing(std::string_view key, std::string_view notifier) const;
  std::vector<StateRow> take_changes();
  std::vector<StateRow> all_rows() const;
  Result<void> restore(const std::vector<StateRow>& rows);  // ignores rows of other kinds
  // Keys from now on differ from all keys of a database that ended before begins_ns (wall), as long
  // as it had less than one message a second. Otherwise a channel would take a salvaged case's next
  // message for one that it has delivered.
  void database_begins(int64_t begins_ns);

 private:
  struct Entry {
    std::string key, notifier, uuid, event;
    int64_t created_ns = 0;
    uint64_t order = 0;  // of creation
    PackedText args;     // JSON object; dropped once delivered
    Recipients to;
    std::vector<DigestItem> items;  // of a digest
    // Tidings::whats_new of its only or first message, if it may be composed again.
    std::vector<std::string> whats_new;
    std::string queued_as;            // the event before it was composed again; "": the same
    std::vector<std::string> covers;  // row keys of later messages; while it is in flight
    int64_t gathers_until_ns = 0;     // steady; of a digest that is not closed yet
    int64_t gathers_most_ns = 0;      // however much comes
    int64_t digest_by_ns = 0;         // the same as wall time, for showing
    bool gathers() const { return gathers_until_ns != 0; }
    bool delivered = false;
    int64_t delivered_ns = 0;
    int64_t queued_ns = 0;   // steady
    int64_t expired_ns = 0;  // wall; 0: not given up
    bool over() const { return delivered || expired_ns != 0; }
    bool refused() const { return !over() && attempts > 0 && !last_reason.empty(); }
    // Not stored: after a restart each message is tried at once.
    bool in_flight = false;
    int attempts = 0;
    int64_t not_before_ns = 0;  // steady
    int64_t next_try_ns = 0;    // the same as wall time, for display
    std::string last_reason;    // stored when it is given up
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
  enum class Renewal { none, renewed, nothing };
  Renewal close(Entry& entry, const DigestNow& as_now);
  bool is_outdated(const Entry& entry, Moment now) const;
  Renewal renew(Entry& entry, const DigestNow& as_now);
  std::vector<const Item*> later_about(const Entry& entry) const;
  void deliver_covered(const Entry& entry, Moment now);
  void no_longer_waits(const Entry& entry);
  GivenUp give_up(const std::string& id, Entry& entry, std::string why, Moment now);
  void insert(std::string id, Entry entry);
  void erase(const std::string& id);

  std::map<std::string, Entry, std::less<>> entries_;  // by row key
  std::map<Place, Item*> waiting_, over_;
  // Indexes of waiting entries:
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
  uint64_t next_order_ = 1;  // increases with each change, so that keys are never reused
};

}  // namespace fmd
