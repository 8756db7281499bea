// What a disk counts as defects of its medium, in words. From the properties of plugins/smart.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "fmd/model/inventory.h"

namespace fmd::cli {

class DiskDefects {
 public:
  explicit DiskDefects(const Resource& disk);

  // For a column: "878 pending +" (the worst kind, and that there are others), "none", or "-" when
  // the disk has no such counter.
  std::string brief() const;
  // All that are not 0: "878 pending, 1040 replaced"; "" none.
  std::string all() const;

 private:
  struct Kind {
    int64_t count;
    const char* word;
  };
  bool counted_ = false;     // it has at least one of these counters
  std::vector<Kind> kinds_;  // not 0, the worst first
};

}  // namespace fmd::cli
