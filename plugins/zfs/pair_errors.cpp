#include "plugins/zfs/pair_errors.h"

#include "plugins/zfs/redundancy.h"

namespace fmd::zfs {

PairErrors::Seen PairErrors::look(const Pool& pool, int index, const Seen* before) {
  const Vdev& pair = at(pool, index);
  Seen now;
  now.read = readable_leaves(pool, pair.guid);
  now.errors = pair.checksum_errors;
  const Vdev* only = now.read.size() == 1 ? pool.find(now.read.front()) : nullptr;
  const Kind possible = now.read.size() > 1              ? Kind::either
                        : only && only->type == "dspare" ? Kind::distributed
                                                         : Kind::none;
  if (possible == Kind::none || now.errors == 0) return now;
  if (!before)
    now.kind = Kind::unknown;
  else if (before->read != now.read || now.errors < before->errors)
    now.kind = Kind::none;
  else
    now.kind = now.errors > before->errors ? possible : before->kind;
  return now;
}

void PairErrors::note(const std::vector<Pool>& pools) {
  std::map<uint64_t, Seen> now;
  for (const Pool& pool : pools)
    for (size_t i = 1; i < pool.vdevs.size(); ++i) {
      const Vdev& vdev = pool.vdevs[i];
      if (!vdev.pair()) continue;
      const auto before = seen_.find(vdev.guid);
      now[vdev.guid] =
          look(pool, static_cast<int>(i), before == seen_.end() ? nullptr : &before->second);
    }
  seen_ = std::move(now);
}

std::string_view PairErrors::of(uint64_t pair) const {
  const auto found = seen_.find(pair);
  if (found == seen_.end()) return "";
  switch (found->second.kind) {
    case Kind::none:
      return "none";
    case Kind::either:
      return "either";
    case Kind::distributed:
      return "distributed";
    case Kind::unknown:
      break;
  }
  return "";
}

}  // namespace fmd::zfs
