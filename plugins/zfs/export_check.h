// ExportCheck: whether a pool that is missing after a boot was exported, which nobody saw. zpool.cache does not tell: the first
// import writes it again. The labels on its disks do: `zpool export` leaves "state: 1" in each, a destroyed pool 2, and a machine
// that went down with the pool 0. One disk alone is not believed, as it may have been out since an earlier export: more than half of
// those that the pool had must say so. `zdb -l` reads one label at a time, and one disk once. Single thread, on the loop.
#pragma once
#include <chrono>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "plugins/sdk/host.h"

namespace fmd::zfs {

struct Label {
  uint64_t pool = 0, vdev = 0, state = 0, txg = 0;
  bool operator==(const Label&) const = default;
};
// Of what `zdb -l` prints: of several that differ the one written last. Nothing: no label of a pool's own disk.
std::optional<Label> parse_label(std::string_view text);

class ExportCheck {
 public:
  using Exported = std::function<void(uint64_t pool)>;  // from the loop, once a pool
  ExportCheck(sdk::Host& host, std::chrono::milliseconds deadline, Exported exported);

  // The pool is missing; leaves: the vdevs that it had, by their guids. As often as one likes: disks may be late.
  void look(uint64_t pool, std::set<uint64_t> leaves);
  bool running() const { return running_; }

 private:
  struct Missing {
    std::set<uint64_t> leaves, exported;
    std::set<std::string> read;  // names of block devices
    bool told = false;
  };
  struct Wanted {
    uint64_t pool = 0;
    std::string device;
  };
  void next();
  void took(uint64_t pool, const sdk::CommandOutput& output);

  sdk::Host& host_;
  std::chrono::milliseconds deadline_;
  Exported exported_;
  std::map<uint64_t, Missing> missing_;  // by the pool's guid
  std::deque<Wanted> wanted_;
  bool running_ = false;
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
};

}  // namespace fmd::zfs
