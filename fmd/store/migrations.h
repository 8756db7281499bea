// The store's migrations, schemas/sql/NNN-*.sql, embedded when building. Number N (counted from 1)
// takes a database of format N-1 to format N; the format is kept in PRAGMA user_version. Each migration has to
// change a table or an index: by that open() distinguishes a newer format from a damaged format number.
#pragma once
#include <string_view>
#include <vector>

namespace fmd::store {

const std::vector<std::string_view>& migrations();

}  // namespace fmd::store
