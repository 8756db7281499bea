// Observer: looks at all pools, each on its own (pool_look.h), never blocking. Which there are say the folders that the
// module keeps below /proc/spl/kstat/zfs, without a lock of any pool; where there is none, `zpool list`.
//
//   look() ─▶ names ─┬─▶ tank:  PoolLook ─▶ seen ──┬─▶ done(Look)
//                    ├─▶ dozer: PoolLook ─▶ seen ──┤
//                    └─▶ stuck: no answer ─────────┘   told as not observed; asked again beside the looks
//
// A pool that hangs holds a look up once, by the deadline. From then on no look waits for it; it is asked again now and
// then, one zpool(8) at a time, until it answers. Single thread, on the loop.
#pragma once
#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "plugins/sdk/host.h"
#include "plugins/sdk/timer.h"
#include "plugins/zfs/inventory.h"
#include "plugins/zfs/pool_look.h"
#include "plugins/zfs/pool_model.h"

namespace fmd::zfs {

struct Look {
  using Kind = LookEnd;
  Kind kind = Kind::ok;
  std::string reason;                         // for people, when not ok
  std::vector<Pool> pools;                    // when ok: those that were seen
  std::map<std::string, std::string> unseen;  // name → reason: those that are there and were not
  int64_t taken_ns = 0;                       // wall clock, when the look began
};

class Observer {
 public:
  using Done = std::function<void(Look)>;
  // back: a pool that hung answers again, a look is due.
  Observer(sd_event* loop, sdk::Host& host, std::chrono::milliseconds deadline,
           std::function<void()> back);

  // Not while a look is under way. done() comes from the loop.
  void look(bool thorough, Done done);
  const VdevProperties& properties() const { return properties_; }

 private:
  using Clock = std::chrono::steady_clock;
  struct Entry {
    std::unique_ptr<PoolLook> look;
    std::string reason;  // why it was not seen last
    Clock::time_point not_before;
    bool awaited = false;  // by the look under way
  };

  void begin();
  std::optional<std::vector<std::string>> kernel_names() const;
  void ask_list();
  void look_at(const std::vector<std::string>& names, std::vector<ListedPool> listed);
  void ask(const std::string& name, bool thorough, std::optional<ListedPool> listed);
  void took(const std::string& name, PoolSight sight);
  void give_up(Look::Kind kind, std::string reason);
  void finish();

  sdk::Host& host_;
  std::chrono::milliseconds deadline_;
  std::function<void()> back_;
  sdk::Timer start_;
  ZpoolSkills skills_;
  Done done_;
  bool thorough_ = false;
  bool running_ = false, asking_ = false;
  bool stuck_ = false;  // a `zpool list` that ran out of time is still there
  std::map<std::string, Entry> entries_;
  Look look_;
  VdevProperties properties_;
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
};

}  // namespace fmd::zfs
