#include "plugins/volumes/needs.h"

#include <mntent.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <memory>
#include <sstream>
#include <string_view>
#include <utility>

#include "fmd/base/json.h"

namespace fmd::volumes {
namespace {

constexpr const char* kUnits = "/etc/systemd/system/";
constexpr size_t kMostSpecs = 1000, kLongestLine = 4096;

// fstab also allows UUID="…".
std::string unquoted(std::string text) {
  std::erase(text, '"');
  return text;
}

// Mounted manually or on demand, or not required for boot.
bool is_optional(const mntent& entry) {
  constexpr std::array<const char*, 4> kWords{"noauto", "nofail", "x-systemd.automount",
                                              "comment=systemd.automount"};
  return std::any_of(kWords.begin(), kWords.end(),
                     [&](const char* word) { return hasmntopt(&entry, word) != nullptr; });
}

// Enabled mount units: systemctl links them into the folder of the unit that wants or requires
// them.
void add_units(const sdk::Host& host, Specs& specs) {
  const auto folders = host.list(kUnits);
  if (!folders) return;
  for (const std::string& folder : *folders) {
    if (!folder.ends_with(".wants") && !folder.ends_with(".requires")) continue;
    const auto units = host.list(std::string(kUnits) + folder);
    if (!units) continue;
    for (const std::string& unit : *units) {
      if (!unit.ends_with(".mount") || specs.size() >= kMostSpecs) continue;
      const std::string what = required_in_unit(host.read(std::string(kUnits) + unit).value_or(""));
      if (!what.empty()) specs.insert(what);
    }
  }
}

// The path that a spec names, usually a udev link; "" if it is not a device.
std::string link_of(const std::string& spec) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 5> kKinds{
      {{"UUID=", "by-uuid"},
       {"LABEL=", "by-label"},
       {"PARTUUID=", "by-partuuid"},
       {"PARTLABEL=", "by-partlabel"},
       {"ID=", "by-id"}}};
  for (const auto& [mark, folder] : kKinds)
    if (spec.starts_with(mark))
      return "/dev/disk/" + std::string(folder) + "/" + spec.substr(mark.size());
  return spec.starts_with("/dev/") ? spec : "";
}

// USB, FireWire, and what the kernel calls removable; not a disk in a bay.
bool is_on_removable_media(const sdk::Host& host, const std::string& device) {
  const std::string folder = "/sys/class/block/" + device;
  const std::string path = host.resolve(folder).value_or("");
  for (const char* bus : {"/usb", "/fw"})
    if (path.find(bus) != path.npos) return true;
  return host.read(folder + "/removable").value_or("") == "1" ||
         host.read(folder + "/../removable").value_or("") == "1";
}

}  // namespace

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Needs, required, leads, removable)

Specs Needs::of(const std::string& device) const {
  Specs out;
  for (const auto& [name, specs] : leads) {
    const bool is_part =
        name.starts_with(device) && name.size() > device.size() + 1 && name[device.size()] == 'p';
    if (name == device || is_part) out.insert(specs.begin(), specs.end());
  }
  return out;
}

bool Needs::any_of(const Specs& specs) const {
  return std::any_of(specs.begin(), specs.end(),
                     [this](const std::string& spec) { return required.contains(spec); });
}

bool Needs::misses(const Specs& specs, bool was_removable) const {
  return !was_removable || any_of(specs);
}

nlohmann::json to_json(const Needs& needs) {
  return nlohmann::json(needs);
}

Needs needs_from_json(const nlohmann::json& doc) {
  return doc.get<Needs>();
}

Specs required_in_fstab(std::string text) {
  Specs specs;
  const std::unique_ptr<FILE, int (*)(FILE*)> file(fmemopen(text.data(), text.size(), "r"), fclose);
  mntent entry{};
  std::array<char, kLongestLine> line{};
  while (file && specs.size() < kMostSpecs &&
         getmntent_r(file.get(), &entry, line.data(), static_cast<int>(line.size())))
    if (!is_optional(entry)) specs.insert(unquoted(entry.mnt_fsname));
  return specs;
}

std::string required_in_unit(const std::string& text) {
  constexpr std::string_view kWhat = "What=", kOptions = "Options=";
  std::string what, options;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    while (line.ends_with(' ') || line.ends_with('\r')) line.pop_back();
    if (line.starts_with(kWhat)) what = line.substr(kWhat.size());
    if (line.starts_with(kOptions)) options = line.substr(kOptions.size());
  }
  mntent entry{};
  entry.mnt_opts = options.data();
  return is_optional(entry) ? "" : what;
}

Needs read_needs(const sdk::Host& host, const std::vector<std::string>& devices) {
  Needs needs;
  needs.required = required_in_fstab(host.read("/etc/fstab").value_or(""));
  add_units(host, needs.required);
  for (const std::string& spec : needs.required) {
    const std::string link = link_of(spec);
    if (link.empty()) continue;
    const std::string target = host.read_link(link).value_or(link);
    needs.leads[target.substr(target.rfind('/') + 1)].insert(spec);
  }
  for (const std::string& device : devices)
    if (is_on_removable_media(host, device)) needs.removable.insert(device);
  return needs;
}

}  // namespace fmd::volumes
