// Parts: describes the BMC, its sensors, and the power supplies and fans they belong to as
// resources. Pure.
#pragma once
#include <chrono>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "plugins/hardware/failed_fan.h"
#include "plugins/hardware/fmri_memory.h"
#include "plugins/ipmi/fru_text.h"
#include "plugins/ipmi/identify.h"
#include "plugins/ipmi/meaning.h"
#include "plugins/ipmi/owners.h"
#include "plugins/ipmi/sdr.h"
#include "plugins/ipmi/sel.h"
#include "plugins/ipmi/watch.h"

namespace fmd::ipmi {

using Resources = std::map<std::string, nlohmann::json>;  // by FMRI

struct BmcFacts {
  std::string state = "observed";  // observed, silent
  std::string reason;
  std::string firmware;
  Bmc who;
  std::optional<SelInfo> log;
};

// State of parts from earlier polls.
struct Remembered {
  hardware::FmriMemory parts;
  hardware::FailedFan failed_fan;
};

struct Picture {
  std::string system;  // its id
  const BmcFacts& bmc;
  const Sdr& sdr;
  const Watch& watch;
  const Meaning& meaning;
  const std::map<int, FruText>& frus;
  const Owners& owners;
  const Identify& identify;
  std::chrono::steady_clock::time_point now{};
};

std::string bmc_fmri(const std::string& system);
std::string sensor_fmri(const std::string& system, int number);  // of the BMC itself
std::string sensor_fmri(const std::string& system, const Sensor& sensor);

Resources describe(const Picture& picture, Remembered& remembered);

}  // namespace fmd::ipmi
