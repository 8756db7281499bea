// Corpus: the scenarios of tests/scenarios/*.toml (README.md there tells the form), read strictly: an unknown key, a
// wrong value or a name that nothing bears is an error with file and line.
#pragma once
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "fmd/base/result.h"
#include "fmd/base/source_file.h"
#include "scenario.h"

namespace fmd::score {

// In the order of the files' names. classes: of the faults that rules conclude.
std::pair<std::vector<Scenario>, std::vector<Error>> read_corpus(
    std::vector<SourceFile> files, const std::vector<std::string>& classes);

// The same for a label on every machine, whatever else the corpus holds.
uint64_t seed_of(const std::string& label);

}  // namespace fmd::score
