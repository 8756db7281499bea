// Parses `zpool status -j` (OpenZFS 2.3 and later) for one pool into the rows and names of the two
// texts (zpool_status.h), so that both share one model. --json-int gives numbers; values printed
// for people are accepted as well. Pure.
#pragma once
#include <cstdint>
#include <string_view>

#include "fmd/base/result.h"
#include "plugins/zfs/pool_model.h"
#include "plugins/zfs/zpool_status.h"

namespace fmd::zfs {

struct JsonStatus {
  uint64_t guid = 0;
  StatusPool pool;  // rows named by guid, as with -g
  VdevNames names;
};

// now_ns: when it was printed, for estimates. Fails if it is not understood, and for a pool with a
// rebuild (sequential resilver), since only the text names the disks.
Result<JsonStatus> parse_status_json(std::string_view text, int64_t now_ns);

}  // namespace fmd::zfs
