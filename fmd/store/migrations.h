// The migrations in schemas/sql/NNN-*.sql, embedded at build time. Number N (from 1) converts
// format N-1 to format N; PRAGMA user_version is the format. Each must change a table or an index:
// that is how open() distinguishes a newer format from a damaged format number.
#pragma once
#include <string_view>
#include <vector>

namespace fmd::store {

const std::vector<std::string_view>& migrations();

}  // namespace fmd::store
