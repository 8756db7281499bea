// Patterns and templates in chassis descriptions. Pure.
#pragma once
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "fmd/base/result.h"

namespace fmd::chassis {

// Shell globs: * matches any run, ? one character. Case-sensitive. Ignores blanks at the text's
// ends (devices pad with them).
bool glob_matches(std::string_view glob, std::string_view text);
// Specificity of a glob: its non-wildcard characters, and one more if it has no wildcard.
int glob_weight(std::string_view glob);

// Fills in "{n}", "{n+1}", "{n-1}", "{n:02}" and other given names ("{name}"). An unknown name, an
// unclosed brace or a width over 9 is an error.
using Values = std::map<std::string, std::string, std::less<>>;
Result<std::string> fill(std::string_view pattern, const Values& values);

// The ids matched by "0-3", "7", "front-*", in order of ids. An entry without a match is an error.
Result<std::vector<std::string>> expand_ids(const std::vector<std::string>& written,
                                            const std::vector<std::string>& ids);

}  // namespace fmd::chassis
