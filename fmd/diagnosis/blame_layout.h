// BlameLayout: the machine's parts as the inference needs them (blame/hubs.h): each disk, each of
// its paths if it has several, each vdev without a known disk, and what is above it now or was
// last. Pure.
#pragma once
#include <set>
#include <string>
#include <vector>

#include "fmd/diagnosis/blame/hubs.h"
#include "fmd/diagnosis/context.h"

namespace fmd {

blame::Layout blame_layout(const Context& context);

// The `path` resources that lead to the disk, sorted; fewer than two: none.
std::vector<std::string> paths_to(const Context& context, const std::string& disk);

}  // namespace fmd
