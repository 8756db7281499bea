// Parts: what a Redfish service said, as resources in the words of plugins/ipmi, so that the same rules
// hold: power supplies, fans, sensors, drive bays, and whatever else has a health of its own. Pure.
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
  bool streamed = false;                  // events come as they happen
  hardware::FmriMemory* parts = nullptr;  // what was seen before; nullptr: nothing
  hardware::DimmNames dimms;
  std::vector<std::string> processors;  // as SMBIOS calls them, in the kernel's order
  hardware::FailedFan* failed_fan = nullptr;
  std::chrono::steady_clock::time_point now{};
};

struct Told {
  Resources resources;
  std::map<std::string, std::string> part_of;  // URI → FMRI, of what has a health of its own
  std::map<std::string, std::string>
      drive_of;  // FMRI of a bay → URI of the drive whose light is its
  nlohmann::json readings = nlohmann::json::array();  // without times
};

std::string bmc_fmri(const std::string& system);
// well: the service was heard; else all is unknown.
Told describe(const Service& service, const Documents& documents);

}  // namespace fmd::redfish
