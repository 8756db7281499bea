// Parts: describes a Redfish service's parts as resources with the properties of plugins/ipmi, so
// that the same rules apply: power supplies, fans, sensors, drive bays, and anything else with its
// own health. Pure.
#pragma once
#include <chrono>
#include <map>
#include <string>
#include <vector>

#include "fmd/base/json.h"
#include "plugins/hardware/dimm_names.h"
#include "plugins/hardware/failed_fan.h"
#include "plugins/hardware/fmri_memory.h"
#include "plugins/redfish/documents.h"

namespace fmd::redfish {

using Resources = std::map<std::string, nlohmann::json>;  // by FMRI

struct Service {
  std::string system;              // the machine's id
  std::string state = "observed";  // observed, silent
  std::string reason;
  bool bays = true;
  bool streamed = false;                  // the event stream is open
  hardware::FmriMemory* parts = nullptr;  // parts seen before; nullptr: none
  hardware::DimmNames dimms;
  std::vector<std::string> processors;  // by SMBIOS name, in the kernel's order
  hardware::FailedFan* failed_fan = nullptr;
  std::chrono::steady_clock::time_point now{};
};

struct Told {
  Resources resources;
  std::map<std::string, std::string> part_of;  // URI → FMRI of its part
  std::map<std::string, std::string>
      drive_of;  // FMRI of a bay → URI of the drive that has its locate LED
  nlohmann::json readings = nlohmann::json::array();  // without times
  // One small document may list 100,000 parts.
  static constexpr size_t kMostParts = 4096;
  bool too_many = false;  // the service describes more; the rest is left out
};

std::string bmc_fmri(const std::string& system);
// If the service is silent, everything is unknown.
Told describe(const Service& service, const Documents& documents);

}  // namespace fmd::redfish
