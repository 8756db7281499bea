// Documents of a small server, based on DSP0268's schemas.
#pragma once
#include <string>

#include "fmd/base/json.h"
#include "plugins/redfish/documents.h"

namespace fmd::redfish::testing {

inline const std::string kChassis = "/redfish/v1/Chassis/1";
inline const std::string kSupply1 = kChassis + "/PowerSubsystem/PowerSupplies/1";
inline const std::string kSupply2 = kChassis + "/PowerSubsystem/PowerSupplies/2";
inline const std::string kFan = kChassis + "/ThermalSubsystem/Fans/1";
inline const std::string kInlet = kChassis + "/Sensors/Inlet";
inline const std::string kDrive = "/redfish/v1/Systems/1/Storage/1/Drives/1";
inline const std::string kModule = "/redfish/v1/Systems/1/Memory/A1";

inline nlohmann::json named(const std::string& kind, const std::string& uri,
                            const std::string& name) {
  return {{"@odata.id", uri},
          {"@odata.type", "#" + kind + ".v1_5_0." + kind},
          {"Id", uri.substr(uri.rfind('/') + 1)},
          {"Name", name},
          {"Status", {{"State", "Enabled"}, {"Health", "OK"}}}};
}

inline Documents small_server() {
  Documents out;
  const auto add = [&](nlohmann::json doc, const nlohmann::json& more = nlohmann::json::object()) {
    doc.update(more);
    out[doc["@odata.id"].get<std::string>()] = {doc, ""};
  };
  add(named("Chassis", kChassis, "Chassis"));
  add(named("PowerSupply", kSupply1, "PSU 1"), {{"LineInputStatus", "Normal"},
                                                {"SerialNumber", "P1"},
                                                {"PartNumber", "PWS"},
                                                {"Model", "920"}});
  add(named("PowerSupply", kSupply2, "PSU 2"),
      {{"LineInputStatus", "Normal"}, {"SerialNumber", "P2"}});
  add(named("Fan", kFan, "Fan 1"));
  add(named("Sensor", kInlet, "Inlet Temp"), {{"ReadingType", "Temperature"}, {"Reading", 24}});
  add(named("Drive", kDrive, "Drive 1"),
      {{"SerialNumber", "D1"},
       {"Model", "ST4000"},
       {"LocationIndicatorActive", false},
       {"PhysicalLocation",
        {{"PartLocation", {{"ServiceLabel", "Bay 1"}, {"LocationOrdinalValue", 1}}}}},
       {"Identifiers", {{{"DurableNameFormat", "NAA"}, {"DurableName", "5000C500A0000003"}}}}});
  add(named("Memory", kModule, "A1"), {{"DeviceLocator", "DIMM_A1"}});
  return out;
}

}  // namespace fmd::redfish::testing
