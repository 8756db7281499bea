// PoolPlay: replays a report about a ZFS pool on a Machine. The texts of `zpool status` go through
// fmd-zfs's parser, model and inventory, events through its reader of `zpool events -v`, and the
// reconciler's commands through its plans. `@DISK3@` in a text is the device of disk 3, `@PART3@` one of several
// partitions of it.
#pragma once
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "plugins/zfs/memory.h"
#include "plugins/zfs/pair_errors.h"
#include "plugins/zfs/pool_model.h"
#include "plugins/zfs/tests/fixture.h"
#include "tests/reports/machine.h"

namespace fmd::reports {

class PoolPlay {
 public:
  explicit PoolPlay(int disks = 7, int controllers = 1);

  // Scans the pool once. Its states are those of the text from then on.
  void look(std::string_view status);
  // "3x ereport.fs.zfs.io vdev=@DISK1@ zio_err=0x5", "ereport.fs.zfs.io_failure"; each event has
  // its own ENA.
  void event(const std::string& line);
  // Replays a file of plugins/zfs/tests/fixtures/field: its texts, a minute apart, then its events.
  void report(const std::string& file);
  // The parts of such a file: each `#STEP`, and the lines of `#EVENTS`.
  struct Report {
    std::vector<std::string> looks, events;
  };
  static Report read(const std::string& file);

  Machine machine;
  bool mapped = false;            // each vdev is on LUKS
  bool by_json = false;           // as OpenZFS 2.3 and later print it
  std::string failmode = "wait";  // the pool's property, as events tell it
  std::vector<std::string> ran;   // zpool(8) commands that a plan would have run
  const zfs::Pool& pool() const { return pool_; }

 private:
  sdk::CommandReply plan(const sdk::CommandRequest& request);
  std::string disk_of(const zfs::Vdev& vdev) const;
  zfs::Pool pool_by_json(const std::string& text);

  zfs::test::Names names_;
  zfs::Memory memory_;
  zfs::PairErrors pair_errors_;
  zfs::Pool pool_;
  int64_t previous_ns_ = 0;
  uint64_t eid_ = 0, ena_ = 0x100001;
};

}  // namespace fmd::reports
