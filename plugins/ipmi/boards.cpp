#include "plugins/ipmi/boards.h"

#include "fmd/base/json.h"
#include "fmd/model/fmri.h"
#include "plugins/ipmi/sensor_resource.h"
#include "plugins/sdk/messages.h"

namespace fmd::ipmi {
namespace {

using nlohmann::json;

// States of a drive slot (table 42-3, 0Dh).
constexpr int kDrivePresent = 1 << 0, kDriveFailed = 1 << 1, kDrivePredicted = 1 << 2;

bool is_told_elsewhere(int entity) {
  return entity == entity::kPowerSupply || entity == entity::kFan || entity == entity::kMemory ||
         entity == entity::kProcessor;
}

std::string kind_of_board(int entity) {  // table 43-13
  switch (entity) {
    case 7:
      return "system board";
    case 8:
      return "memory module board";
    case 9:
      return "processor module board";
    case 11:
      return "add-in card";
    case 15:
      return "drive backplane";
    case 16:
      return "system backplane";
    case 17:
      return "power distribution board";
    case 21:
      return "power management board";
    case 22:
      return "chassis back panel board";
    case 23:
      return "system chassis";
    default:
      return "board";
  }
}

// The state that a drive slot reports for its disk; "unknown" if it reports none.
std::string slot_state(const Judged& judged) {
  if (!judged.known) return "unknown";
  if (judged.states & kDriveFailed) return "failed";
  if (judged.states & kDrivePredicted) return "predicted";
  return judged.states & kDrivePresent ? "ok" : "empty";
}

// A state that the bay reports is not reported again for the sensor.
void tie(json& properties, const std::string& bay, const Sensor& sensor, const Judged& judged) {
  properties["part"] = bay;
  if (sensor.event_only || !judged.known || !is_bad(judged.verdict)) return;
  properties["explained"] = true;
  properties["explained_by"] = sensor.name;
}

}  // namespace

// Device 0 is the BMC's own FRU memory, which describes the mainboard and needs no locator.
void add_boards(const Picture& picture, Resources& into) {
  const std::string system = make_fmri("hc", {{"system", picture.system}});
  for (const auto& [number, text] : picture.frus) {
    const auto place = picture.sdr.frus.find(number);
    if (place == picture.sdr.frus.end() && number != 0) continue;
    const int entity = place == picture.sdr.frus.end() ? 7 : place->second.part.id;
    if (is_told_elsewhere(entity) || !text.tells_anything()) continue;
    const std::string fmri =
        make_fmri("hc", {{"system", picture.system}, {"board", "ipmi" + std::to_string(number)}});
    json one = resource(fmri, "board");
    json& properties = one["properties"];
    properties["label"] = number == 0 && place == picture.sdr.frus.end() ? "mainboard" : text.name;
    properties["kind"] = kind_of_board(entity);
    properties["observed_by"] = "bmc";
    set(properties, "manufacturer",
        text.board_manufacturer.empty() ? text.manufacturer : text.board_manufacturer);
    set(properties, "model", text.board.empty() ? text.product : text.board);
    set(properties, "part_number",
        text.board_part_number.empty() ? text.part_number : text.board_part_number);
    set(properties, "serial", text.board_serial.empty() ? text.serial : text.board_serial);
    set(properties, "product", text.product);
    set(properties, "product_serial", text.serial);
    set(properties, "chassis_serial", text.chassis_serial);
    auto [at, fresh] = into.try_emplace(system);
    if (fresh) at->second = resource(system, "system");
    at->second["edges"].push_back(sdk::edge("contains", fmri));
    into[fmri] = std::move(one);
  }
}

// Adds properties to the bays that fmd-enclosure reports.
void add_bays(const Picture& picture, Resources& into) {
  for (const Sensor& sensor : picture.sdr.sensors) {
    if (!sensor.ours || sensor.type != code::kDriveSlot || sensor.reading_type != code::kSpecific)
      continue;
    const std::string fmri = picture.owners.bay_of(sensor.name);
    if (fmri.empty()) continue;
    json bay = resource(fmri, "bay");
    json& properties = bay["properties"];
    const Reading* reading = picture.watch.confirmed(sensor.number);
    const Judged judged = reading ? judge(sensor, *reading, picture.meaning) : Judged{};
    properties["bmc.sensor"] = sensor.name;
    if (!sensor.event_only) {
      properties["bmc.state"] = slot_state(judged);
      set(properties, "bmc.reason", judged.text);
    }
    into[fmri] = std::move(bay);
    if (const auto own = into.find(sensor_fmri(picture.system, sensor)); own != into.end())
      tie(own->second["properties"], fmri, sensor, judged);
  }
}

}  // namespace fmd::ipmi
