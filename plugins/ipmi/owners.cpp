#include "plugins/ipmi/owners.h"

#include <algorithm>

#include "fmd/chassis/properties.h"
#include "fmd/model/fmri.h"
#include "plugins/ipmi/meaning.h"

namespace fmd::ipmi {
namespace {

std::string plain(std::string_view name) {
  std::string out;
  for (const char c : name) {
    if (c >= 'A' && c <= 'Z') out += static_cast<char>(c - 'A' + 'a');
    if ((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9')) out += c;
  }
  return out;
}

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

// "CPU1 Status" is about "CPU1", and not about "CPU 10".
bool speaks_of(const std::string& sensor, const std::string& processor) {
  return !processor.empty() && sensor.starts_with(processor) &&
         !(sensor.size() > processor.size() && is_digit(sensor[processor.size()]) &&
           is_digit(processor.back()));
}

std::string socket(size_t number) {
  return make_fmri("cpu", {{"socket", std::to_string(number)}});
}

}  // namespace

std::string Owners::module_of(const std::string& sensor, const SelEntry& entry) const {
  for (const std::string& name : {sensor + "#" + std::to_string(entry.data3), sensor}) {
    const chassis::Fru* told = chassis::find_fru(descriptions, "dimm", "ipmi", name);
    if (!told) continue;
    for (const std::string& key : {told->key("locator"), told->key("edac"), told->label})
      if (const std::string fmri = dimms.fmri(key); !fmri.empty()) return fmri;
  }
  return dimms.fmri(sensor);
}

// By its name; else by its place among those that have one, which BMCs count from 0 or from 1.
std::string Owners::processor_of(const Sensor* sensor, const Sdr& sdr) const {
  if (processors.size() == 1) return socket(0);
  if (!sensor) return {};
  for (size_t i = 0; i < processors.size(); ++i)
    if (speaks_of(plain(sensor->name), plain(processors[i]))) return socket(i);
  if (sensor->part.id != entity::kProcessor || processors.empty()) return {};
  int first = sensor->part.instance, last = first;
  for (const Sensor& other : sdr.sensors)
    if (other.part.id == entity::kProcessor && other.ours) {
      first = std::min(first, other.part.instance);
      last = std::max(last, other.part.instance);
    }
  if (last - first + 1 != static_cast<int>(processors.size())) return {};
  return socket(static_cast<size_t>(sensor->part.instance - first));
}

const chassis::Bay* Owners::bay(const std::string& sensor) const {
  for (const auto& description : descriptions)
    for (const chassis::Bay& one : description->bays)
      if (!sensor.empty() && one.ipmi == sensor && !one.resolve.empty() &&
          !one.resolve.front().kind.starts_with("ses_"))
        return &one;
  return nullptr;
}

std::string Owners::bay_of(const std::string& sensor) const {
  const chassis::Bay* one = bay(sensor);
  return one ? make_fmri("hc", {{"chassis", system}, {"bay", one->id}}) : std::string();
}

std::string Owners::of(const Sensor* sensor, const SelEntry& entry, const Sdr& sdr) const {
  const std::string name = sensor ? sensor->name : std::string();
  switch (entry.sensor_type) {
    case code::kMemory:
      return module_of(name, entry);
    case code::kProcessor:
      return processor_of(sensor, sdr);
    case code::kDriveSlot:
      return bay_of(name);
    default:
      return {};
  }
}

}  // namespace fmd::ipmi
