// DiskRecord: the SMART state of one disk, as sent to fmd. If a query fails or is skipped, the last
// values stay: a sleeping disk is not observed, which does not mean healthy.
#pragma once
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "plugins/smart/report.h"

namespace fmd::smart {

class DiskRecord {
 public:
  enum class State { unknown, observed, standby, hung, refused };

  void observed(const Report& report);
  void standby(int64_t skips);  // consecutive skipped queries
  void hung();
  void refused(const std::string& reason);

  State state() const { return state_; }
  bool ever_observed() const { return ever_observed_; }
  const Report& last() const { return last_; }
  bool test_running() const;
  const std::string& reason() const { return reason_; }

  // As in the protocol. own: no other plugin reports this disk, so this one also reports its
  // presence and identity.
  nlohmann::json resource(const std::string& fmri, bool own) const;
  // Hash of that resource without the readings' values: while it is the same, readings suffice.
  static size_t beside_readings(nlohmann::json resource, const Report& report);
  nlohmann::json readings(const std::string& fmri, int64_t now_ns) const;  // array

 private:
  State state_ = State::unknown;
  bool ever_observed_ = false;
  std::string reason_;
  int64_t skips_ = 0;
  Report last_;
};

}  // namespace fmd::smart
