// ExportCheck: finds out whether a pool missing after a boot was exported while fmd-zfs was down.
// zpool.cache does not help (the first import rewrites it), but labels do: `zpool export` writes
// "state: 1", `zpool destroy` 2, a crash leaves 0. One disk may be out since an earlier export, so
// more than half must agree. Runs one `zdb -l` at a time, once per disk. Single thread, on the
// loop.
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
// Parses the output of `zdb -l`; the newest label counts. nullopt: no label of a pool's disk.
std::optional<Label> parse_label(std::string_view text);

class ExportCheck {
 public:
  using Exported = std::function<void(uint64_t pool)>;  // from the loop, once per pool
  ExportCheck(sdk::Host& host, std::chrono::milliseconds deadline, Exported exported);

  // Call while the pool is missing, repeatedly, as disks may come late. leaves: guids of its vdevs.
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
