#include "plugins/system/hwmon.h"

#include <fmt/format.h>

#include <array>
#include <map>

#include "fmd/model/fmri.h"
#include "plugins/system/sysfs.h"

namespace fmd::machine {
namespace {

using nlohmann::json;

constexpr const char* kHwmon = "/sys/class/hwmon";

struct Kind {  // units of the kernel's hwmon interface
  const char* prefix;
  double divisor;
  const char* unit;
  const char* kind;
};
constexpr std::array<Kind, 3> kKinds = {{{"temp", 1000, "celsius", "temperature"},
                                         {"fan", 1, "rpm", "fan"},
                                         {"power", 1e6, "watts", "power"}}};

// A critical limit below this is unset or means something else (acpitz with "crit = +20.8").
constexpr int64_t kLeastCritical = 40'000;

struct Chip {
  std::string folder, name, device;  // "/sys/class/hwmon/hwmon2", "coretemp", "coretemp.0"
  bool graphics = false;             // of a graphics card, which stops its fans while cool
};

std::vector<Chip> chips(const sdk::Host& host) {
  std::vector<Chip> found;
  for (const std::string& entry : names_in(host, kHwmon)) {
    const std::string folder = fmt::format("{}/{}", kHwmon, entry);
    const std::string name = read_text(host, folder + "/name");
    if (name.empty() || name == "drivetemp" || name == "nvme") continue;
    const auto device = host.resolve(folder + "/device");
    const bool graphics = read_text(host, folder + "/device/class").starts_with("0x03");
    found.push_back({folder, name, device ? std::string(last_name(*device)) : entry, graphics});
  }
  return found;
}

// The kernel's numbers change between boots, so a chip is identified by its name, and also by its
// device if the name is not unique. Only if both are the same is the kernel's number used.
std::map<std::string, std::string> chip_ids(const std::vector<Chip>& all) {
  std::map<std::string, int> alike;
  for (const Chip& chip : all) {
    ++alike[chip.name];
    ++alike[chip.name + "." + chip.device];
  }
  std::map<std::string, std::string> ids;
  for (const Chip& chip : all) {
    const std::string with_device = chip.name + "." + chip.device;
    std::string& id = ids[chip.folder];
    id = alike[chip.name] > 1 ? with_device : chip.name;
    if (alike[with_device] > 1) id += "." + std::string(last_name(chip.folder));
  }
  return ids;
}

// "temp1" of "temp1_input"; "" if the file is not of that kind.
std::string input_of(const std::string& file, const Kind& kind) {
  if (!file.starts_with(kind.prefix)) return {};
  const size_t end = file.find('_');
  const std::string_view prefix(kind.prefix);
  if (end == file.npos || end == prefix.size()) return {};
  if (file.find_first_not_of("0123456789", prefix.size()) != end) return {};
  const std::string suffix = file.substr(end);
  return suffix == "_input" || suffix == "_average" ? file.substr(0, end) : std::string();
}

// Skips unset limits: 0 is neither a fan speed nor an upper temperature limit. True if the chip has
// limits but all are unset; its alarm is then meaningless.
bool add_limits(const sdk::Host& host, const std::string& stem, const Kind& kind, json& sensor) {
  constexpr std::array<std::array<const char*, 2>, 4> kLimits = {{{"_min", "limit_low"},
                                                                  {"_max", "limit_high"},
                                                                  {"_cap", "limit_high"},
                                                                  {"_crit", "limit_critical"}}};
  bool any = false, set = false;
  for (const auto& [suffix, property] : kLimits) {
    const auto limit = read_number(host, stem + suffix);
    if (!limit) continue;
    any = true;
    set = set || *limit != 0;
    const bool temperature = kind.kind == std::string_view("temperature");
    const bool cold = temperature && suffix == std::string_view("_min");
    if (temperature && suffix == std::string_view("_crit") && *limit < kLeastCritical) continue;
    if (*limit > 0 || cold)
      sensor["properties"][property] = static_cast<double>(*limit) / kind.divisor;
  }
  return any && !set;
}

// Whether the fan gets what its PWM shows. A fan that firmware drives may stand while its PWM shows
// the level that was last set (thinkpad_acpi). 0: full speed, 1: manual.
bool is_driven(const sdk::Host& host, const std::string& pwm) {
  return read_number(host, pwm) && read_number(host, pwm + "_enable").value_or(2) <= 1;
}

// Input → its name by the driver, with the input's number if others of the chip have the same name.
std::map<std::string, std::string> labels_of(const sdk::Host& host, const Chip& chip,
                                             const std::vector<std::string>& files) {
  constexpr std::string_view kLabel = "_label";
  std::map<std::string, std::string> labels;
  std::map<std::string, int> counts;
  for (const std::string& file : files)
    if (file.ends_with(kLabel))
      if (std::string label = read_text(host, chip.folder + "/" + file); !label.empty()) {
        ++counts[label];
        labels[file.substr(0, file.size() - kLabel.size())] = std::move(label);
      }
  for (auto& [input, label] : labels)
    if (counts.at(label) > 1) label = fmt::format("{} ({})", label, input);
  return labels;
}

void add_sensor(const sdk::Host& host, const Chip& chip,
                const std::map<std::string, std::string>& labels, const std::string& id,
                const std::string& input, const std::string& file, const Kind& kind, Facts& facts) {
  const auto parsed = Fmri::parse(facts.system);
  const std::string fmri = make_fmri(
      "hc", {{"system", parsed ? parsed->get("system") : "host"}, {"sensor", id + "-" + input}});
  if (facts.has(fmri)) return;  // power1_average beside power1_input
  json& sensor = facts.add(fmri, "sensor");
  const auto label = labels.find(input);
  sensor["properties"]["label"] = id + " " + (label == labels.end() ? input : label->second);
  sensor["properties"]["unit"] = kind.unit;
  sensor["properties"]["kind"] = kind.kind;
  sensor["properties"]["observed_by"] = "hwmon";
  set_text(sensor, "chip", chip.name);
  const std::string stem = chip.folder + "/" + input;
  const bool unset = add_limits(host, stem, kind, sensor);
  const bool fan = std::string_view(kind.prefix) == "fan", alarm = host.exists(stem + "_alarm");
  // Many fan controllers (emc2305, max31790, pwm-fan) have no limit, but a flag for a fan that
  // stands, or they show what the fan is driven with.
  const auto number = std::string_view(input).substr(std::string_view(kind.prefix).size());
  const std::string pwm = fmt::format("{}/pwm{}", chip.folder, number);
  const bool flagged = alarm || host.exists(stem + "_fault") || host.exists(stem + "_min_alarm"),
             driven = is_driven(host, pwm);
  // A driver's lower limit may be only the lowest speed it sets, and the reading may be off.
  if (fan)
    sensor["properties"]["monitored"] =
        !chip.graphics && read_number(host, stem + "_enable") != 0 &&
        (flagged || driven || sensor["properties"].contains("limit_low"));
  facts.contain(fmri);
  auto& gauges = facts.gauges[id];
  Gauge value{fmri, "value", chip.folder + "/" + file, kind.divisor, kind.unit};
  if (const auto critical = sensor["properties"].find("limit_critical");
      critical != sensor["properties"].end())
    value.good_below = critical->get<double>();
  gauges.push_back(std::move(value));
  if (alarm && !unset) gauges.push_back({fmri, "alarm", stem + "_alarm", 1, ""});
  if (host.exists(stem + "_fault")) gauges.push_back({fmri, "fault", stem + "_fault", 1, ""});
  // On nearly all chips, PWM N drives fan N.
  if (fan && host.exists(pwm)) gauges.push_back({fmri, "pwm", pwm, 1, ""});
}

}  // namespace

void add_sensors(const sdk::Host& host, Facts& facts) {
  const std::vector<Chip> all = chips(host);
  const auto ids = chip_ids(all);
  for (const Chip& chip : all) {
    const std::vector<std::string> files = names_in(host, chip.folder);
    const auto labels = labels_of(host, chip, files);
    for (const std::string& file : files)
      for (const Kind& kind : kKinds)
        if (const std::string input = input_of(file, kind); !input.empty())
          add_sensor(host, chip, labels, ids.at(chip.folder), input, file, kind, facts);
  }
}

}  // namespace fmd::machine
