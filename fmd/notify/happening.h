// Happening: an event that people may want to know and that is no case: a disk was inserted, a
// resilver has finished. Its data, how it is stored and passed to channels, and what notification
// rules match. Pure.
#pragma once
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "fmd/model/happening_kind.h"
#include "fmd/model/inventory.h"
#include "fmd/notify/preferences.h"

namespace fmd {

struct Happening {
  HappeningKind kind = HappeningKind::spare_activated;
  std::string uuid;
  int64_t time_ns = 0;  // wall: when it was seen
  std::string severity = "Minor";
  std::string part;           // FMRI: of the vdev, pool, disk, plugin or bay
  std::string name;           // what people call that: "sdf", "tank", "smart"
  std::string by;             // FMRI of the spare that came in
  std::string bay, location;  // FMRI; as printed on the machine
  std::string serial, model;
  std::string pool, health;  // name; its health in its own words
  std::string result;        // how the scan ended, in its own words
  std::string detail;        // why, as its plugin says
  bool operator==(const Happening&) const = default;
};

// What may pass by itself within seconds is told only when it has lasted.
constexpr bool may_pass(HappeningKind kind) {
  return kind == HappeningKind::spare_activated || kind == HappeningKind::disk_inserted ||
         kind == HappeningKind::disk_removed || kind == HappeningKind::plugin_silent ||
         kind == HappeningKind::led_failed;
}

// Members that are not known are left out. schemas/plugin-protocol.md § deliver args, "happening".
nlohmann::json to_json(const Happening& happening);
std::optional<Happening> happening_from_json(const nlohmann::json& doc);

// What it is about, for windows and rules: FMRIs.
std::vector<std::string> parts_of(const Happening& happening);
AlertFacts facts_of(const Happening& happening, const Inventory& inventory);

}  // namespace fmd
