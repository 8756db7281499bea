// ChassisDraft: the description that `fmadm chassis map` builds from the inventory and a person's
// answers. Pure.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "fmd/chassis/description.h"
#include "fmd/core/inventory.h"
#include "fmd/core/result.h"

namespace fmd::cli {

struct ChassisDraft {
  std::string label;          // of the whole box
  std::string form_factor;    // "" not told
  int rows = 0, columns = 0;  // 0: no picture
  int units = 2;              // height of the front
  std::string made_on;        // the day, for the file's source

  struct Answer {
    const Resource* bay = nullptr;
    std::string label;                      // printed beside it
    std::optional<std::pair<int, int>> at;  // row, column, from 1
  };
  std::vector<Answer> answers;  // of the bays mapped

  // Text that the file can be read from again, checked by reading it.
  Result<std::string> toml(const Resource& chassis) const;
};

// How the disk in that bay is found: what the file will say.
Result<chassis::Resolver> resolver_of(const Resource& chassis, const Resource& bay);

}  // namespace fmd::cli
