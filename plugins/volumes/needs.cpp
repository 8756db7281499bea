#include "plugins/volumes/needs.h"

#include <algorithm>
#include <array>
#include <utility>

#include "fmd/base/json.h"

namespace fmd::volumes {
namespace {

constexpr const char* kUnits = "/etc/systemd/system/";
constexpr size_t kMostSpecs = 1000;

std::string_view next_field(std::string_view& line) {
  constexpr std::string_view kBlanks = " \t\r";
  const size_t from = std::min(line.find_first_not_of(kBlanks), line.size());
  const size_t to = std::min(line.find_first_of(kBlanks, from), line.size());
  const std::string_view field = line.substr(from, to - from);
  line.remove_prefix(to);
  return field;
}

// fstab writes a blank as "\040", and may quote a name: UUID="…".
std::string unescaped(std::string_view field) {
  std::string out;
  for (size_t i = 0; i < field.size(); ++i) {
    const auto is_octal = [&](size_t at) { return field[at] >= '0' && field[at] <= '7'; };
    if (field[i] == '\\' && i + 3 < field.size() && is_octal(i + 1) && is_octal(i + 2) &&
        is_octal(i + 3)) {
      out += static_cast<char>((field[i + 1] - '0') * 64 + (field[i + 2] - '0') * 8 +
                               (field[i + 3] - '0'));
      i += 3;
    } else if (field[i] != '"') {
      out += field[i];
    }
  }
  return out;
}

// Mounted by hand or on demand, or not waited for.
bool is_optional(std::string_view options) {
  constexpr std::array<std::string_view, 4> kWords{"noauto", "nofail", "x-systemd.automount",
                                                   "comment=systemd.automount"};
  while (!options.empty()) {
    const size_t end = std::min(options.find(','), options.size());
    if (std::find(kWords.begin(), kWords.end(), options.substr(0, end)) != kWords.end())
      return true;
    options.remove_prefix(std::min(end + 1, options.size()));
  }
  return false;
}

template <class Take>
void each_line(std::string_view text, const Take& take) {
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    take(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
}

// Mount units that are switched on: those that another unit's folder wants or requires.
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

// The link of udev's that a spec is.
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

// USB, FireWire, and what the kernel calls removable. Disks in bays of a shelf are not: the machine misses them.
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

nlohmann::json to_json(const Needs& needs) {
  return nlohmann::json(needs);
}

Needs needs_from_json(const nlohmann::json& doc) {
  return doc.get<Needs>();
}

Specs required_in_fstab(std::string_view text) {
  Specs specs;
  each_line(text, [&](std::string_view line) {
    const std::string_view what = next_field(line);
    if (what.empty() || what.front() == '#' || specs.size() >= kMostSpecs) return;
    next_field(line);  // the mount point
    next_field(line);  // the file system's type
    if (!is_optional(next_field(line))) specs.insert(unescaped(what));
  });
  return specs;
}

std::string required_in_unit(std::string_view text) {
  std::string what;
  bool optional = false;
  each_line(text, [&](std::string_view line) {
    constexpr std::string_view kWhat = "What=", kOptions = "Options=";
    while (!line.empty() && (line.back() == ' ' || line.back() == '\r')) line.remove_suffix(1);
    if (line.starts_with(kWhat)) what = line.substr(kWhat.size());
    if (line.starts_with(kOptions)) optional = is_optional(line.substr(kOptions.size()));
  });
  return optional ? "" : what;
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
