#include "plugins/smart/attribute_table.h"

#include <algorithm>
#include <cctype>
#include <iterator>
#include <string>

namespace fmd::smart {
namespace {

enum class Packing {
  whole,        // 48 bits, one number
  low_word,     // bits 0..15 count; the words above hold other counters
  count,        // one number, or three words as low_word: no count needs more than 32 bits
  low_three,    // bits 0..23; above: a fraction (milliseconds, minutes) or the number of attempts
  high_word,    // bits 32 and above count errors; bits 0..31 count operations
  signed_byte,  // bits 0..7, two's complement; above: lowest and highest ever
};
enum class Vendor { any, seagate };

struct Row {
  int id;
  const char* name_has;  // part of smartctl's name, lower case; "": any. The id alone is ambiguous.
  Vendor vendor;
  Packing packing;
  const char* unit;
  const char* reading;
};

// The first match wins. Sources:
//  [D] default format of the attribute in smartmontools' drive database ("raw16(raw16)",
//      "raw24(raw8)", "tempminmax"), which smartctl itself uses to print these bytes. Some families
//      have "msec24hour32" for hours, at the same position.
//  [S] Seagate's SMART attribute specification. 1, 7, 195: operations in bytes 0 to 3, errors above
//      (three bytes; the JSON has two unless the database says otherwise). 188: three words: all,
//      longer than 5 s, longer than 7.5 s; "-v 188,raw16" in the database prints the last.
//  [N] other names of attribute 5 in the drive database ("Retired_Block_Count", "New_Bad_Blk_Cnt",
//      "Later_Bad_Block", "Runtime_Bad_Block", "Retried_Blk_Ct", all raw48)
constexpr Row kRows[] = {
    {1, "", Vendor::seagate, Packing::high_word, "count", ""},     // [S] Raw_Read_Error_Rate
    {7, "", Vendor::seagate, Packing::high_word, "count", ""},     // [S] Seek_Error_Rate
    {195, "", Vendor::seagate, Packing::high_word, "count", ""},   // [S] Hardware_ECC_Recovered
    {188, "", Vendor::seagate, Packing::low_word, "count", ""},    // [S] Command_Timeout
    {9, "hours", Vendor::any, Packing::low_three, "hours", ""},    // [D]
    {240, "hours", Vendor::any, Packing::low_three, "hours", ""},  // [D] Head_Flying_Hours
    {3, "spin_up", Vendor::any, Packing::low_word, "count", ""},   // [D] raw16(avg16)
    {5, "realloc", Vendor::any, Packing::low_word, "count", "smart.reallocated"},  // [D]
    {5, "retired", Vendor::any, Packing::count, "count", "smart.reallocated"},     // [N]
    {5, "retried", Vendor::any, Packing::low_word, "count",
     "smart.reallocated"},                                                     // [N] raw16(raw16)
    {5, "bad_bl", Vendor::any, Packing::count, "count", "smart.reallocated"},  // [N]
    {196, "realloc", Vendor::any, Packing::low_word, "count", ""},             // [D]
    {187, "uncorrect", Vendor::any, Packing::count, "count",
     "smart.reported_uncorrectable"},                                 // [D]
    {190, "temp", Vendor::any, Packing::signed_byte, "celsius", ""},  // [D]
    {194, "temp", Vendor::any, Packing::signed_byte, "celsius", ""},  // [D]
    // Crucial MX500: an internal count that flips between 0 and 1, named so for that reason in the database.
    {197, "ecc", Vendor::any, Packing::whole, "count", ""},
    {197, "pending", Vendor::any, Packing::whole, "count", "smart.pending"},  // [D]
    {198, "uncorrectable_sector", Vendor::any, Packing::low_three, "count",
     "smart.uncorrectable"},  // [D] raw24/raw32
    {198, "uncorrect", Vendor::any, Packing::whole, "count", "smart.uncorrectable"},  // [D]
    {199, "crc", Vendor::any, Packing::whole, "count", "smart.crc"},                  // [D]
    {184, "end-to-end", Vendor::any, Packing::count, "count", "smart.end_to_end"},    // [D]
    {184, "end_to_end", Vendor::any, Packing::count, "count", "smart.end_to_end"},    // [D]
    {184, "ioedc", Vendor::any, Packing::count, "count", "smart.end_to_end"},         // [D]
};

std::string lower(std::string_view text) {
  std::string out(text);
  std::transform(out.begin(), out.end(), out.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return out;
}

// "ST8000NM0055-1RM112", "SEAGATE ST8000…": Seagate's model numbers are ST and digits.
bool is_seagate(std::string_view model) {
  const std::string name = lower(model);
  if (name.starts_with("seagate")) return true;
  return name.size() > 2 && name.starts_with("st") &&
         std::isdigit(static_cast<unsigned char>(name[2]));
}

// SandForce controllers (Intel 520, Kingston, OCZ) report the rate of uncorrectable errors in 187:
// flags "POSR--", and a raw value that grows by millions. On Maxtor, HGST, WD and Toshiba disks 196
// to 199 also have the flag of a rate, but are counts.
bool may_be_rate(int id) {
  return id == 5 || id == 184 || id == 187;
}

int64_t unpack(Packing packing, uint64_t raw) {
  switch (packing) {
    case Packing::low_word:
      return static_cast<int64_t>(raw & 0xffff);
    case Packing::count:
      return static_cast<int64_t>(raw >> 32 & 0xffff ? raw & 0xffff : raw & 0xffffffff);
    case Packing::low_three:
      return static_cast<int64_t>(raw & 0xffffff);
    case Packing::high_word:
      return static_cast<int64_t>(raw >> 32 & 0xffffff);
    case Packing::signed_byte:
      return static_cast<int8_t>(raw & 0xff);
    case Packing::whole:
      break;
  }
  return static_cast<int64_t>(raw & 0xffffffffffff);
}

}  // namespace

Attribute decode_attribute(int id, std::string_view name, std::string_view model, uint64_t raw) {
  const std::string known_as = lower(name);
  const bool seagate = is_seagate(model);
  const auto* row = std::find_if(std::begin(kRows), std::end(kRows), [&](const Row& candidate) {
    return candidate.id == id && known_as.find(candidate.name_has) != std::string::npos &&
           (candidate.vendor == Vendor::any || seagate);
  });
  if (row == std::end(kRows)) return {unpack(Packing::whole, raw), "", ""};
  return {unpack(row->packing, raw), row->unit, row->reading, id == 5 || id == 197 || id == 198,
          may_be_rate(id)};
}

// Of Backblaze's disks with a nonzero attribute 197, all of Seagate (396), Toshiba (62) and HGST
// (45) had a multiple of 8; WD disks only by chance.
bool counts_logical_sectors(std::string_view model, std::string_view family) {
  const std::string name = lower(model), line = lower(family);
  constexpr std::string_view kMakers[] = {"seagate", "toshiba", "hgst", "hitachi"};
  constexpr std::string_view kModels[] = {"mg0",  "mq0",  "mq1",  "dt01", "dt02", "hdw",  "hms5c",
                                          "huh7", "huh6", "hus7", "hus6", "hds7", "hts5", "hts7"};
  const auto begins = [](const std::string& text) {
    return [&text](std::string_view word) { return text.starts_with(word); };
  };
  return is_seagate(model) || std::any_of(std::begin(kMakers), std::end(kMakers), begins(name)) ||
         std::any_of(std::begin(kMakers), std::end(kMakers), begins(line)) ||
         std::any_of(std::begin(kModels), std::end(kModels), begins(name));
}

SectorUnit sector_unit(std::span<const int64_t> counts, int64_t per_sector) {
  if (per_sector <= 1) return SectorUnit::unknown;
  const auto odd = [&](int64_t count) { return count % per_sector != 0; };
  const auto zero = [](int64_t count) { return count == 0; };
  if (std::any_of(counts.begin(), counts.end(), odd)) return SectorUnit::physical;
  return std::all_of(counts.begin(), counts.end(), zero) ? SectorUnit::unknown
                                                         : SectorUnit::logical;
}

int64_t physical_sectors(int64_t count, int64_t per_sector, SectorUnit unit) {
  return unit == SectorUnit::logical ? count / per_sector + (count % per_sector > 0) : count;
}

}  // namespace fmd::smart
