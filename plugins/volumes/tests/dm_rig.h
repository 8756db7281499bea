// A sysfs tree of device-mapper: a multipath map of disk 1 by two paths, and maps that a test adds.
#pragma once
#include <map>
#include <string>
#include <vector>

#include "plugins/volumes/dm_model.h"
#include "plugins/volumes/tests/md_rig.h"

namespace fmd::volumes::testing {

class DmTest : public ::testing::Test {
 protected:
  Loop loop_;
  MdTree t_;
  sdk::Host host_{loop_, t_.tree.root(), ""};
  MostPaths most_;
  std::vector<DmMap> known_;

  void SetUp() override {
    t_.plug(1);
    t_.plug(2);
    for (const int number : {1, 2}) {
      const std::string block =
          "/sys/devices/pci0000:00/host0/0:0:" + std::to_string(number) + ":0/";
      t_.tree.file(block + "wwid", "naa." + wwn_of(1) + "\n");  // one disk, two paths
      t_.tree.file(block + "block/" + MdTree::name_of(number) + "/dev",
                   "8:" + std::to_string(16 * number) + "\n");
      t_.tree.link("/dev/disk/by-path/pci-0000:0" + std::to_string(number) + ":00.0-sas",
                   "../../" + MdTree::name_of(number));
    }
    map("dm-0", "mpatha", "mpath-3" + wwn_of(1), {"sdb", "sdc"});
  }
  // The plugin scans only on request or on an event.
  Options rare_looks() const {
    Options options;
    options.rescan = 1h;
    options.state_file = t_.tree.root() + "/memory.json";
    return options;
  }
  void map(const std::string& device, const std::string& name, const std::string& uuid,
           const std::vector<std::string>& slaves) {
    const std::string folder = "/sys/devices/virtual/block/" + device;
    t_.tree.remove(folder);
    t_.tree.file(folder + "/dm/name", name + "\n");
    t_.tree.file(folder + "/dm/uuid", uuid + "\n");
    t_.tree.file(folder + "/size", "131072\n");
    t_.tree.folder(folder + "/slaves");
    for (const std::string& slave : slaves)
      t_.tree.link(folder + "/slaves/" + slave, "/sys/class/block/" + slave);
    t_.tree.link("/sys/block/" + device, folder);
    t_.tree.link("/sys/class/block/" + device, folder);
  }
  std::map<std::string, json> look(const char* status) {
    const auto maps = dm_from_json(to_json(scan_dm(host_, known_)));
    known_ = maps;
    note_paths(maps, most_);
    const DmStatus told = parse_dm_status(status ? status : "");
    return dm_resources(maps, status ? &told : nullptr, most_);
  }
  static json properties(const std::map<std::string, json>& all, const std::string& fmri) {
    const auto at = all.find(fmri);
    return at == all.end() ? json() : at->second["properties"];
  }
  const std::string map_ = "dm://uuid=mpath-3" + wwn_of(1);
};

}  // namespace fmd::volumes::testing
