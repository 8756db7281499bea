// Soft Error Rate Discrimination: fires when at least n events lie within t of each other in event time
// (ZED's count ≥ N; illumos needs N+1). Late events are inserted in order; an event from the future
// (beyond now + 1 min) is counted as of now, so that a clock jump can neither fire it nor block it for good.
// Once fired it stays silent until reset. Memory: the newest n times only.
#pragma once
#include <cstdint>
#include <deque>
#include <nlohmann/json_fwd.hpp>

namespace fmd {

class Serd {
 public:
  Serd(uint64_t n, int64_t within_ns) : n_(n), within_ns_(within_ns) {}
  // Returns true exactly when this event makes it fire.
  bool add(int64_t event_ns, int64_t now_ns);
  void reset();
  void configure(uint64_t n, int64_t within_ns);  // keeps what was counted
  uint64_t count() const { return times_.size(); }
  bool fired() const { return fired_; }
  uint64_t n() const { return n_; }
  int64_t within_ns() const { return within_ns_; }
  int64_t oldest_ns() const { return times_.empty() ? 0 : times_.front(); }
  int64_t newest_ns() const { return times_.empty() ? 0 : times_.back(); }
  bool expired(int64_t now_ns) const;  // nothing of it can matter any more: may be forgotten

  nlohmann::json to_json() const;
  static Serd from_json(const nlohmann::json& doc);

 private:
  uint64_t n_;
  int64_t within_ns_;
  bool fired_ = false;
  std::deque<int64_t> times_;  // ascending
};

}  // namespace fmd
