// Topology: what a part hangs on along some of the inventory's relations. Along `path` it is the
// last known path: a disk that has dropped off its bus has none, just when it is needed. Pure,
// single thread; part of Engine.
#pragma once
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "fmd/diagnosis/path_memory.h"
#include "fmd/model/inventory.h"
#include "fmd/rules/rules.h"

namespace fmd {

class Topology {
 public:
  Topology(const Inventory& inventory, const PathMemory& paths, std::vector<Relation> along)
      : inventory_(inventory), paths_(paths), along_(std::move(along)) {}
  // As a rule of kind cause compares: also with what the rule says the parts share.
  Topology(const Inventory& inventory, const PathMemory& paths, const Rule& common);

  // FMRIs of all ancestors of the part, the nearest first.
  std::vector<std::string> above(std::string_view part) const;
  // Of those what lies on one of these ways to it (`path` resources): a controller that leads to the way, and
  // what lies between that and the part. All of them where there are no ways, or where it is not known what
  // leads to one.
  std::vector<std::string> above_over(std::string_view part,
                                      const std::set<std::string>& ways) const;
  // FMRIs of the parts of those types below it, sorted; they may be gone.
  std::vector<std::string> below(std::string_view ancestor,
                                 const std::vector<std::string>& types) const;
  bool is_above(std::string_view ancestor, std::string_view part) const;

 private:
  std::vector<std::string> next(std::string_view from, bool upwards) const;

  const Inventory& inventory_;
  const PathMemory& paths_;
  std::vector<Relation> along_;
  std::string in_common_;  // FMRI; "" nothing
  std::vector<std::string> part_types_;
};

}  // namespace fmd
