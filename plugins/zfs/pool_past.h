// The past of pools: when the last complete scrub ended (a resilver replaces its line), and which
// pools were imported before this boot. Pure.
#pragma once
#include <cstdint>
#include <set>
#include <string_view>
#include <vector>

#include "plugins/zfs/memory.h"
#include "plugins/zfs/pool_model.h"

namespace fmd::zfs {

// boot: id of this boot. unseen: as for note_changes().
void note_pools(const std::vector<Pool>& pools, Memory& memory, std::string_view boot,
                int64_t now_ns, const std::set<uint64_t>& unseen = {});
// sysevent.fs.zfs.pool_export, pool_destroy: the pool is no longer expected.
void note_exported(Memory& memory, uint64_t pool);
// Guids of missing pools that were imported when an earlier boot ended and not exported since.
std::vector<uint64_t> missing_pools(const std::vector<Pool>& pools, const Memory& memory,
                                    std::string_view boot);
// Last known vdevs of the pool with its label: no spares and no cache.
std::set<uint64_t> leaves_of(const Memory& memory, uint64_t pool);

// The disk's own checksum errors. All children of a raidz or draid count an unrecoverable block, so
// errors that the others show as well are subtracted.
uint64_t own_checksum_errors(const Pool& pool, int index);

}  // namespace fmd::zfs
