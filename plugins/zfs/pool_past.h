// What is known of pools beyond the moment: when the last whole scrub ended (a resilver takes its line), and which
// pools were imported before this boot. Pure.
#pragma once
#include <cstdint>
#include <set>
#include <string_view>
#include <vector>

#include "plugins/zfs/memory.h"
#include "plugins/zfs/pool_model.h"

namespace fmd::zfs {

// boot: this one's id.
// unseen: as for note_changes().
void note_pools(const std::vector<Pool>& pools, Memory& memory, std::string_view boot,
                int64_t now_ns, const std::set<uint64_t>& unseen = {});
// sysevent.fs.zfs.pool_export, pool_destroy: it is not expected any more.
void note_exported(Memory& memory, uint64_t pool);
// Imported when an earlier boot ended, not exported since, and not there: their guids.
std::vector<uint64_t> missing_pools(const std::vector<Pool>& pools, const Memory& memory,
                                    std::string_view boot);
// Its vdevs that bear its label, when it was last seen: no spares and no cache.
std::set<uint64_t> leaves_of(const Memory& memory, uint64_t pool);

// Of a raidz or draid all children count the errors of a block that nothing could put together: what the
// others show too is not the disk's own.
uint64_t own_checksum_errors(const Pool& pool, int index);

}  // namespace fmd::zfs
