#include "plugins/enclosure/enclosure_scan.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <optional>

#include "fmd/base/json.h"
#include "plugins/hardware/disk_identity.h"
#include "plugins/hardware/pci_address.h"
#include "plugins/sdk/plugin.h"

namespace fmd::enclosure {

using nlohmann::json;

std::string trim(std::string text) {
  while (!text.empty() && (text.back() == ' ' || text.back() == '\n')) text.pop_back();
  text.erase(0, std::min(text.find_first_not_of(' '), text.size()));
  return text;
}

std::optional<int> to_number(const std::string& text) {
  int number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size() || number < 0) return std::nullopt;
  return number;
}

namespace {

std::string read(const sdk::Host& host, const std::string& file) {
  auto text = host.read(file);
  return text ? trim(*text) : std::string();
}

bool is_nobodys(const std::string& id) {
  return id.find_first_not_of("0x") == std::string::npos;
}

// The id of an enclosure without a logical id: its device's name, or its SCSI path without the host
// number, which differs between boots: "pci-0000:01:00.0-0:8:0".
std::string fallback_id(const sdk::Host& host, const std::string& name) {
  const std::string device = std::string(kFolder) + "/" + name + "/device";
  std::string wwid = read(host, device + "/wwid");
  if (const size_t dot = wwid.find('.'); dot != wwid.npos) wwid.erase(0, dot + 1);
  if (!wwid.empty() && !is_nobodys(wwid)) return wwid;
  const auto real = host.resolve(device);
  if (!real) return name;
  const std::string bus = hardware::pci_address_in(*real),
                    last = real->substr(real->rfind('/') + 1);
  if (bus.empty()) return last;
  const size_t host_end = last.find(':');
  return "pci-" + bus + (host_end == last.npos ? "" : "-" + last.substr(host_end + 1));
}

std::string sas_address_of(const sdk::Host& host, const std::string& name) {
  std::string address = read(host, std::string(kFolder) + "/" + name + "/device/sas_address");
  if (address.starts_with("0x")) address.erase(0, 2);
  return is_nobodys(address) ? "" : address;
}

bool is_bay(const sdk::Host& host, const std::string& folder) {
  const std::string type = read(host, folder + "/type");
  return type == "device" || type == "array device" ||
         (type.empty() && host.exists(folder + "/slot"));
}

// SES status of an element that is present, even if the system does not see its disk.
bool says_occupied(const std::string& status) {
  return status == "OK" || status == "critical" || status == "non-critical" ||
         status == "unrecoverable";
}

// The disk is identified again only if it was unknown or its diskseq has changed.
void link_disks(const sdk::Host& host, const std::string& folder, Bay& bay) {
  const auto diskseq_of = [&](const std::string& block) {
    return read(host, folder + "/device/block/" + block + "/diskseq");
  };
  bay.occupied = true;
  if (!bay.diskseq.empty() && diskseq_of(bay.device) == bay.diskseq) return;
  const auto blocks = host.list(folder + "/device/block");
  bay.occupied = blocks || host.exists(folder + "/device") || says_occupied(bay.status);
  bay.disks.clear();
  bay.device.clear();
  bay.diskseq.clear();
  if (!blocks) return;
  add_disks(host, *blocks, bay);
  if (blocks->size() == 1 && bay.device == blocks->front() && !bay.disks.empty())
    bay.diskseq = diskseq_of(bay.device);
}

// Reads the bay's variable properties.
void look_at_bay(const sdk::Host& host, const std::string& folder, Bay& bay) {
  const sdk::Host::Folder files(host, folder);
  bay.status = trim(files.read("status").value_or(""));
  bay.power = trim(files.read("power_status").value_or(""));
  if (bay.power != "on" && bay.power != "off") bay.power.clear();
  for (Light& light : bay.lights)  // the files are named after the indications
    light.value =
        light.there ? to_number(trim(files.read(light.indication).value_or(""))) : std::nullopt;
  link_disks(host, folder, bay);
}

Bay scan_bay(const sdk::Host& host, const std::string& folder, const std::string& component) {
  Bay bay;
  bay.component = component;
  bay.slot = read(host, folder + "/slot");
  if (!to_number(bay.slot)) bay.slot = trim(component);
  for (const char* led : {"fault", "locate"})
    bay.lights.push_back(
        {led, "ses", folder + "/" + led, host.exists(folder + "/" + led), {}, false});
  look_at_bay(host, folder, bay);
  return bay;
}

const Bay* bay_called(const Enclosure& box, const std::string& component) {
  const auto at = std::find_if(box.bays.begin(), box.bays.end(),
                               [&](const Bay& bay) { return bay.component == component; });
  return at == box.bays.end() ? nullptr : &*at;
}

// Some enclosures give several slots the same number.
void make_slots_unique(std::vector<Bay>& bays) {
  std::map<std::string, int> seen;
  for (const auto& bay : bays) ++seen[bay.slot];
  for (auto& bay : bays)
    if (seen[bay.slot] > 1) bay.slot = bay.component;
}

}  // namespace

Light read_light(const sdk::Host& host, std::string indication, std::string method,
                 std::string file) {
  Light light{std::move(indication), std::move(method), std::move(file), false, {}, false};
  light.there = host.exists(light.file);
  if (light.there) light.value = to_number(read(host, light.file));
  return light;
}

void add_disks(const sdk::Host& host, const std::vector<std::string>& blocks, Bay& bay) {
  for (const auto& block : blocks) {
    auto disk = hardware::identify_disk(host, block);
    if (!disk) continue;
    if (bay.device.empty()) bay.device = disk->name;
    if (!disk->fmri.empty() &&
        std::find(bay.disks.begin(), bay.disks.end(), disk->fmri) == bay.disks.end())
      bay.disks.push_back(disk->fmri);
  }
}

namespace {

// The known bays, if the enclosure still has the same ones.
std::optional<std::vector<Bay>> same_bays(const sdk::Host& host, const std::string& folder,
                                          const Enclosure& known) {
  std::vector<Bay> bays;
  for (const auto& name : host.list(folder).value_or(std::vector<std::string>{}))
    if (const Bay* bay = bay_called(known, name))
      bays.push_back(*bay);
    else if (is_bay(host, folder + "/" + name))
      return std::nullopt;
  if (bays.size() != known.bays.size()) return std::nullopt;
  for (Bay& bay : bays) look_at_bay(host, folder + "/" + bay.component, bay);
  return bays;
}

}  // namespace

Enclosure scan_enclosure(const sdk::Host& host, const std::string& name, const Enclosure* known) {
  const std::string folder = std::string(kFolder) + "/" + name;
  Enclosure result;
  result.name = name;
  result.id = read(host, folder + "/id");
  result.own_id = sas_address_of(host, name);
  if (result.own_id.empty()) result.own_id = fallback_id(host, name);
  if (is_nobodys(result.id)) result.id = fallback_id(host, name);
  result.logical_id = result.id;
  const std::string device = folder + "/device";
  result.facts = {{"ses_id", result.id}, {"ses_name", name}};
  for (auto [key, file] :
       {std::pair{"ses_vendor", "/vendor"}, {"ses_product", "/model"}, {"ses_revision", "/rev"}})
    if (std::string text = read(host, device + file); !text.empty()) result.facts[key] = text;
  result.label = trim(read(host, device + "/vendor") + " " + read(host, device + "/model"));
  if (result.label.empty()) result.label = name;
  result.components = to_number(read(host, folder + "/components")).value_or(0);
  if (auto sg = host.list(device + "/scsi_generic"); sg && !sg->empty()) result.sg = sg->front();
  const bool same = known && known->logical_id == result.logical_id &&
                    known->own_id == result.own_id && known->label == result.label;
  auto bays = same ? same_bays(host, folder, *known) : std::nullopt;
  if (bays) {
    result.bays = std::move(*bays);
  } else {
    if (auto components = host.list(folder))
      for (const auto& component : *components)
        if (const std::string at = folder + "/" + component; is_bay(host, at))
          result.bays.push_back(scan_bay(host, at, component));
    make_slots_unique(result.bays);
  }
  result.facts["ses_slots"] = std::to_string(result.bays.size());
  return result;
}

void look_for_disks(const sdk::Host& host, Enclosure& box) {
  for (auto& bay : box.bays)
    link_disks(host, std::string(kFolder) + "/" + box.name + "/" + bay.component, bay);
}

bool is_as_scanned(const sdk::Host& host, const Enclosure& box) {
  const std::string folder = std::string(kFolder) + "/" + box.name;
  size_t bays = 0;
  for (const auto& name : host.list(folder).value_or(std::vector<std::string>{}))
    if (bay_called(box, name))
      ++bays;
    else if (is_bay(host, folder + "/" + name))
      return false;
  const auto sg = host.list(folder + "/device/scsi_generic");
  return bays == box.bays.size() && sg && !sg->empty() && sg->front() == box.sg;
}

bool take_slots(Enclosure& box, const std::vector<Slot>& slots) {
  std::map<std::string, const Slot*> by_name;
  for (const Slot& slot : slots) by_name[slot.component] = &slot;
  if (slots.size() != box.bays.size()) return false;
  for (const Bay& bay : box.bays)
    if (!by_name.contains(bay.component)) return false;
  for (Bay& bay : box.bays) {
    const Slot& slot = *by_name[bay.component];
    bay.status = slot.status;
    bay.power = slot.power ? "on" : "off";
    bay.occupied = !bay.device.empty() || !bay.disks.empty() || says_occupied(bay.status);
    for (Light& light : bay.lights)
      if (light.method == "ses" && light.there)
        light.value = light.indication == "fault" ? slot.fault : slot.locate;
  }
  return true;
}

void take_disks(Enclosure& box, const Enclosure& seen) {
  for (auto& bay : box.bays) {
    const auto now = std::find_if(seen.bays.begin(), seen.bays.end(),
                                  [&](const Bay& one) { return one.slot == bay.slot; });
    if (now == seen.bays.end()) continue;
    bay.disks = now->disks;
    bay.device = now->device;
    bay.diskseq = now->diskseq;
    bay.occupied = now->occupied;
  }
}

// CBOR and not JSON text: names may contain any byte.
std::string to_bytes(const Enclosure& enclosure) {
  json bays = json::array();
  for (const auto& bay : enclosure.bays) {
    json lights = json::array();
    for (const auto& light : bay.lights)
      lights.push_back({light.indication, light.method, light.file, light.there,
                        light.value ? json(*light.value) : json(), light.raw});
    bays.push_back({bay.component, bay.slot, bay.status, bay.power, bay.occupied, bay.disks,
                    bay.device, lights, bay.label, bay.diskseq});
  }
  const auto bytes = json::to_cbor(json{{"name", enclosure.name},
                                        {"id", enclosure.id},
                                        {"label", enclosure.label},
                                        {"components", enclosure.components},
                                        {"sg", enclosure.sg},
                                        {"facts", enclosure.facts},
                                        {"bays", bays},
                                        {"logical_id", enclosure.logical_id},
                                        {"own_id", enclosure.own_id}});
  return std::string(bytes.begin(), bytes.end());
}

Result<Enclosure> from_bytes(const std::string& bytes) {
  const json doc = json::from_cbor(bytes, true, false);
  if (!doc.is_object() || !doc.contains("bays")) return fail("the enclosure's scan broke off");
  Enclosure result{doc["name"],  doc["id"],
                   doc["label"], doc["components"],
                   doc["sg"],    doc["facts"].get<chassis::Facts>(),
                   {},           doc["logical_id"],
                   doc["own_id"]};
  for (const auto& b : doc["bays"]) {
    Bay bay{b[0], b[1], b[2], b[3], b[4], b[5].get<std::vector<std::string>>(),
            b[6], b[9], {},   b[8]};
    for (const auto& l : b[7])
      bay.lights.push_back(
          {l[0], l[1], l[2], l[3],
           l[4].is_number_integer() ? std::optional<int>(l[4].get<int>()) : std::nullopt, l[5]});
    result.bays.push_back(std::move(bay));
  }
  return result;
}

}  // namespace fmd::enclosure
