// ChassisDraft: the description that is built from the inventory and a person's answers. Pure.
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
  bool host = false;  // a box known by its system's id; else one SES enclosure
  std::string id;
  std::string label;    // of the whole box
  std::string made_on;  // the day, for the file's source

  // How the bays of one side stand.
  struct Side {
    int rows = 0, columns = 0;  // 0: no picture
    double width = 0, height = 0;
  };
  std::map<std::string, Side> sides;  // by view: "front"

  struct Answer {
    const Resource* bay = nullptr;
    std::string member;                     // which backplane of a host's; "" its own bay
    std::string label, view;                // label: printed beside it
    std::optional<std::pair<int, int>> at;  // row, column, from 1
  };
  std::vector<Answer> answers;                 // of the bays mapped
  std::map<std::string, std::string> members;  // backplanes: name → SES id

  // Text that the file can be read from again, checked by reading it.
  Result<std::string> toml(const Inventory& inventory) const;
};

}  // namespace fmd::mapping
