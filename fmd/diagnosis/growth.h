// Growth: whether a counter has grown over a baseline. The value at the first look is not growth;
// only later increases are.
//
// The baseline is the lowest value since the first look or the last pin, or, with a `within`, the
// lowest value that was current in that time. It falls with the value (a counter that was reset). A
// growth lasts until the value is back below the limit at which it fired, or until it is pinned,
// which makes the current value the baseline. An acknowledgement also pins it, but keeps that
// limit: only below it has the counter recovered. Pure; time (ns since the epoch) is passed in.
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
  void pin();          // the current value is the new baseline
  void acknowledge();  // people know of it: as pin(), but it is not over

  bool grown() const { return limit_.has_value(); }
  double value() const { return value_; }
  bool known() const {
    return known_.has_value();
  }  // acknowledged, and neither grown since nor well
  std::optional<double> limit() const { return limit_; }  // while grown: that it reached
  double lowest() const;  // that it may have grown from by now, whether that is enough or not
  std::optional<double> baseline()
      const;  // while grown: that it grew from; empty: the first value said it all

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
  void take(double value, int64_t now_ns, int64_t within_ns);

  bool started_ = false;
  double value_ = 0;
  std::vector<Past> past_;  // values and times both ascending: the front is the lowest
  std::optional<double> limit_;
  double from_ = 0;     // the baseline when it fired
  bool first_ = false;  // fired by its first value: limit_ must be exceeded, and from_ is none
  std::optional<Limit> known_;  // at which it fired before it was acknowledged
};

}  // namespace fmd
