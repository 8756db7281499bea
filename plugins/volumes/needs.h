// Needs: the storage that a boot of this machine requires, and the devices on media that people unplug. A disk for backups that
// is not plugged in is no fault: what is on such media, and what is only mounted by hand, is missed only if
// the machine is told to mount it at boot. Read in the child that looks; the rest is pure.
#pragma once
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "plugins/sdk/host.h"

namespace fmd::volumes {

using Specs = std::set<std::string>;  // as in fstab(5): "UUID=…", "/dev/disk/by-id/…"

struct Needs {
  Specs required;  // of fstab and mount units, without noauto, nofail and automount
  std::map<std::string, Specs>
      leads;  // kernel's name of a device → the required ones that lead to it now
  std::set<std::string> removable;  // kernel's names
  bool operator==(const Needs&) const = default;

  // Those that lead to the device, or to a partition of it.
  Specs of(const std::string& device) const;
  bool any_of(const Specs& specs) const;  // whether the machine still requires one of them
};
nlohmann::json to_json(const Needs& needs);
Needs needs_from_json(const nlohmann::json& doc);

// devices: the kernel's names of those that may be removable.
Needs read_needs(const sdk::Host& host, const std::vector<std::string>& devices);
// The required entries of /etc/fstab's text.
Specs required_in_fstab(std::string_view text);
// What= of a mount unit; "" if its options say noauto or nofail.
std::string required_in_unit(std::string_view text);

}  // namespace fmd::volumes
