// Ereport: what is told of a finding, but where: against the disk where its medium or hardware is meant, else against
// the path. Pure.
#pragma once
#include <string>

#include "fmd/base/json.h"
#include "plugins/disk/episodes.h"

namespace fmd::disk {

struct Ereport {
  std::string event_class;
  bool of_disk = false;  // else of the path
  nlohmann::json payload = nlohmann::json::object();
};
// several: the disk has other paths beside this one.
Ereport ereport_of(const Finding& finding, bool several);

}  // namespace fmd::disk
