// Columns: compresses lines by their shapes. What lines have in common is stored once, as a
// template. The variable words, those with digits, are stored in one column per place (cells.h), so
// that zstd has little left to compress. Internal to the store.
//
// Format, in varints: the number of lines, the number of templates; the templates, each with its
// line break and a zero byte for each word; the template of each line (numbers.h); then for each
// template the columns of its words.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "fmd/base/result.h"

namespace fmd::store {

// False, and nothing is appended: these lines are not alike, or hold zero bytes, or end without a
// line break.
bool to_columns(std::string_view lines, std::string& out);
// Appends the lines, or only those with these numbers (from 0, ascending). Every length is checked.
Result<void> from_columns(std::string_view columns, std::string& out,
                          const std::vector<size_t>* only = nullptr);

}  // namespace fmd::store
