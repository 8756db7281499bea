// Ereport: class and payload for a finding. Blames the disk for medium and hardware errors,
// otherwise the path. Pure.
#pragma once
#include <string>

#include "fmd/base/json.h"
#include "plugins/disk/episodes.h"

namespace fmd::disk {

struct Ereport {
  std::string event_class;
  bool of_disk = false;  // otherwise of the path
  nlohmann::json payload = nlohmann::json::object();
};
// several: the disk has other paths.
Ereport ereport_of(const Finding& finding, bool several);

}  // namespace fmd::disk
