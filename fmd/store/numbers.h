// A column of integers: the common part is subtracted, and the rest is stored byte by byte (all
// lowest bytes, then all second ones, …), so that zstd finds similar bytes. Internal to the store.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace fmd::store {

using Numbers = std::vector<uint64_t>;

void put_numbers(const Numbers& numbers, std::string& out);
// Reads `count` numbers; false if the data is no such column.
bool take_numbers(std::string_view& from, size_t count, Numbers& numbers);

// Each number's distance from the previous one (the first: from 0), modulo 2^64.
Numbers distances(const Numbers& numbers);
void add_up(Numbers& distances);  // the reverse

// Bytes per number in such a column.
size_t width_of(const Numbers& numbers);

}  // namespace fmd::store
