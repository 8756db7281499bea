#include "plugins/ipmi/owners.h"

#include <algorithm>

#include "fmd/chassis/properties.h"
#include "fmd/model/fmri.h"
#include "plugins/hardware/processor_names.h"
#include "plugins/ipmi/meaning.h"

namespace fmd::ipmi {
namespace {

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

// By name; else by its position among the processor sensors, which BMCs count from 0 or from 1.
std::string Owners::processor_of(const Sensor* sensor, const Sdr& sdr) const {
  const auto called = hardware::processor_called(sensor ? sensor->name : "", processors);
  if (called) return socket(*called);
  if (!sensor) return {};
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

std::string Owners::of(const Sensor& sensor, const Sdr& sdr) const {
  if (sensor.type == code::kMemory) return module_of(sensor.name, {});
  return sensor.type == code::kProcessor ? processor_of(&sensor, sdr) : std::string();
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
