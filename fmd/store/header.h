// Header: the first bytes of fmd.db, as SQLite defines them (sqlite.org/fileformat2.html, section 1.3).
// Some have the same value in all files that fmd writes, so another value there is damage. Any thread.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>

namespace fmd::store {

inline constexpr size_t kHeaderBytes = 100, kPageCountAt = 28;
inline constexpr uint64_t kPageBytes = 4096;
// "fmd1", which identifies the file, also for file(1).
inline constexpr int64_t kApplicationId = 0x666d6431;

// Sets the bytes of a header that are the same in all files.
void set_fixed_fields(std::string& header);
// True if the file is fmd's and one of these bytes has a value that SQLite would misread.
bool has_damaged_header(const std::string& path);

}  // namespace fmd::store
