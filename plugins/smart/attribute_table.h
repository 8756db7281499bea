// Decodes the 48 raw bits of an ATA attribute. Their meaning is vendor-specific: most are counts,
// but some pack several counters into one number, which looks alarmingly high if read as one.
#pragma once
#include <cstdint>
#include <span>
#include <string_view>

namespace fmd::smart {

struct Attribute {
  int64_t value = 0;         // decoded
  const char* unit = "";     // "count", "hours", "celsius"
  const char* reading = "";  // the common name ("smart.pending"); "" if none
  bool sectors = false;      // counts sectors of a hard disk; some makers count logical ones
  bool may_be_rate = false;  // some drives report an error rate here; the attribute's flags decide
};

// name: smartctl's name of the attribute. model: of the drive. raw: raw.value in smartctl's JSON
// (the raw bytes, not the printed text).
Attribute decode_attribute(int id, std::string_view name, std::string_view model, uint64_t raw);

// True for makers whose hard disks count logical sectors in 5, 197 and 198: one bad 4096-byte
// sector counts as 8 of 512 bytes. family: smartctl's model_family, "" if unknown.
bool counts_logical_sectors(std::string_view model, std::string_view family);

// The unit in which such a disk counts sectors. It never changes, so it is determined at the first
// nonzero count and stored with the disk.
enum class SectorUnit { unknown, physical, logical };

// counts: 5, 197 and 198 of one query. per_sector: logical sectors per physical one. Some models of
// these makers count physical sectors: a count that is not a multiple shows that.
SectorUnit sector_unit(std::span<const int64_t> counts, int64_t per_sector);

// Rounds up: a partly counted physical sector is one bad sector.
int64_t physical_sectors(int64_t count, int64_t per_sector, SectorUnit unit);

}  // namespace fmd::smart
