// Outbox: the messages to people that must not get lost nor be sent twice. Each piece of case news
// gives one entry for each notifier that wants it; the entries are rows of the transaction that
// holds the news, are delivered by the command `deliver` to the plugin handling "outbox:NAME",
// tried again with back-off until the notifier says done, and marked delivered in the next
// transaction. The entry's key stays the same over all tries and restarts: the notifier remembers
// it and so sends once. In order per notifier and case. Pure: no clock, no sockets. Single thread.
// It waits by steady time; rows and lists show wall times.
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

#include "fmd/base/moment.h"
#include "fmd/notify/telling.h"

namespace fmd {

struct NotifierConfig {  // fmd.toml [notify.NAME]
  std::set<std::string, std::less<>> events = {"diagnosed", "updated", "repaired", "resolved"};
  std::string severity = "Minor";  // the least that is told: "Minor", "Major", "Critical"
};

struct OutboxMessage {  // what the notifiers are given, composed when the news came
  std::string subject, body, host;
  std::string case_json;  // the case as `fmadm faulty --json` prints it
};

struct Delivery {
  std::string entry;        // the entry's row key, "<uuid>:<event>:<n>@mail"
  std::string notifier;     // "mail"
  std::string uuid, event;  // of the case
  std::string key;          // idempotency key, "<uuid>:<event>:<n>"
  std::string args;         // JSON object, the arguments of `deliver`
  int64_t deadline_ms = 60000;
};

class Outbox {
 public:
  static constexpr size_t kKeptDelivered = 1000;

  void set_notifiers(std::map<std::string, NotifierConfig, std::less<>> notifiers);

  // New entries for the news; compose is called at most once.
  void add(const Tidings& tidings, const Case& c, const std::function<OutboxMessage()>& compose);
  // What to send now. ready(notifier): a plugin that takes "outbox:NAME" is connected.
  std::vector<Delivery> due(Moment now, const std::function<bool(std::string_view)>& ready);
  // The notifier's answer (status as of a command). True when delivered: the caller may note it on
  // the case.
  bool answered(const Delivery& delivery, std::string_view status, std::string_view reason,
                Moment now);
  bool wanted(const CaseNews& news, const Case& c) const;  // some notifier is to tell it
  std::optional<int64_t> next_deadline_ns() const;  // steady: the next try that waits for its time
  // The case leaves the memory: what was not delivered about it is dropped. Returns the entries
  // dropped.
  std::vector<std::string> forget_case(std::string_view uuid);

  size_t waiting() const;
  nlohmann::json list() const;  // all entries, oldest first, for ListOutbox
  std::vector<StateRow> take_changes();
  std::vector<StateRow> all_rows() const;
  Result<void> restore(const std::vector<StateRow>& rows);  // rows of other kinds are passed over

 private:
  struct Entry {
    std::string key, notifier, uuid, event;
    int64_t created_ns = 0;
    uint64_t order = 0;  // of creation
    std::string args;    // JSON object; dropped once delivered
    bool delivered = false;
    int64_t delivered_ns = 0;
    // Not stored: after a restart each is tried at once.
    bool in_flight = false;
    int attempts = 0;
    int64_t not_before_ns = 0;  // steady
    int64_t next_try_ns = 0;    // the same as wall time, for showing
    std::string last_reason;
  };

  static StateRow row_of(const std::string& id, const Entry& entry);
  void insert(std::string id, Entry entry);
  void erase(const std::string& id);

  std::map<std::string, NotifierConfig, std::less<>> notifiers_;
  std::map<std::string, Entry, std::less<>> entries_;     // by row key
  std::set<std::pair<uint64_t, std::string>> waiting_;    // (order, row key)
  std::set<std::pair<uint64_t, std::string>> delivered_;  // (order, row key)
  std::set<std::string> dirty_;
  int64_t last_due_ns_ = 0;  // steady: due() has seen all until then
  uint64_t next_order_ = 1;  // one for each piece of news, so a key is never used again
};

}  // namespace fmd
