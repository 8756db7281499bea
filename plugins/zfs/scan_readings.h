// ScanReadings: each pool's resilver or scrub rate, taken from the inventory messages, and a single
// 0 when it stops. Pure.
#pragma once
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <set>
#include <string>

namespace fmd::zfs {

class ScanReadings {
 public:
  // resources: as sent. Returns the readings that are due, possibly none.
  nlohmann::json take(const nlohmann::json& resources, int64_t now_ns);

 private:
  std::set<std::string> running_;  // FMRIs of pools
};

}  // namespace fmd::zfs
