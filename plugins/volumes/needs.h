// Needs: which storage this machine mounts at boot, by /etc/fstab and mount units, and which
// devices are on removable media. An unplugged backup disk is not a fault: storage on such media is
// reported missing only if it is mounted at boot. read_needs() runs in the child process that
// scans; everything else is pure.
#pragma once
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <set>
#include <string>
#include <vector>

#include "plugins/sdk/host.h"

namespace fmd::volumes {

using Specs = std::set<std::string>;  // device names as in fstab(5): "UUID=…", "/dev/disk/by-id/…"

struct Needs {
  Specs required;  // mounted at boot: entries without noauto, nofail and automount
  // Kernel device name → the required specs that currently resolve to it.
  std::map<std::string, Specs> leads;
  std::set<std::string> removable;  // kernel device names
  bool operator==(const Needs&) const = default;

  // The required specs that resolve to the device or to a partition of it.
  Specs of(const std::string& device) const;
  bool any_of(const Specs& specs) const;  // whether one of them is still required
  // Whether storage is reported when absent. specs, was_removable: as noted while it was present.
  bool misses(const Specs& specs, bool was_removable) const;
};
nlohmann::json to_json(const Needs& needs);
Needs needs_from_json(const nlohmann::json& doc);

// devices: kernel device names to check for removable media.
Needs read_needs(const sdk::Host& host, const std::vector<std::string>& devices);
// text: of /etc/fstab.
Specs required_in_fstab(std::string text);
// text: of a mount unit. "" if its options contain noauto or nofail, or it has no What=.
std::string required_in_unit(const std::string& text);

}  // namespace fmd::volumes
