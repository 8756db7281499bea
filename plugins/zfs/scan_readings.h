// ScanReadings: how fast each pool's resilver or scrub goes, from the inventory that is told, and 0 once when it
// stands still. Pure.
#pragma once
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <set>
#include <string>

namespace fmd::zfs {

class ScanReadings {
 public:
  // resources: as they are sent. What is due now, perhaps nothing.
  nlohmann::json take(const nlohmann::json& resources, int64_t now_ns);

 private:
  std::set<std::string> running_;  // FMRIs of pools
};

}  // namespace fmd::zfs
