// DiskRecord: what is known of one disk by SMART, as the core is to have it. Between two looks that
// succeed the last values stay: a sleeper is not observed, not healed.
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
  void standby(int64_t skips);  // left out so often in a row
  void hung();
  void refused(const std::string& reason);

  State state() const { return state_; }
  bool ever_observed() const { return ever_observed_; }
  const Report& last() const { return last_; }
  bool test_running() const;
  const std::string& reason() const { return reason_; }

  // As in the protocol. own: nobody else tells of this disk, so this plugin says that it is there
  // and what it is.
  nlohmann::json resource(const std::string& fmri, bool own) const;
  // Of that resource all but the readings' values: while it stays the same the readings say the rest.
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
