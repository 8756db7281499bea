// Draw: a sample of the plays, selected by a text such as a commit's id.
#pragma once
#include <string>
#include <vector>

#include "judge.h"

namespace fmd::score {

// The same text draws the same plays on every machine. Keeps their order.
std::vector<Job> draw(const std::vector<Job>& jobs, size_t count, const std::string& text);

}  // namespace fmd::score
