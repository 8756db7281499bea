#include "plugins/ipmi/sensor_resource.h"

#include <cstdio>

#include "fmd/base/json.h"
#include "fmd/model/fmri.h"
#include "plugins/ipmi/part_names.h"

namespace fmd::ipmi {

using nlohmann::json;

json resource(const std::string& fmri, const std::string& type) {
  return {{"fmri", fmri}, {"type", type}, {"properties", json::object()}, {"edges", json::array()}};
}

int place_number(const Entity& place) {
  constexpr int kPerBoard = 0x60;
  return place.instance < kPerBoard ? place.instance : place.instance - kPerBoard;
}

void set(json& properties, const char* name, const std::string& value) {
  if (!value.empty()) properties[name] = value;
}

namespace {

// Offsets 0 to 4 of table 42-3, 08h: present, failed, failure predicted, input lost. A sensor that
// can only show a configuration error is about all supplies together.
bool is_about_one_supply(const Sensor& sensor) {
  constexpr int kOwnStates = 0x1F;
  const bool specific = sensor.reading_type == code::kSpecific;
  const bool shared = specific && sensor.readable != 0 && !(sensor.readable & kOwnStates);
  return !shared && !compares_parts(sensor.name);
}

}  // namespace

std::string part_type(const Sensor& sensor) {
  if (sensor.reading_type == code::kRedundancy || sensor.event_only) return {};
  if (sensor.type == code::kPowerSupply && sensor.reading_type != code::kThreshold)
    return is_about_one_supply(sensor) ? "psu" : "";
  if (sensor.type == code::kFan &&
      (sensor.reading_type != code::kThreshold || sensor.unit == "rpm" || sensor.unit == "percent"))
    return "fan";
  return {};
}

std::string kind_of(const Sensor& sensor) {
  if (sensor.reading_type == code::kRedundancy) return "redundancy";
  if (const std::string part = part_type(sensor); !part.empty())
    return part == "psu" ? "supply" : part;
  switch (sensor.type) {
    case code::kTemperature:
      return "temperature";
    case code::kVoltage:
      return "voltage";
    case code::kCurrent:
      return "current";
    case code::kDriveSlot:
      return "drive-slot";
    case code::kPowerSupply:
      return sensor.reading_type == code::kThreshold || sensor.event_only ? "supply" : "state";
    case code::kFan:
      return "fan";
    case code::kMemory:
      return "memory";
    case code::kProcessor:
      return "processor";
    default:
      break;
  }
  if (sensor.unit == "watts") return "power";
  return "state";
}

namespace {

// If the name is not unique ("Temp" of both processors), adds the part's number or, if needed, the
// sensor's.
std::string distinct_name(const Sdr& sdr, const Sensor& sensor) {
  int same = 0, same_place = 0;
  for (const Sensor& other : sdr.sensors) {
    if (other.name != sensor.name) continue;
    ++same;
    same_place +=
        other.part.id == sensor.part.id && place_number(other.part) == place_number(sensor.part)
            ? 1
            : 0;
  }
  if (same < 2) return sensor.name;
  char text[40];
  const int kind = sensor.part.id;
  const char* word = kind == entity::kProcessor     ? "processor "
                     : kind == entity::kPowerSupply ? "power supply "
                     : kind == entity::kFan         ? "fan "
                     : kind == entity::kMemory      ? "memory module "
                                                    : nullptr;
  if (same_place > 1)
    snprintf(text, sizeof text, " (sensor 0x%02x)", static_cast<unsigned>(sensor.number & 0xFF));
  else if (word)
    snprintf(text, sizeof text, " (%s%d)", word, place_number(sensor.part));
  else
    snprintf(text, sizeof text, " (place %d.%d)", kind, sensor.part.instance);
  return sensor.name + text;
}

}  // namespace

json sensor_resource(const Picture& picture, const Read& read, const std::string& explained,
                     const std::string& part) {
  const Sensor& sensor = *read.sensor;
  json one = resource(sensor_fmri(picture.system, sensor), "sensor");
  json& properties = one["properties"];
  const Judged& judged = read.judged;
  char number[8];
  snprintf(number, sizeof number, "0x%02x", static_cast<unsigned>(sensor.number & 0xFF));
  properties["label"] =
      sensor.name.empty() ? std::string("sensor ") + number : distinct_name(picture.sdr, sensor);
  properties["kind"] = kind_of(sensor);
  properties["observed_by"] = "bmc";
  properties["sensor_number"] = number;
  properties["sensor_type"] = picture.meaning.type_name(sensor.type);
  properties["reading"] = sensor.event_only                         ? "event log"
                          : sensor.reading_type == code::kThreshold ? "threshold"
                                                                    : "discrete";
  properties["place"] = std::to_string(sensor.part.id) + "." + std::to_string(sensor.part.instance);
  properties["explained"] = !explained.empty();
  set(properties, "explained_by", explained);
  set(properties, "unit", sensor.unit);
  if (!sensor.event_only) {
    properties["level"] = judged.level();
    properties["status"] = !judged.known                         ? "unknown"
                           : judged.verdict >= Verdict::critical ? "failed"
                           : is_bad(judged.verdict)              ? "alarm"
                                                                 : "ok";
    if (judged.known) properties["condition"] = judged.condition;  // unknown: ends no case
    set(properties, "reason", judged.text);
  }
  constexpr const char* kLimits[6] = {
      "limit_low",  "limit_low_critical", "limit_low_non_recoverable",
      "limit_high", "limit_critical",     "limit_non_recoverable"};
  for (size_t bit = 0; bit < 6; ++bit)
    if (sensor.limits[bit]) properties[kLimits[bit]] = *sensor.limits[bit];
  set(properties, "part", part);
  return one;
}

std::string sensor_fmri(const std::string& system, int number) {
  char text[16];
  snprintf(text, sizeof text, "ipmi-%02x", static_cast<unsigned>(number & 0xFF));
  return make_fmri("hc", {{"system", system}, {"sensor", text}});
}

std::string sensor_fmri(const std::string& system, const Sensor& sensor) {
  if (sensor.ours) return sensor_fmri(system, sensor.number);
  char text[24];
  snprintf(text, sizeof text, "ipmi-%02x-%02x", static_cast<unsigned>(sensor.owner & 0x3FF),
           static_cast<unsigned>(sensor.number & 0xFF));
  return make_fmri("hc", {{"system", system}, {"sensor", text}});
}

}  // namespace fmd::ipmi
