// Soft Error Rate Discrimination: fires when at least n events are within t of each other in event
// time (ZED's count ≥ N; illumos needs N+1). Late events are inserted in order. An event from the
// future (beyond now + 1 min) counts as of now, so that a clock jump can neither fire the engine
// nor block it for good. For the same reason, entries later than now + T are dropped (the clock has
// been set back). After firing, the engine is silent until it is reset. Memory: the newest n
// entries, n at most kMaxCount.
#pragma once
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <vector>

#include "fmd/rules/rules.h"

namespace fmd {

class Serd {
 public:
  static constexpr uint64_t kMaxCount = kMaxSerdCount;

  struct Entry {
    int64_t time_ns = 0;  // event time
    uint64_t seq = 0;     // journal number
    uint32_t tag = 0;     // the user's: which event class
    uint32_t hash =
        0;  // of the event's content; 0: none. An equal one at an equal time is the same event
    bool operator==(const Entry&) const = default;
  };

  Serd(uint64_t n, int64_t within_ns) { configure(n, within_ns); }
  // Returns true exactly when this event makes it fire.
  bool add(int64_t event_ns, int64_t now_ns) { return add(Entry{event_ns, 0, 0, 0}, now_ns); }
  bool add(Entry entry, int64_t now_ns);
  // This content is known to say nothing about this resource: it is not counted, or no longer.
  // Returns true if it was counted.
  bool withdraw(uint32_t hash);
  // Stops counting its events up to that time. False: a later one is counted.
  bool supersede(uint32_t hash, int64_t time_ns);
  bool knows(uint32_t hash) const;  // counted or withdrawn
  // Events at these times are not the resource's own: they no longer count, and it may fire again.
  void disown(const std::vector<int64_t>& times_ns);
  void reset();
  void configure(uint64_t n, int64_t within_ns);  // keeps its count
  // After it: true exactly if the counted events make it fire, without those that have expired.
  bool reconsider(int64_t now_ns);
  const std::vector<uint32_t>& withdrawn() const { return withdrawn_; }
  uint64_t count() const { return entries_.size(); }
  const std::vector<Entry>& entries() const { return entries_; }  // ascending by time
  bool fired() const { return fired_; }
  uint64_t n() const { return n_; }
  int64_t within_ns() const { return within_ns_; }
  int64_t oldest_ns() const { return entries_.empty() ? 0 : entries_.front().time_ns; }
  int64_t newest_ns() const { return entries_.empty() ? 0 : entries_.back().time_ns; }
  bool expired(int64_t now_ns) const;  // nothing of it matters any longer: may be forgotten

  nlohmann::json to_json() const;
  // Fields that are absent or of a wrong type are taken as empty: a damaged row must not stop the
  // start.
  static Serd from_json(const nlohmann::json& doc);

 private:
  uint64_t n_ = 1;
  int64_t within_ns_ = 0;
  bool fired_ = false;
  std::vector<Entry> entries_;       // ascending by time, those of equal time in order of arrival
  std::vector<uint32_t> withdrawn_;  // the last ones
};

}  // namespace fmd
