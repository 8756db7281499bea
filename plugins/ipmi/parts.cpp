#include "plugins/ipmi/parts.h"

#include <algorithm>
#include <set>

#include "fmd/base/json.h"
#include "fmd/chassis/properties.h"
#include "fmd/model/fmri.h"
#include "plugins/ipmi/boards.h"
#include "plugins/ipmi/part_names.h"
#include "plugins/ipmi/part_states.h"
#include "plugins/ipmi/sensor_resource.h"
#include "plugins/sdk/messages.h"

namespace fmd::ipmi {
namespace {

using nlohmann::json;

// States of a power supply (table 42-3, 08h).
constexpr int kPresent = 1 << 0, kFailed = 1 << 1, kPredicted = 1 << 2,
              kInputLost = 1 << 3 | 1 << 4, kInputOdd = 1 << 5, kMismatch = 1 << 6,
              kStandby = 1 << 7;

constexpr std::string_view kInstalled = "installed", kTurned = "turned";

void contain(json& holder, const std::string& fmri) {
  holder["edges"].push_back(sdk::edge("contains", fmri));
}

// A part with one or more sensors.
struct Part {
  std::string type;  // psu, fan
  std::string fmri;
  std::vector<Read> reads;
};

class Describer {
 public:
  Describer(const Picture& picture, Remembered& remembered)
      : p_(picture), remembered_(remembered) {}
  Resources all();

 private:
  void read_all();
  void add_bmc();
  void lead_to_all();
  std::string part_key(const Sensor& sensor) const;
  std::string part_fmri(const std::string& type, const Part& part, const std::string& key);
  void gather();
  void add_supply(const Part& part);
  void add_fan(const Part& part);
  bool was_ever_there(const Part& part) const;
  bool has_its_place_alone(const Part& from) const;
  std::optional<int> own_fru(const Part& from) const;
  std::string label_of(const Part& from) const;
  void add_common(json& part, const Part& from);
  void add_power();
  void add_sensors();
  std::string explained_by(const Read& read);
  void add_to(const std::string& holder, const std::string& type, const std::string& fmri);
  std::string own_serial(int fru) const;

  const Picture& p_;
  Remembered& remembered_;
  Resources into_;
  std::vector<Read> reads_;
  std::map<std::string, Part> parts_;   // by key
  std::map<int, std::string> part_of_;  // sensor number → FMRI
  std::map<Entity, std::string> bad_;   // labels of parts with a problem
  std::string bad_fan_;                 // label of one; "" none
  bool bad_supply_ = false, without_input_ = false;
};

bool worse(const Judged& a, const Judged& b) {
  return a.known != b.known ? a.known : a.verdict > b.verdict;
}

std::vector<std::string> names_of(const std::vector<const Sensor*>& sensors) {
  std::vector<std::string> names;
  for (const Sensor* sensor : sensors) names.push_back(sensor->name);
  return names;
}

// True for "PS1 Status" and "PS1 Presence", but not for two sensors called "Status".
bool are_one(const std::vector<const Sensor*>& sensors) {
  std::set<std::string> parts, names;
  for (const Sensor* sensor : sensors) {
    parts.insert(part_name(sensor->name));
    names.insert(sensor->name);
  }
  return parts.size() == 1 && !parts.contains("") && names.size() == sensors.size();
}

// Two rotors of one fan are one part, and so are two sensors of one supply. Parts to which the BMC
// assigns the same entity, or the board's, are separate.
std::string Describer::part_key(const Sensor& sensor) const {
  const std::string type = part_type(sensor);
  const int own = type == "psu" ? entity::kPowerSupply : entity::kFan;
  const auto same = [&](const Sensor& other) {
    return other.part == sensor.part && part_type(other) == type && other.ours &&
           (type == "fan" ||
            (other.reading_type == code::kSpecific && sensor.reading_type == code::kSpecific));
  };
  std::vector<const Sensor*> here;
  for (const Sensor& other : p_.sdr.sensors)
    if (same(other)) here.push_back(&other);
  // Several sensors with one location that are not the rotors of one fan: the BMC does not
  // distinguish its parts.
  const bool rotors = type == "fan" && !fan_of_all(names_of(here)).empty();
  const bool one_name = type == "psu" && !here.empty() && are_one(here);
  const bool by_place = sensor.part.id == own && (here.size() <= 1 || rotors || one_name);
  return type + (by_place ? std::to_string(sensor.part.instance)
                          : "-sensor" + std::to_string(sensor.number));
}

// As in the chassis description, which numbers parts in the order of the file.
std::string Describer::part_fmri(const std::string& type, const Part& part,
                                 const std::string& key) {
  int number = 0;
  for (const auto& description : p_.owners.descriptions)
    for (const chassis::Fru& fru : description->frus) {
      if (fru.type != type || fru.keys.contains("ses_element")) continue;
      for (const Read& read : part.reads)
        if (fru.key("ipmi") == read.sensor->name)
          return make_fmri("hc", {{"chassis", p_.system}, {type, std::to_string(number)}});
      ++number;
    }
  return make_fmri("hc", {{"chassis", p_.system}, {type, "ipmi" + key.substr(type.size())}});
}

void Describer::read_all() {
  for (const Sensor& sensor : p_.sdr.sensors) {
    if (!sensor.ours && !sensor.event_only) continue;
    const Reading* reading = sensor.ours ? p_.watch.confirmed(sensor.number) : nullptr;
    reads_.push_back({&sensor, reading ? judge(sensor, *reading, p_.meaning) : Judged{}});
  }
}

void Describer::gather() {
  for (const Read& read : reads_) {
    const std::string type = part_type(*read.sensor);
    if (type.empty()) continue;
    Part& part = parts_[part_key(*read.sensor)];
    part.type = type;
    part.reads.push_back(read);
  }
  for (auto& [key, part] : parts_) {
    // The sensor of the part as a whole names it, not one of a single fault.
    std::stable_partition(part.reads.begin(), part.reads.end(),
                          [](const Read& read) { return read.sensor->reading_type != kDigital; });
    part.fmri = part_fmri(part.type, part, key);
    if (part.type == "psu" && !was_ever_there(part)) continue;
    for (const Read& read : part.reads) part_of_[read.sensor->number] = part.fmri;
    if (part.type == "psu")
      add_supply(part);
    else
      add_fan(part);
  }
}

void Describer::add_to(const std::string& holder, const std::string& type,
                       const std::string& fmri) {
  auto [at, fresh] = into_.try_emplace(holder);
  if (fresh) at->second = resource(holder, type);
  contain(at->second, fmri);
}

// Some BMCs have sensors for more supplies than the machine has slots, and never a reading of them.
bool Describer::was_ever_there(const Part& part) const {
  const auto own = own_fru(part);
  const auto text = own ? p_.frus.find(*own) : p_.frus.end();
  return remembered_.parts.contains(kInstalled, part.fmri) ||
         (text != p_.frus.end() && text->second.tells_anything()) ||
         std::any_of(part.reads.begin(), part.reads.end(),
                     [](const Read& read) { return read.judged.known; });
}

// False if the BMC assigns the part to its board, a fan to a supply, or several parts to the same
// entity.
bool Describer::has_its_place_alone(const Part& from) const {
  const Entity place = from.reads.front().sensor->part;
  if (place.id != (from.type == "psu" ? entity::kPowerSupply : entity::kFan)) return false;
  return std::count_if(parts_.begin(), parts_.end(), [&](const auto& other) {
           return other.second.type == from.type &&
                  other.second.reads.front().sensor->part == place;
         }) == 1;
}

// FRU device id of the part's own memory. Empty if it would be a guess: several parts have that
// entity, or the memory has another part's name.
std::optional<int> Describer::own_fru(const Part& from) const {
  if (!has_its_place_alone(from)) return std::nullopt;
  const Sensor& first = *from.reads.front().sensor;
  std::optional<int> own;
  for (const auto& [fru, locator] : p_.sdr.frus) {
    if (locator.part != first.part) continue;
    if (own) return std::nullopt;
    own = fru;
  }
  if (!own) return std::nullopt;
  const std::string side = side_of(p_.sdr.frus.at(*own).name);
  const bool is_anothers = std::any_of(parts_.begin(), parts_.end(), [&](const auto& other) {
    return other.second.type == from.type &&
           side_of(other.second.reads.front().sensor->name) == side;
  });
  return !side.empty() && side != side_of(first.name) && is_anothers ? std::nullopt : own;
}

// The rotors of a fan share its name.
std::string name_of(const Part& part) {
  std::vector<std::string> names;
  for (const Read& read : part.reads) names.push_back(read.sensor->name);
  const std::string fan = part.type == "fan" && names.size() > 1 ? fan_of_all(names) : "";
  return fan.empty() ? part_name(names.front()) : fan;
}

// By its sensor's name. Dell calls the sensor of each supply "Status": without a unique part name,
// the FRU memory's name is used, else the kind of part and its number.
std::string Describer::label_of(const Part& from) const {
  const Sensor& first = *from.reads.front().sensor;
  const std::string name = name_of(from);
  const auto same = std::count_if(parts_.begin(), parts_.end(), [&](const auto& other) {
    return other.second.type == from.type && name_of(other.second) == name;
  });
  if (!name.empty() && same < 2) return name;
  if (const auto own = own_fru(from)) {
    const std::string called = part_name(p_.sdr.frus.at(*own).name);
    const auto alike = std::count_if(p_.sdr.frus.begin(), p_.sdr.frus.end(), [&](const auto& fru) {
      return part_name(fru.second.name) == called;
    });
    if (!called.empty() && alike == 1) return called;
  }
  const int number = place_number(first.part);
  const auto alike = std::count_if(parts_.begin(), parts_.end(), [&](const auto& other) {
    const Entity& place = other.second.reads.front().sensor->part;
    return other.second.type == from.type && place.id == first.part.id &&
           place_number(place) == number;
  });
  return has_its_place_alone(from) && alike == 1
             ? (from.type == "psu" ? "PSU " : "Fan ") + std::to_string(number)
             : first.name + " (sensor " + std::to_string(first.number) + ")";
}

// "" if another FRU memory has the same serial number: a default, or the machine's own.
std::string Describer::own_serial(int fru) const {
  const FruText& own = p_.frus.at(fru);
  const std::string& serial = own.serial.empty() ? own.board_serial : own.serial;
  const auto has_it = [&](const auto& other) {
    const FruText& text = other.second;
    return other.first != fru &&
           (text.serial == serial || text.board_serial == serial || text.chassis_serial == serial);
  };
  return std::any_of(p_.frus.begin(), p_.frus.end(), has_it) ? "" : serial;
}

void Describer::add_common(json& part, const Part& from) {
  json& properties = part["properties"];
  const Sensor& first = *from.reads.front().sensor;
  properties["label"] = label_of(from);
  const auto own = own_fru(from);
  if (const auto text = own ? p_.frus.find(*own) : p_.frus.end(); text != p_.frus.end()) {
    const FruText& f = text->second;
    set(properties, "manufacturer", f.manufacturer.empty() ? f.board_manufacturer : f.manufacturer);
    set(properties, "model", f.product.empty() ? f.board : f.product);
    set(properties, "part_number", f.part_number.empty() ? f.board_part_number : f.part_number);
    set(properties, "serial", own_serial(*own));
  }
  for (const Read& read : from.reads)
    if (const chassis::Fru* fru =
            chassis::find_fru(p_.owners.descriptions, from.type, "ipmi", read.sensor->name))
      chassis::describe(*fru, properties);
  const std::string box = make_fmri("hc", {{"chassis", p_.system}});
  properties["enclosure"] = box;
  properties["observed_by"] = "bmc";
  if (properties["status"] != "unknown" && properties["status"] != "not installed")
    remembered_.parts.insert(kInstalled, from.fmri);
  if (remembered_.parts.contains(kInstalled, from.fmri)) properties["was_installed"] = true;
  const std::string status = properties["status"];
  const bool taken_out = status == "not installed" && properties.contains("was_installed");
  if (status == "critical" || status == "non-critical" || taken_out) {
    if (first.part.id == (from.type == "psu" ? entity::kPowerSupply : entity::kFan))
      bad_[first.part] = properties["label"];
    if (from.type == "fan") bad_fan_ = properties["label"];
    if (from.type == "psu") bad_supply_ = true;
  }
  add_to(box, "enclosure", from.fmri);
  into_[from.fmri] = std::move(part);
}

void Describer::add_supply(const Part& part) {
  json supply = resource(part.fmri, "psu");
  json& properties = supply["properties"];
  int states = 0, readable = 0;
  bool known = false;
  std::string text;
  Verdict worst = Verdict::nominal;  // of states not handled below
  for (const Read& read : part.reads) {
    known = known || (read.judged.known && is_understood(*read.sensor));
    const bool own = read.sensor->reading_type == code::kSpecific;
    if (!own || !(read.judged.states & (kInputLost | kInputOdd | kMismatch)))
      worst = std::max(worst, verdict_of(read));
    if (reports_no_input(read)) states |= kInputLost;
    if (!read.judged.text.empty()) text += (text.empty() ? "" : ", ") + read.judged.text;
    if (!own) continue;
    states |= read.judged.states;
    readable |= read.sensor->readable;
  }
  const bool empty = (readable & kPresent) != 0 && !(states & kPresent) && !(states & ~kStandby);
  const char* status = "OK";
  if (!known)
    status = "unknown";
  else if (empty || worst == Verdict::absent)
    status = "not installed";
  else if (states & kInputLost)  // the supply then also reports failure, but is rarely broken
    status = "non-critical";
  else if (states & kFailed || worst >= Verdict::critical)
    status = "critical";
  else if (states & (kInputOdd | kMismatch) || worst >= Verdict::warning)
    status = "non-critical";
  properties["status"] = status;
  if (known && !empty) {
    properties["ac"] = states & kInputLost ? "lost" : states & kInputOdd ? "out of range" : "ok";
    properties["predicted"] = (states & kPredicted) != 0;
    properties["mismatch"] = (states & kMismatch) != 0;
    properties["standby"] = (states & kStandby) != 0;
  }
  set(properties, "reason", text);
  add_common(supply, part);
}

void Describer::add_fan(const Part& part) {
  json fan = resource(part.fmri, "fan");
  json& properties = fan["properties"];
  bool known = false, empty = false, stopped = false, low = false, odd = false;
  std::string text;
  for (const Read& read : part.reads) {
    if (!read.judged.known || !is_understood(*read.sensor)) continue;
    known = true;
    const Sensor& sensor = *read.sensor;
    empty = empty || read.judged.verdict == Verdict::absent;
    if (sensor.reading_type != code::kThreshold) {
      low = low || verdict_of(read) >= Verdict::critical;
    } else {
      low = low || (read.judged.states & 0x06) != 0;
      const std::string own = sensor_fmri(p_.system, sensor.number);
      const bool still = read.judged.still;
      if (!still) remembered_.parts.insert(kTurned, own);
      const bool turned = remembered_.parts.contains(kTurned, own);
      stopped = stopped || (still && turned);
      // It is unknown whether the fan exists.
      if (still && !turned && sensor.compares == 0) known = false;
    }
    odd = odd || is_bad(verdict_of(read));
    if (!read.judged.text.empty()) text += (text.empty() ? "" : ", ") + read.judged.text;
  }
  if (stopped) text = text.empty() ? "stopped" : "stopped, " + text;
  properties["status"] = !known           ? "unknown"
                         : empty          ? "not installed"
                         : low || stopped ? "critical"
                         : odd            ? "non-critical"
                                          : "OK";
  set(properties, "reason", text);
  add_common(fan, part);
}

// All supplies together: whether one may fail, and whether the room or a single feed has failed.
void Describer::add_power() {
  int supplies = 0, without = 0;
  for (const auto& [fmri, one] : into_) {
    if (one["type"] != "psu" || !one["properties"].contains("ac")) continue;
    ++supplies;
    if (one["properties"]["ac"] == "lost") ++without;
  }
  const bool all = supplies > 1 && without == supplies;
  without_input_ = without > 0;
  for (auto& [fmri, one] : into_)
    if (one["type"] == "psu" && one["properties"].contains("ac"))
      one["properties"]["feed"] = all ? "all" : "own";
  const Read* redundancy = nullptr;  // the worst of several
  for (const Read& read : reads_)
    if (read.sensor->reading_type == code::kRedundancy && !read.sensor->event_only &&
        (read.sensor->type == code::kPowerSupply || read.sensor->type == code::kPowerUnit) &&
        (!redundancy || worse(read.judged, redundancy->judged)))
      redundancy = &read;
  if (supplies == 0 && !redundancy) return;
  const std::string fmri = make_fmri("hc", {{"system", p_.system}, {"power", "0"}});
  json power = resource(fmri, "power");
  json& properties = power["properties"];
  properties["label"] = redundancy ? redundancy->sensor->name : "power supplies";
  properties["supplies"] = supplies;
  properties["supplies_without_input"] = without;
  properties["input"] = all ? "none" : without > 0 ? "some" : supplies > 0 ? "ok" : "unknown";
  if (redundancy) {
    const Judged& judged = redundancy->judged;
    properties["redundancy"] = !judged.known                         ? "unknown"
                               : judged.verdict >= Verdict::critical ? "lost"
                               : judged.verdict == Verdict::warning  ? "degraded"
                                                                     : "full";
    set(properties, "reason", judged.text);
  }
  properties["explained"] = bad_supply_;
  add_to(make_fmri("hc", {{"system", p_.system}}), "system", fmri);
  into_[fmri] = std::move(power);
}

// Label of the part whose failure caused this; "" if none. A non-recoverable temperature is always
// reported.
std::string Describer::explained_by(const Read& read) {
  const auto own = bad_.find(read.sensor->part);
  if (own != bad_.end()) return own->second;
  const std::string kind = kind_of(*read.sensor);
  if (kind == "temperature" && read.judged.verdict < Verdict::non_recoverable)
    return remembered_.failed_fan.to_blame(bad_fan_, p_.now);
  if (kind == "redundancy" &&
      (read.sensor->type == code::kFan || read.sensor->type == code::kCooling))
    return bad_fan_;
  // The power supplies report "AC lost" themselves.
  if (kind == "state" && read.sensor->type == code::kPowerUnit && without_input_)
    return "power supplies";
  return {};
}

void Describer::add_sensors() {
  const std::string system = make_fmri("hc", {{"system", p_.system}});
  for (const Read& read : reads_) {
    const Sensor& sensor = *read.sensor;
    const auto own = sensor.ours ? part_of_.find(sensor.number) : part_of_.end();
    std::string part = own == part_of_.end() ? "" : own->second, holder = system;
    const char* holder_type = "system";
    // A sensor of a module or processor belongs to that part, which is what gets replaced.
    if (const std::string owner = p_.owners.of(sensor, p_.sdr); !owner.empty()) {
      part = holder = owner;
      holder_type = sensor.type == code::kMemory ? "dimm" : "cpu";
    }
    json one = sensor_resource(p_, read, explained_by(read), part);
    const std::string fmri = one["fmri"];
    into_[fmri] = std::move(one);
    add_to(holder, holder_type, fmri);
  }
}

void Describer::add_bmc() {
  const std::string fmri = bmc_fmri(p_.system);
  json bmc = resource(fmri, "bmc");
  json& properties = bmc["properties"];
  properties["label"] = "BMC";
  properties["state"] = p_.bmc.state;
  set(properties, "reason", p_.bmc.reason);
  set(properties, "firmware", p_.bmc.firmware);
  properties["manufacturer_id"] = p_.bmc.who.manufacturer;
  properties["product_id"] = p_.bmc.who.product;
  if (p_.bmc.log) {
    properties["log_entries"] = p_.bmc.log->entries;
    properties["log_used_percent"] = static_cast<int>(p_.bmc.log->used_percent());
    properties["log_overflow"] = p_.bmc.log->overflow;
  }
  add_to(make_fmri("hc", {{"system", p_.system}}), "system", fmri);
  into_[fmri] = std::move(bmc);
}

// All readings of these parts depend on the BMC. Sensors without a level are only logged.
void Describer::lead_to_all() {
  json& bmc = into_[bmc_fmri(p_.system)];
  for (const auto& [fmri, one] : into_) {
    const std::string type = one["type"];
    if (type == "fan" || type == "psu" || (type == "sensor" && one["properties"].contains("level")))
      bmc["edges"].push_back(sdk::edge("path", fmri));
  }
}

Resources Describer::all() {
  read_all();
  add_bmc();
  gather();
  add_power();
  add_sensors();
  lead_to_all();
  add_boards(p_, into_);
  add_bays(p_, into_);
  const std::string system = make_fmri("hc", {{"system", p_.system}});
  if (const auto own = into_.find(system); own != into_.end())
    p_.identify.add_properties(own->second["properties"]);
  return std::move(into_);
}

}  // namespace

std::string bmc_fmri(const std::string& system) {
  return make_fmri("hc", {{"system", system}, {"bmc", "0"}});
}

Resources describe(const Picture& picture, Remembered& remembered) {
  return Describer(picture, remembered).all();
}

}  // namespace fmd::ipmi
