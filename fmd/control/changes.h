// Changes: what one commit changed, for observers.
#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "fmd/diagnosis/engine.h"
#include "fmd/model/inventory.h"
#include "fmd/notify/happening.h"

namespace fmd {

struct Changes {
  std::map<std::string, std::string, std::less<>> cases;  // uuid → event, see ControlObserver
  std::vector<CaseNews> news;
  std::vector<Happening> happenings;
  std::vector<InventoryChange> resources;
  uint64_t last_seq = 0;  // of the journal; 0 when no event was added

  bool empty() const {
    return cases.empty() && news.empty() && happenings.empty() && resources.empty() &&
           last_seq == 0;
  }
};

}  // namespace fmd
