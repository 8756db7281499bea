// EnclosureMemory: state of fmd-enclosure that must survive restarts and that no scan can find: the
// shelves seen and the ids of their processors, the parts that were ever installed, and the shelves
// that have ever reported an empty bay. A small JSON file in the state folder; without a folder it
// exists only in memory. Single thread.
#pragma once
#include <map>
#include <set>
#include <string>

#include "fmd/base/result.h"
#include "plugins/enclosure/same_ids.h"
#include "plugins/sdk/state_document.h"

namespace fmd::enclosure {

struct Shelf {
  std::string label;
  std::set<std::string> processors;  // ids of the processors
  bool gone = false;                 // and reported as gone
};

class EnclosureMemory {
 public:
  explicit EnclosureMemory(std::string file) : document_(std::move(file)) {}
  std::map<std::string, Shelf> shelves;  // all that were seen, by id
  std::map<std::string, std::set<std::string>>
      installed;  // parts ever seen, "psu/1", by chassis id
  // Chassis that have ever reported an empty bay. Others may report "OK" for each bay.
  std::set<std::string> tell_empty;
  SameIds same_ids;

  // A missing file is an empty memory; a damaged file is an error and also leaves it empty.
  Result<void> load();
  void save();  // if changed; failures are logged

 private:
  sdk::StateDocument document_;
};

}  // namespace fmd::enclosure
