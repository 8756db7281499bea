// Topology: what hangs on what along some of the inventory's relations. Along `path` that is what
// led there last: a disk that has dropped off its bus has no path any more, just when it is asked
// what it hung on. Pure, single thread; part of Engine.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "fmd/diagnosis/path_memory.h"
#include "fmd/model/inventory.h"

namespace fmd {

class Topology {
 public:
  Topology(const Inventory& inventory, const PathMemory& paths, std::vector<Relation> along)
      : inventory_(inventory), paths_(paths), along_(std::move(along)) {}

  // FMRIs of all that the part hangs on, the nearest first, itself not among them.
  std::vector<std::string> above(std::string_view part) const;
  // FMRIs of the parts of that type that hang on it, sorted; they may be gone.
  std::vector<std::string> below(std::string_view ancestor, std::string_view type) const;
  bool is_above(std::string_view ancestor, std::string_view part) const;

 private:
  std::vector<std::string> next(std::string_view from, bool upwards) const;

  const Inventory& inventory_;
  const PathMemory& paths_;
  std::vector<Relation> along_;
};

}  // namespace fmd
