// Corpus: helpers of all targets: the files that are their valid inputs, and a check of a reader's
// result.
#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace fmd::fuzz {

// The contents of all matching files below these folders, sorted by path. Throws if there are none.
std::vector<std::string> files(const std::vector<std::string>& folders, std::string_view ending,
                               std::string_view begins = "");
std::string file(const std::string& path);

// Unless `so`, throws an error that fmd-fuzz reports as a finding.
void must(bool so, const char* what);

}  // namespace fmd::fuzz
