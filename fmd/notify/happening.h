// Happening: an event that people may want to know but that is no case: a disk was inserted, a
// resilver has finished. Its data, its stored form and form for channels, and what notification
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
  int64_t time_ns = 0;  // wall: when it was noticed
  std::string severity = "Minor";
  std::string part;           // FMRI: of the vdev, pool, disk, plugin or bay
  std::string name;           // its name for people: "sdf", "tank", "smart"
  std::string by;             // FMRI of the spare in use
  std::string bay, location;  // FMRI; as printed on the machine
  std::string serial, model;
  std::string pool, health;  // name; health as reported
  std::string result;        // how the scan ended, as reported
  std::string detail;        // reason, from the plugin
  bool operator==(const Happening&) const = default;
};

// May pass within seconds, so it is reported only if it lasts.
constexpr bool may_pass(HappeningKind kind) {
  return kind == HappeningKind::spare_activated || kind == HappeningKind::disk_inserted ||
         kind == HappeningKind::disk_removed || kind == HappeningKind::plugin_silent ||
         kind == HappeningKind::led_failed;
}

// Omits unknown members. schemas/plugin-protocol.md § deliver args, "happening".
nlohmann::json to_json(const Happening& happening);
std::optional<Happening> happening_from_json(const nlohmann::json& doc);

// FMRIs of the parts concerned, for windows and rules.
std::vector<std::string> parts_of(const Happening& happening);
AlertFacts facts_of(const Happening& happening, const Inventory& inventory);

}  // namespace fmd
