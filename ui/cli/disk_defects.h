// A disk's counters of medium defects, in words. From the properties of plugins/smart.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "fmd/model/inventory.h"

namespace fmd::cli {

class DiskDefects {
 public:
  explicit DiskDefects(const Resource& disk);

  // For a column: "878 pending +" (the worst kind; "+" for others), "none", or "-" if the disk has
  // no such counter.
  std::string brief() const;
  // All that are not 0: "878 pending, 1040 replaced"; "" if none.
  std::string all() const;

 private:
  struct Kind {
    int64_t count;
    const char* word;
  };
  bool counted_ = false;     // the disk has at least one of these counters
  std::vector<Kind> kinds_;  // not 0, worst first
};

}  // namespace fmd::cli
