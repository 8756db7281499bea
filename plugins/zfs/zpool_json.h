// The output of `zpool status -j` (OpenZFS 2.3 and later) for one pool, as the rows and names that its two
// texts (zpool_status.h) give: one model for both. --json-int gives numbers; without it they are texts as
// people read them, which are taken too. Pure.
#pragma once
#include <cstdint>
#include <string_view>

#include "fmd/base/result.h"
#include "plugins/zfs/pool_model.h"
#include "plugins/zfs/zpool_status.h"

namespace fmd::zfs {

struct JsonStatus {
  uint64_t guid = 0;
  StatusPool pool;  // its rows named by guid, as with -g
  VdevNames names;
};

// now_ns: when it was printed; what remains to be done is reckoned from there. Fails when it is not understood, and of
// a pool that rebuilds (a sequential resilver): which disks that is for only the text says.
Result<JsonStatus> parse_status_json(std::string_view text, int64_t now_ns);

}  // namespace fmd::zfs
