// Corpus: what targets share: the files that are their good inputs, and a check of what a reader made of a bad one.
#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace fmd::fuzz {

// The contents of the files below these folders with such names, sorted by path. Throws when there is none.
std::vector<std::string> files(const std::vector<std::string>& folders, std::string_view ending,
                               std::string_view begins = "");
std::string file(const std::string& path);

// Throws what fmd-fuzz reports as a finding.
void must(bool so, const char* what);

}  // namespace fmd::fuzz
