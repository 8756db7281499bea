// Host: a machine of one of twelve shapes, as its plugins describe it: controllers, expanders,
// shelves, disks and pools, power supplies, fans, sensors, memory modules, processors. Changes are
// inventory updates (set, remove, put_back); events come from Play. Contains no diagnosis.
#pragma once
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "fmd/model/inventory.h"

namespace fmd::score {

constexpr int kMostParts = 200;  // of each kind
constexpr int64_t kMs = 1'000'000, kSec = 1000 * kMs, kMin = 60 * kSec, kHour = 60 * kMin;

enum class Teller { disk, system, enclosure, zfs, smart, cpu, ipmi };
const char* teller_name(Teller teller);

inline Value text(std::string value) {
  return Value(std::move(value));
}
inline Value number(int64_t value) {
  return Value(value);
}

struct Disk {
  std::string fmri, serial, bay, vdev;
  std::vector<std::string> paths;  // one per controller that leads to it
  std::string map;                 // the multipath device, if it has several paths
  int pool = 0;
  bool spare = false, nvme = false;
  std::vector<int> hubs;  // all hubs above it, the nearest first
};

enum class HubKind { controller, expander, bridge };

struct Hub {
  HubKind kind;
  std::string fmri;
  int above = -1;          // index of a hub
  int way = 0;             // number of its controller
  std::vector<int> disks;  // behind it, directly or indirectly
};

struct ShapeSpec {
  const char* name;
  int controllers, chain;  // expanders in a row behind each; 0: disks are plugged in directly
  int disks;               // at each end: controller or expander
  bool multipath = false;  // all controllers lead to the same disks
  bool nvme = false;
  int group = 6, spares = 1;  // disks of a raidz2, and spares of a pool
  int modules = 8, processors = 1;
  int last = 0;           // disks at the last end; 0: as many as elsewhere
  bool is_blind = false;  // nothing says how its disks are connected, as in a virtual machine
};
const std::vector<ShapeSpec>& shapes();

enum class Bays { tell, silent, none };  // silent: none says whether it is empty

struct HostForm {
  Bays bays = Bays::tell;
  int pools = 1;  // the redundancy groups are spread over so many
};

enum class Variant {
  plain,
  relabelled,  // parts have other numbers and so another order
  bystanders,  // one more controller, whose disks stay healthy
};

class Host {
 public:
  explicit Host(const ShapeSpec& spec, Variant variant = Variant::plain, HostForm form = {});

  const ShapeSpec& spec;
  std::vector<Disk> disks;
  std::vector<Hub> hubs;
  std::vector<std::string> shelves, supplies, fans, sensors, modules, channels, processors, cores,
      phys, board_sensors, board_fans;
  std::string bmc;

  // All parts, in an order that does not depend on their labels.
  const std::vector<std::string>& fmris() const { return fmris_; }
  // The initial inventory of each plugin.
  std::vector<InventoryUpdate> all() const;
  InventoryUpdate set(Teller teller, const std::string& fmri, std::string_view property,
                      Value value);
  InventoryUpdate remove(Teller teller, const std::string& fmri);    // absent now
  InventoryUpdate put_back(Teller teller, const std::string& fmri);  // unchanged
  // A spare is used or returned. Updates each vdev's number of free spares. Empty: none is free.
  std::optional<InventoryUpdate> bring_spare(const std::string& vdev, const std::string& key);
  InventoryUpdate return_spare(const std::string& vdev);
  const Resource& told(Teller teller, const std::string& fmri) const {
    return told_.at(teller).at(fmri);
  }

 private:
  Resource& add(Teller teller, const std::string& fmri, const char* type);
  InventoryUpdate tell_spares();
  void add_hub(HubKind kind, int above);
  void add_disk(int shelf, std::vector<int> hubs);
  // For a part's label; `at` is its number in build order.
  int number_of(int at) const { return variant_ == Variant::relabelled ? kMostParts - at : at; }
  void build_paths();
  void build_pools();
  void build_shelves();
  void build_phys();
  void build_board();
  void build_bmc();
  void build_bystanders();

  std::map<Teller, std::map<std::string, Resource>> told_;
  std::vector<std::string> fmris_;
  std::map<std::string, std::string> standing_in_;  // vdev → its spare in use
  int next_way_ = 0;
  Variant variant_;
  HostForm form_;
};

}  // namespace fmd::score
