// Sight: the input of the watches for happenings at one moment.
#pragma once
#include <cstdint>
#include <string_view>

#include "fmd/base/moment.h"
#include "fmd/model/bay_history.h"
#include "fmd/model/inventory.h"

namespace fmd {

struct Sight {
  const Inventory& inventory;
  const BayHistory& bays;
  std::string_view boot_id;  // of the running kernel
  int64_t up_ns = 0;         // since the machine's start
  Moment now;
};

}  // namespace fmd
