// Output of programs names disks by device; fmd shows an FMRI as the bay that the disk is in. Pure.
#pragma once
#include <map>
#include <string>
#include <string_view>

namespace fmd::hardware {

// Replaces whole words, such as "sdc" or "/dev/sdc1", by their FMRIs.
std::string with_fmris(std::string_view text, const std::map<std::string, std::string>& words);

}  // namespace fmd::hardware
