#include "bmc_text.h"

#include <fmt/format.h>

#include <fstream>
#include <sstream>
#include <stdexcept>
#include <vector>

#include "fmd/base/json.h"
#include "fmd/model/inventory.h"
#include "plugins/ipmi/raw.h"
#include "plugins/ipmi/sel.h"
#include "plugins/ipmi/sensor_resource.h"
#include "plugins/ipmi/watch.h"

namespace fmd::score {
namespace {

using ipmi::Sensor;
using ipmi::Verdict;

constexpr const char* kSystem = "host";

// Output of ipmitool 1.8.19 for `-v exec` (plugins/ipmi/tests/raw_test.cpp): requests on stderr,
// answers on stdout. A fan at 200 rpm was " 02 c0 07 00"; 3120 of the log's 3200 bytes were free.
std::string sensor_sent(int number) {
  return fmt::format(
      "RAW REQ (channel=0x0 netfn=0x4 lun=0x0 cmd=0x2d data_len=1)\n"
      "RAW REQUEST (1 bytes)\n {:02x}\nRAW RSP (4 bytes)\n",
      number);
}
std::string sensor_answered(int raw, int crossed) {
  return fmt::format(" {:02x} c0 {:02x} 00\n", raw, crossed);
}
constexpr const char* kLogSent =
    "RAW REQ (channel=0x0 netfn=0xa lun=0x0 cmd=0x40 data_len=0)\nRAW RSP (14 bytes)\n";
std::string log_answered(int entries, int free) {
  return fmt::format(" 51 {:02x} {:02x} {:02x} {:02x} 16 3d 00 00 00 00 00 00 0a\n", entries & 0xFF,
                     entries >> 8, free & 0xFF, free >> 8);
}

std::string contents(const std::string& file) {
  std::ifstream in(file, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

// The limits that the value reaches or exceeds, as a BMC compares them.
int crossed(const Sensor& sensor, double value) {
  int bits = 0;
  for (size_t bit = 0; bit < sensor.limits.size(); ++bit) {
    const auto& limit = sensor.limits[bit];
    if (limit && (bit < 3 ? value <= *limit : value >= *limit)) bits |= 1 << bit;
  }
  return bits & sensor.compares;
}

Verdict gravity(int bits) {
  if (bits & 0b100100) return Verdict::non_recoverable;
  if (bits & 0b010010) return Verdict::critical;
  return bits ? Verdict::warning : Verdict::nominal;
}

// The middle one of the raw values with this verdict.
int raw_for(const Sensor& sensor, Verdict is) {
  std::vector<int> so;
  for (int raw = 0; raw <= 0xFF; ++raw)
    if (const auto value = sensor.value(raw); value && gravity(crossed(sensor, *value)) == is)
      so.push_back(raw);
  if (so.empty()) throw std::logic_error(sensor.name + ": has no such limit");
  return so[so.size() / 2];
}

// Properties without a value become "", so that earlier values are removed.
Properties only(const ipmi::Resources& all, const std::string& fmri,
                std::initializer_list<const char*> names) {
  const auto read = Inventory::resource_from_json(all.at(fmri));
  if (!read) throw std::logic_error(fmri + ": " + read.error().text());
  Properties out;
  for (const char* name : names) {
    const auto at = read->properties.find(name);
    out[name] = at == read->properties.end() ? Value(std::string()) : at->second;
  }
  return out;
}

}  // namespace

BmcText::BmcText(const std::string& records, const std::string& sensor_types)
    : sdr_(ipmi::parse_sdr(contents(records))) {
  auto meaning = ipmi::Meaning::parse({{sensor_types, contents(sensor_types)}}, {});
  if (sdr_.broken || sdr_.sensors.empty() || !meaning)
    throw std::runtime_error(records + ": no recorded sensors");
  meaning_ = std::move(*meaning);
}

const BmcText& BmcText::recorded() {
  static const BmcText text(FMD_TREE "/simulator/bmc/small-server.sdr",
                            FMD_TREE "/plugins/ipmi/sensor_types.toml");
  return text;
}

const Sensor& BmcText::find(std::string_view label, std::string_view kind) const {
  const Sensor* found = nullptr;
  for (const Sensor& one : sdr_.sensors)
    if (ipmi::kind_of(one) == kind && (!found || one.name == label)) found = &one;
  if (!found) throw std::logic_error("no sensor of this kind is recorded: " + std::string(kind));
  return *found;
}

ipmi::Resources BmcText::all(const ipmi::BmcFacts& facts, const ipmi::Watch& watch) const {
  const std::map<int, ipmi::FruText> frus;
  const ipmi::Owners owners;
  const ipmi::Identify identify;
  ipmi::Remembered remembered;
  return ipmi::describe({kSystem, facts, sdr_, watch, meaning_, frus, owners, identify},
                        remembered);
}

ipmi::Resources BmcText::with(const Sensor& sensor, Verdict is) const {
  const int raw = raw_for(sensor, is);
  const auto answers = ipmi::parse_answers(
      {ipmi::request::sensor_reading(sensor.number)},
      sensor_answered(raw, crossed(sensor, *sensor.value(raw))), sensor_sent(sensor.number));
  ipmi::Watch watch;
  for (int looks = 0; looks < 2; ++looks)  // a single reading is not trusted
    watch.take(sensor.number, ipmi::parse_reading(sensor, answers.at(0)));
  return all({}, watch);
}

Properties BmcText::sensor(std::string_view label, std::string_view kind, Verdict is) const {
  const Sensor& one = find(label, kind);
  return only(with(one, is), ipmi::sensor_fmri(kSystem, one),
              {"level", "status", "condition", "reason"});
}

Properties BmcText::fan(std::string_view label, Verdict is) const {
  const Sensor& one = find(label, "fan");
  const ipmi::Resources all = with(one, is);
  const std::string part = all.at(ipmi::sensor_fmri(kSystem, one)).at("properties").at("part");
  return only(all, part, {"status", "reason"});
}

Properties BmcText::log(int percent) const {
  const int entries = 2 * percent, free = 3200 - 16 * entries;
  const auto answers =
      ipmi::parse_answers({ipmi::request::sel_info()}, log_answered(entries, free), kLogSent);
  ipmi::BmcFacts facts;
  if (const auto& data = answers.at(0).data) facts.log = ipmi::SelInfo::parse(*data);
  return only(all(facts, {}), ipmi::bmc_fmri(kSystem), {"log_used_percent", "log_overflow"});
}

}  // namespace fmd::score
