// The state of one part in a picture, from the inventory and the open cases. Pure.
#pragma once
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "fmd/scene/scene.h"

namespace fmd::scene {

// Finds the open cases that accuse a part.
class Accusations {
 public:
  Accusations(const std::vector<const Case*>& cases, const Inventory& inventory);
  // Cases about the part itself (FRU, ASRU or resource), the gravest first.
  std::vector<const Case*> of(std::string_view fmri) const;
  // Cases about a disk that was in that bay and is nowhere else now.
  std::vector<const Case*> in_bay(std::string_view bay) const;
  // Cases about a shared part that explain a finding about this part, the gravest first.
  std::vector<const Case*> explaining(std::string_view fmri) const;

 private:
  std::map<std::string, std::vector<const Case*>, std::less<>> by_part_, by_bay_, explained_;
};

struct PoolTrouble;
using Fmris = std::set<std::string, std::less<>>;

struct View {
  const Inventory& inventory;
  const Accusations& accusations;
  const Fmris& filled;      // vdevs that data is being copied to
  const Fmris& with_disks;  // enclosures with a bay that shows its disk
  const std::map<std::string, PoolTrouble, std::less<>>& troubles;  // pool_trouble.h
};

PartState state_of(const Case& c);  // by severity
// The bay's enclosure (FMRI), or "" if unknown.
std::string enclosure_of(const Inventory& inventory, const Resource& bay);
Fmris enclosures_with_disks(const Inventory& inventory);

// A spare in use also has the role "spare".
bool is_idle_spare(const Resource& vdev);
Fmris filled_vdevs(const Inventory& inventory);

// Sets everything but the box.
Part describe(const View& view, const Resource& part, PartKind kind);

}  // namespace fmd::scene
