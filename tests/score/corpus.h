// Corpus: the scenarios of tests/scenarios/*.toml (format: README.md there). Strict: an unknown
// key, a wrong value or an unknown name is an error with file and line.
#pragma once
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "fmd/base/result.h"
#include "fmd/base/source_file.h"
#include "scenario.h"

namespace fmd::score {

// In the order of the file names. classes: the fault classes of the rules.
std::pair<std::vector<Scenario>, std::vector<Error>> read_corpus(
    std::vector<SourceFile> files, const std::vector<std::string>& classes);

// Depends on the label only, on every machine.
uint64_t seed_of(const std::string& label);

}  // namespace fmd::score
