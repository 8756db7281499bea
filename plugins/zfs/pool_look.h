// PoolLook: looks at one pool with zpool(8), one look at a time, never blocking.
//
//   zpool list -H -p -o name,guid,... POOL   ← only in a thorough look
//   zpool status -j --json-int -P -p POOL     OpenZFS ≥ 2.3; elsewhere, or if it lacks data:
//     zpool status -P -p POOL                 ← only in a thorough look
//     zpool status -g -p POOL                 → Pool
//   zpool status -v POOL                      ← if the pool has newly lost data
//   zpool get checksum_n,... POOL all-vdevs   ← only in a thorough look, OpenZFS ≥ 2.2
//
// If the configuration changes between two commands, all are repeated, at most three times. A zpool
// that exceeds the deadline and cannot be killed (suspended pool) is left alone; until it ends, no
// other is started for this pool. Single thread, on the loop.
#pragma once
#include <sys/types.h>

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "plugins/sdk/host.h"
#include "plugins/zfs/inventory.h"
#include "plugins/zfs/pool_model.h"

namespace fmd::zfs {

int64_t wall_clock_ns();

// Result of a look at one pool or at all.
enum class LookEnd { ok, no_tool, not_loaded, no_answer, failed, no_such_pool };

// Capabilities of this host's zpool(8), learnt from use. Shared by all pools.
struct ZpoolSkills {
  bool json = true;
  size_t properties_of = 0;  // index of the first known list of properties; past the end: none
};

// Why a zpool(8) command failed, and the text for it.
std::pair<LookEnd, std::string> refusal_of(const sdk::CommandOutput& output, std::string_view what,
                                           std::chrono::milliseconds deadline);

struct PoolSight {
  LookEnd end = LookEnd::ok;
  std::string reason;  // for people, when not ok
  Pool pool;           // if ok
};

struct GotProperties {
  VdevProperties properties;
  std::map<uint64_t, std::string> places;  // vdev → Vdev::physpath
  void take(uint64_t guid, const std::string& property, std::string_view value);
};
// The output of `zpool get -H -p -o name,property,value`, a line for each property of each vdev.
GotProperties parse_properties(std::string_view text, const Pool& pool);

class PoolLook {
 public:
  using Done = std::function<void(PoolSight)>;
  PoolLook(sdk::Host& host, std::string name, std::chrono::milliseconds deadline,
           ZpoolSkills& skills);

  // Must not be called during a look. done() comes from the loop, or at once if an earlier zpool
  // still hangs. listed: fresh output of `zpool list`.
  void look(bool thorough, std::optional<ListedPool> listed, Done done);
  bool running() const { return running_; }
  // Did not respond last time.
  bool hangs() const { return hangs_; }
  const VdevProperties& properties() const { return properties_; }

 private:
  void begin();
  void ask(std::vector<std::string> argv, std::function<void(std::string)> take);
  void run(std::vector<std::string> argv, std::function<void(const sdk::CommandOutput&)> take);
  void refused(const sdk::CommandOutput& output, const std::string& what);
  void ask_list();
  void ask_status();
  void ask_json();
  void ask_paths();
  void ask_guids();
  void join(const std::vector<StatusPool>& with_guids);
  void took(const std::vector<StatusPool>& status);
  void ask_damaged();
  void ask_creation();
  void ask_properties();
  void again(std::string why);
  void give_up(LookEnd end, std::string reason);
  void finish();

  sdk::Host& host_;
  std::string name_;
  std::chrono::milliseconds deadline_;
  ZpoolSkills& skills_;
  Done done_;
  bool thorough_ = false, running_ = false, hangs_ = false;
  bool stuck_ = false;  // a zpool that timed out is still running
  int tries_ = 0;
  PoolSight sight_;
  std::optional<ListedPool> listed_;
  std::vector<StatusPool> with_paths_;
  VdevNames names_;
  std::optional<int64_t> created_ns_;  // 0: unknown after asking
  VdevProperties properties_;
  std::map<uint64_t, std::string> places_;  // vdev → Vdev::physpath
  uint64_t damage_errors_ = 0;              // error count that damaged_ belongs to
  std::vector<std::string> damaged_;
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
};

}  // namespace fmd::zfs
