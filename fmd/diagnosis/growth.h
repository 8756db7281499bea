// Growth: whether a counter has grown over a baseline. The value at the first look is not growth;
// only later increases are.
//
// The baseline is the lowest value since the first look or the last pin, or, with a `within`, the
// lowest value that was current in that time. It falls with the value (a counter that was reset). A
// growth lasts until the value is back below the limit at which it fired, or until it is pinned,
// which makes the current value the baseline. An acknowledgement also pins it, but keeps that
// limit: only below it has the counter recovered. Counters are polled, so a value from before an
// acquittal may be read after it; therefore rebase() also makes the next minute's values part of the
// baseline. Pure; time (ns since the epoch) is passed in.
#pragma once
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <vector>

namespace fmd {

struct GrowthPolicy {
  double by = 1;                      // grown at baseline + by; above 0
  int64_t within_ns = 0;              // 0: since the first look or the last pin
  std::optional<double> first_above;  // the very first value is growth already above this
};

class Growth {
 public:
  enum class Change { none, first, risen, fallen };
  // The current value. The same value again changes nothing, at any time.
  Change look(const GrowthPolicy& policy, double value, int64_t now_ns);
  static constexpr int64_t kSettleNs = int64_t{60} * 1000000000;  // two polls of the zfs plugin
  void pin();                   // the current value is the new baseline
  void rebase(int64_t now_ns);  // as pin(), including the values of the next kSettleNs
  void acknowledge();           // people know of it: as pin(), but it is not over

  bool grown() const { return limit_.has_value(); }
  double value() const { return value_; }
  // Acknowledged, and since then neither grown further nor recovered.
  bool known() const { return known_.has_value(); }
  std::optional<double> limit() const { return limit_; }  // while grown: the limit that it reached
  double lowest() const;  // the lowest value within the policy's time
  // While grown: the value before the growth; empty if the first value was enough.
  std::optional<double> baseline() const;

  nlohmann::json to_json() const;
  static Growth from_json(const nlohmann::json& doc);  // what cannot be read is left out

 private:
  struct Past {
    double value;
    int64_t until_ns;  // when another value took its place
  };
  struct Limit {
    double value;
    bool exceed;  // it must be exceeded, not only reached: that of a first value
    bool is_met_by(double v) const { return exceed ? v > value : v >= value; }
  };
  bool is_settling(int64_t now_ns) const;
  void take(double value, int64_t now_ns, int64_t within_ns);

  bool started_ = false;
  double value_ = 0;
  std::vector<Past> past_;  // values and times both ascending: the front is the lowest
  std::optional<double> limit_;
  double from_ = 0;     // the baseline when it fired
  bool first_ = false;  // fired by its first value: limit_ must be exceeded, and from_ is none
  std::optional<Limit> known_;         // at which it fired before it was acknowledged
  std::optional<int64_t> rebased_ns_;  // start of that minute
};

}  // namespace fmd
