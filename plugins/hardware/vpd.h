// Parses SCSI vital product data from sysfs, as the disk's raw bytes. Pure.
#pragma once
#include <string>
#include <string_view>

namespace fmd::hardware {

// Removes the blanks and NULs that vendors pad with.
std::string trim_padding(std::string_view text);

// Page 80h: type, 0x80, length (2 bytes), serial number in ASCII. "" if it is not such a page.
std::string vpd_serial(std::string_view page);

}  // namespace fmd::hardware
