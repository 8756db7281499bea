// What the 48 raw bits of an ATA attribute mean. The number means what its vendor chose: most
// count, some pack several counters into one, and read as one number they cry wolf.
#pragma once
#include <cstdint>
#include <span>
#include <string_view>

namespace fmd::smart {

struct Attribute {
  int64_t value = 0;         // decoded
  const char* unit = "";     // "count", "hours", "celsius"
  const char* reading = "";  // its common name ("smart.pending"); "" when it has none
  bool sectors = false;      // counts sectors of a hard disk, by some makers logical ones
  bool may_be_rate = false;  // some drives have an error rate there: the attribute's flags decide
};

// name: smartctl's name of the attribute; model: of the drive. raw: raw.value of smartctl's JSON
// (the bytes as they are, not what smartctl prints).
Attribute decode_attribute(int id, std::string_view name, std::string_view model, uint64_t raw);

// Makers whose hard disks count logical sectors in 5, 197 and 198: one bad 4096-byte sector is 8 of
// 512 bytes. family: smartctl's model_family, "" unknown.
bool counts_logical_sectors(std::string_view model, std::string_view family);

// The unit in which such a disk counts sectors. It never changes: judged at the first look at which one of the
// counts is not 0, and remembered with the disk.
enum class SectorUnit { unknown, physical, logical };

// counts: 5, 197 and 198 of one look. per_sector: logical sectors in a physical one. Some models of
// these makers count physical sectors: a count that is no multiple shows that.
SectorUnit sector_unit(std::span<const int64_t> counts, int64_t per_sector);

// A physical sector of which only some logical ones are counted is one.
int64_t physical_sectors(int64_t count, int64_t per_sector, SectorUnit unit);

}  // namespace fmd::smart
