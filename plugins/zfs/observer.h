// Observer: looks at all pools, each on its own (pool_look.h), never blocking. Their names are the
// module's folders in /proc/spl/kstat/zfs, which need no pool lock; without these, `zpool list`.
//
//   look() ─▶ names ─┬─▶ tank:  PoolLook ─▶ seen ──┬─▶ done(Look)
//                    ├─▶ dozer: PoolLook ─▶ seen ──┤
//                    └─▶ stuck: no answer ─────────┘   reported as not observed; retried separately
//
// A hung pool delays one look, up to the deadline. Later looks do not wait for it; it is retried at
// intervals, one zpool(8) at a time, until it responds. Single thread, on the loop.
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
  std::vector<Pool> pools;                    // if ok: those that were seen
  std::map<std::string, std::string> unseen;  // name → reason: present, but not seen
  int64_t taken_ns = 0;                       // wall clock at the start of the look
};

class Observer {
 public:
  using Done = std::function<void(Look)>;
  // back: called when a hung pool responds again and a look is due.
  Observer(sd_event* loop, sdk::Host& host, std::chrono::milliseconds deadline,
           std::function<void()> back);

  // Must not be called during a look. done() comes from the loop.
  void look(bool thorough, Done done);
  const VdevProperties& properties() const { return properties_; }

 private:
  using Clock = std::chrono::steady_clock;
  struct Entry {
    std::unique_ptr<PoolLook> look;
    std::string reason;  // why the last look did not see it
    Clock::time_point not_before;
    bool awaited = false;  // by the current look
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
  bool stuck_ = false;  // a `zpool list` that timed out is still running
  std::map<std::string, Entry> entries_;
  Look look_;
  VdevProperties properties_;
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
};

}  // namespace fmd::zfs
