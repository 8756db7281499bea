// Patterns and templates of chassis descriptions. Pure.
#pragma once
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "fmd/base/result.h"

namespace fmd::chassis {

// Shell globs: * any run, ? one character; everything else is itself, letters' case counts. Blanks
// at text's ends do not (devices pad with them).
bool glob_matches(std::string_view glob, std::string_view text);
// How much a glob says: characters that are not wildcards, and one more without any wildcard.
int glob_weight(std::string_view glob);

// Fills in "{n}", "{n+1}", "{n-1}", "{n:02}" and other names given ("{name}"). An unknown name, a
// brace left open or a width over 9 is an error.
using Values = std::map<std::string, std::string, std::less<>>;
Result<std::string> fill(std::string_view pattern, const Values& values);

// "0-3", "7", "front-*": the ids meant, in the order of ids. An entry that means none is an error.
Result<std::vector<std::string>> expand_ids(const std::vector<std::string>& written,
                                            const std::vector<std::string>& ids);

}  // namespace fmd::chassis
