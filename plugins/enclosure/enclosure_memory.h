// EnclosureMemory: what fmd-enclosure must know from one run to the next and no look can tell: which
// shelves there were, what their processors are called, which places of a shelf were filled, and
// which shelves have ever called a place empty. A small
// JSON file in the state folder; without a folder it lasts as long as the process. Single thread.
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
  std::set<std::string> processors;  // their own ids
  bool gone = false;                 // and told to be
};

class EnclosureMemory {
 public:
  explicit EnclosureMemory(std::string file) : document_(std::move(file)) {}
  std::map<std::string, Shelf> shelves;  // that there were, by id
  std::map<std::string, std::set<std::string>>
      installed;  // "psu/1" that were there, by chassis' id
  // Chassis' ids. One that says "OK" of empty places, too, is not believed that a place is filled.
  std::set<std::string> tell_empty;
  SameIds same_ids;

  // A missing file is an empty memory; a damaged one an error, and an empty memory too.
  Result<void> load();
  void save();  // when it has changed; trouble is logged

 private:
  sdk::StateDocument document_;
};

}  // namespace fmd::enclosure
