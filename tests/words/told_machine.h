// The machine of ToldWorld: pool tank, a raidz2 of SLOT 00 to SLOT 05, with the hot spare SLOT 07.
#pragma once
#include <string>

#include "fmd/model/inventory.h"

namespace fmd::test {

inline constexpr int kDisks = 6, kSick = 4;
inline constexpr const char* kPool = "zfs://pool=7";

std::string vdev(int n);
std::string disk(int n);
std::string bay(int n);
Value text(std::string value);
Inventory machine();

}  // namespace fmd::test
