// Columns: lines by their shapes. What lines have in common is kept once, as a template; what differs,
// the words with digits in them, stands in a column for each place of it (cells.h), so that zstd has
// little left to find. Inside the store only.
//
// Varint: how many lines, how many templates; the templates, each with its line break and a zero byte
// where a word was; which line has which (numbers.h); then for each template the columns of its words.
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
