// Pull order: disks of one pool or array that are to be replaced and are each safe to pull, but not
// all of them together, or only with the last redundancy. Says which to pull first. Pure.
#pragma once
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "fmd/advice/say.h"
#include "fmd/model/case.h"

namespace fmd {

struct PullOrder {
  std::string storage;             // FMRI
  std::vector<std::string> disks;  // FMRIs, the first to be pulled first
  bool together = false;           // the pool survives without all of them
  std::string text;                // a sentence
};

// open: the open cases. Returns one order for each group of disks that back each other up.
std::vector<PullOrder> pull_orders(const std::vector<const Case*>& open, const SayWorld& world);
nlohmann::json to_json(const PullOrder& order);

}  // namespace fmd
