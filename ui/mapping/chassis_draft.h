// ChassisDraft: a chassis description built from the inventory and the user's answers. Pure.
#pragma once
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "fmd/base/result.h"
#include "fmd/chassis/description.h"
#include "fmd/model/inventory.h"

namespace fmd::mapping {

struct ChassisDraft {
  bool host = false;  // a host, matched by its system id; else one SES enclosure
  std::string id;
  std::string label;    // of the whole chassis
  std::string made_on;  // date, for the file's source

  // The arrangement of the bays on one side.
  struct Side {
    int rows = 0, columns = 0;  // 0: no picture
    double width = 0, height = 0;
  };
  std::map<std::string, Side> sides;  // by view: "front"

  struct Answer {
    const Resource* bay = nullptr;
    std::string member;                     // backplane of a host; "": its own bay
    std::string label, view;                // label: as printed beside the bay
    std::optional<std::pair<int, int>> at;  // row, column, from 1
  };
  std::vector<Answer> answers;                 // for the bays mapped
  std::map<std::string, std::string> members;  // backplanes: name → SES id

  // The description as TOML; parsed again to verify it.
  Result<std::string> toml(const Inventory& inventory) const;
};

}  // namespace fmd::mapping
