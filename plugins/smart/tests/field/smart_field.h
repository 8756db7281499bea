// The rig of the tests with documents of real disks: from smartctl's text through the plugin and the shipped rules to the cases.
#pragma once
#include <time.h>

#include <cstdint>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "plugins/smart/tests/smart_test.h"
#include "tests/lib/told_cases.h"

namespace fmd::smart::testing {

using Cases = std::vector<std::string>;

class SmartField : public SmartTest {
 protected:
  // The disk as fmd-disk describes it.
  static json present() {
    json disk{{"fmri", kDisk}, {"type", "disk"}, {"present", true}};
    disk["properties"] = {{"serial", "S1"}};
    disk["edges"] = json::array();
    return {{"method", "inventory"},
            {"params",
             {{"complete", false}, {"resources", json::array({disk})}, {"gone", json::array()}}}};
  }
  // The looks a day apart, then ten quiet days.
  Cases verdicts(const std::vector<std::string>& looks) {
    ToldCases told;
    int64_t at = (time(nullptr) + 1) * 1'000'000'000;
    size_t heard = 0;
    told.hear("disk", present(), at);
    plugin_.reset();
    EXPECT_TRUE(loop_.until([&] { return !core_.connected(); }));
    core_.messages.clear();
    core_.resources.clear();
    core_.cursor.clear();
    disk();
    for (const std::string& printed : looks) {
      tree_.file("/printed/now", printed);
      script("sda", "cat \"$FMD_HOST_ROOT/printed/now\"");
      if (!plugin_) start();
      command("refresh", "smart://wwn=5000c500a0000001");
      // The answer to a command that came before hello's can precede the first inventory.
      EXPECT_TRUE(loop_.until([&] { return !core_.property(kDisk, "smart.state").is_null(); }));
      loop_.drain();
      for (; heard < core_.messages.size(); ++heard) told.hear("smart", core_.messages[heard], at);
      told.wait(5);
      at += int64_t{24} * 3'600'000'000'000;
    }
    told.wait(24 * 10);
    Cases found = told.cases();
    for (std::string& one : found) one.resize(one.find(" dev://"));
    return found;
  }
  Cases of(const std::string& name) { return verdicts({fixture(name)}); }
};

inline const Cases kNone, kDefects{"Minor fault.io.disk.defects"},
    kGrowing{"Major fault.io.disk.media-defects"},
    kFailing{"Major fault.io.disk.predictive-failure"},
    kWornSoon{"Minor fault.io.disk.ssd-wearout"}, kSpareNear{"Minor fault.io.disk.spare-near"},
    kHelium{"Minor fault.io.disk.helium"}, kHeliumLow{"Major fault.io.disk.helium-low"},
    kTest{"Major fault.io.disk.self-test-failure"};

inline json edited(const std::string& name,
                   const std::vector<std::pair<std::string, json>>& changes) {
  json doc = json::parse(fixture(name));
  for (const auto& [pointer, value] : changes) doc[json::json_pointer(pointer)] = value;
  return doc;
}

// The row of an attribute.
inline std::string row(const json& doc, int id) {
  const json& table = doc.at("ata_smart_attributes").at("table");
  for (size_t i = 0; i < table.size(); ++i)
    if (table[i].at("id") == id) return "/ata_smart_attributes/table/" + std::to_string(i);
  throw std::out_of_range("no attribute " + std::to_string(id));
}
inline std::string with_raw(const std::string& name, int id, uint64_t raw) {
  const json doc = json::parse(fixture(name));
  return edited(name, {{row(doc, id) + "/raw/value", raw},
                       {row(doc, id) + "/raw/string", std::to_string(raw)}})
      .dump();
}
inline std::string with_value(const std::string& name, int id, int value) {
  const json doc = json::parse(fixture(name));
  return edited(name, {{row(doc, id) + "/value", value}}).dump();
}

}  // namespace fmd::smart::testing
