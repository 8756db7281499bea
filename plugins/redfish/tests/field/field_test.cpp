// Documents of BMCs that name their schemas in their own way, through the plugin's reader and the shipped rules to the cases.
#include <gtest/gtest.h>

#include "fmd/base/json.h"
#include "plugins/redfish/parts.h"
#include "tests/lib/told_cases.h"

namespace fmd::redfish::testing {
namespace {

using nlohmann::json;
using Cases = std::vector<std::string>;

constexpr int64_t kNow = 1'800'000'000'000'000'000;

json well(const std::string& name) {
  return {{"Name", name}, {"Status", {{"State", "Enabled"}, {"Health", "OK"}}}};
}

// A chassis whose supplies are in its Power document, of that type and of that health.
Cases cases_of(const std::string& type, const std::string& member, const std::string& health) {
  const std::string chassis = "/redfish/v1/Chassis/1", power = chassis + "/Power";
  Service service;
  service.system = "host";
  Documents documents;
  ToldCases told;
  const auto tell = [&] {
    json resources = json::array();
    for (const auto& [fmri, one] : describe(service, documents).resources) {
      json resource = one;
      resource["present"] = true;
      resources.push_back(std::move(resource));
    }
    const json params{{"complete", false}, {"resources", resources}, {"gone", json::array()}};
    told.hear("redfish", {{"method", "inventory"}, {"params", params}}, kNow);
  };
  documents["/redfish/v1"] = {{{"Chassis", {{"@odata.id", "/redfish/v1/Chassis"}}}}, ""};
  documents["/redfish/v1/Chassis"] = {{{"Members", {{{"@odata.id", chassis}}}}}, ""};
  documents[chassis] = {{{"@odata.id", chassis},
                         {"@odata.type", "#Chassis.v1_5_0.Chassis"},
                         {"Name", "Chassis"},
                         {"Power", {{"@odata.id", power}}}},
                        ""};
  json parts = json::array({well("Part 1"), well("Part 2")});
  for (size_t i = 0; i < 2; ++i)
    parts[i]["@odata.id"] = power + "#/" + member + "/" + std::to_string(i);
  const auto give = [&] {
    json document{{"@odata.id", power}, {member, parts}};
    if (!type.empty()) document["@odata.type"] = type;
    documents[power] = {document, ""};
    tell();
  };
  give();
  parts[1]["Status"]["Health"] = health;
  give();
  told.wait(2);
  Cases found = told.cases();
  for (std::string& one : found) one.resize(one.find(" hc://"));
  return found;
}

TEST(RedfishField, TheLinkSaysWhatADocumentIs) {
  for (const char* type :
       {"#Cisco_Power", "#Power.v1_7_1.Power", "#AcmePower.v0_1.AcmePower", ""}) {
    EXPECT_EQ(cases_of(type, "PowerSupplies", "Critical"),
              Cases{"Critical fault.chassis.device.psu.fail"})
        << type;
    EXPECT_EQ(cases_of(type, "PowerSupplies", "OK"), Cases()) << type;
  }
}

}  // namespace
}  // namespace fmd::redfish::testing
