// Columns: compresses lines by their shapes. The common part of similar lines is stored once, as a
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

// False, without output, if lines are too different, contain zero bytes or lack the last break.
bool to_columns(std::string_view lines, std::string& out);
// Appends all lines, or only these (from 0, ascending). Checks every length.
Result<void> from_columns(std::string_view columns, std::string& out,
                          const std::vector<size_t>* only = nullptr);

}  // namespace fmd::store
