// DiskSample: reads a disk where all common formats write something: its first and last MiB
// (partition tables, labels, superblocks, LUKS), and 4 KiB at 62 places between. Blocks in the
// kernel if the disk hangs: call it in a child.
#pragma once
#include <string>

#include "fmd/base/result.h"

namespace fmd::hardware {

enum class Sample { blank, data, in_use };  // blank: the same byte everywhere

// path: a device node or file. Fails if it is missing, unreadable or has no size.
Result<Sample> sample_disk(const std::string& path);
// in_use: something on this host uses the disk (a pool, array, mapping or mounted file system).
Result<Sample> sample_unused_disk(const std::string& path);

}  // namespace fmd::hardware
