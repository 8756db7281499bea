// The state of one part of a picture, from the inventory and the open cases. Pure.
#pragma once
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "fmd/scene/scene.h"

namespace fmd::scene {

// Which open cases accuse what.
class Accusations {
 public:
  Accusations(const std::vector<const Case*>& cases, const Inventory& inventory);
  // About that part itself, by FRU, ASRU or resource; gravest first.
  std::vector<const Case*> of(std::string_view fmri) const;
  // About a disk that was in that bay and is nowhere else now.
  std::vector<const Case*> in_bay(std::string_view bay) const;

 private:
  std::map<std::string, std::vector<const Case*>, std::less<>> by_part_, by_bay_;
};

struct PoolTrouble;
using Fmris = std::set<std::string, std::less<>>;

struct View {
  const Inventory& inventory;
  const Accusations& accusations;
  const Fmris& filled;      // vdevs that data is copied to now
  const Fmris& with_disks;  // enclosures of which some bay shows its disk
  const std::map<std::string, PoolTrouble, std::less<>>& troubles;  // pool_trouble.h
};

PartState state_of(const Case& c);  // by its severity
// Of that bay: its FMRI; "" unknown.
std::string enclosure_of(const Inventory& inventory, const Resource& bay);
Fmris enclosures_with_disks(const Inventory& inventory);

// True if the vdev is an idle spare. A spare in use has the role "spare" as well.
bool is_idle_spare(const Resource& vdev);
Fmris filled_vdevs(const Inventory& inventory);

// Fills in everything but the box.
Part describe(const View& view, const Resource& part, PartKind kind);

}  // namespace fmd::scene
