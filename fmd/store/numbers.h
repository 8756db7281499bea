// A column of integers: the common part is subtracted, and the rest is stored byte by byte (all
// lowest bytes, then all second ones, …), so that zstd finds similar bytes side by side. Internal
// to the store.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace fmd::store {

using Numbers = std::vector<uint64_t>;

void put_numbers(const Numbers& numbers, std::string& out);
// So many of them; false when it is no such column.
bool take_numbers(std::string_view& from, size_t count, Numbers& numbers);

// Each number's distance from the one before (the first: from 0), around the end if need be.
Numbers distances(const Numbers& numbers);
void add_up(Numbers& distances);  // and back again

// How many bytes each takes in such a column.
size_t width_of(const Numbers& numbers);

}  // namespace fmd::store
