// Observer: looks at all pools with zpool(8), one look at a time, never blocking.
//
//   zpool list -H -p -o name,guid,health      names may be known from before: a quick look
//   zpool status -P -p                        ← only in a thorough look
//   zpool status -g -p                        → Pool
//   zpool get checksum_n,... POOL all-vdevs   ← only in a thorough one, OpenZFS ≥ 2.2
//
// The configuration may change between two of them; then it is done over, at most three times. A
// zpool that does not answer by the deadline and cannot be killed (a suspended pool) is left alone:
// no other is started before it is gone, and looks are answered with no_answer meanwhile. Single
// thread, on the loop.
#pragma once
#include <sys/types.h>

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "plugins/sdk/host.h"
#include "plugins/sdk/timer.h"
#include "plugins/zfs/inventory.h"
#include "plugins/zfs/pool_model.h"

namespace fmd::zfs {

struct Look {
  enum class Kind { ok, no_tool, not_loaded, no_answer, failed };
  Kind kind = Kind::ok;
  std::string reason;       // for people, when not ok
  std::vector<Pool> pools;  // when ok
  int64_t taken_ns = 0;     // wall clock, when the look began
};

int64_t wall_clock_ns();

class Observer {
 public:
  using Done = std::function<void(const Look&)>;
  Observer(sd_event* loop, sdk::Host& host, std::chrono::milliseconds deadline);

  // A look begun after this call; done() comes from the loop.
  void look(bool thorough, Done done);
  const VdevProperties& properties() const { return properties_; }

 private:
  void begin();
  void ask(std::vector<std::string> argv, std::function<void(std::string)> take);
  void ask_list();
  void ask_paths();
  void ask_guids();
  void join(const std::vector<StatusPool>& with_guids);
  void ask_properties(size_t pool);
  void take_properties(const Pool& pool, std::string_view text);
  void again(std::string why);
  void give_up(Look::Kind kind, std::string reason);
  void finish();

  sdk::Host& host_;
  std::chrono::milliseconds deadline_;
  sdk::Timer soon_;
  std::vector<Done> waiting_, current_;
  bool want_thorough_ = false, thorough_ = false;
  bool running_ = false;
  bool stuck_ = false;  // a zpool that ran out of time is still there
  int tries_ = 0;
  Look look_;
  std::vector<ListedPool> listed_;
  std::vector<StatusPool> with_paths_;
  VdevNames names_;
  VdevProperties properties_, new_properties_;
  bool has_properties_ = true;  // until zpool says that it knows none
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
};

}  // namespace fmd::zfs
