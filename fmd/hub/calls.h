// PluginCalls: the pending commands of plugins. Each is settled once: by its plugin's answer, or as
// "failed" if the plugin disconnects or does not answer in time. A caller may ask to get late
// answers as well. Single thread. Times are CLOCK_BOOTTIME.
#pragma once
#include <systemd/sd-event.h>

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "fmd/hub/connection.h"
#include "fmd/hub/rpc.h"

namespace fmd {

class PluginCalls {
 public:
  using Done = std::function<void(PluginAnswer)>;

  explicit PluginCalls(sd_event* loop);
  ~PluginCalls();
  PluginCalls(const PluginCalls&) = delete;
  PluginCalls& operator=(const PluginCalls&) = delete;

  // Returns its JSON-RPC id.
  uint64_t begin(PeerId peer, const std::string& plugin, int64_t deadline_ms, int64_t boot_ns,
                 Done done, bool late_too);
  // The call of that id, if it was made to that peer; it is then over. Includes a call that timed
  // out, if its caller wants late answers.
  std::optional<Done> finish(uint64_t id, PeerId peer);
  void fail_calls_of(PeerId peer, const std::string& reason);
  std::vector<std::string> fail_late(int64_t boot_ns);  // the plugins that have not answered
  std::optional<int64_t> next_deadline_ns() const;

  // From the loop, not from within whatever is going on now.
  void settle_later(Done done, PluginAnswer answer);

 private:
  struct Pending {
    PeerId peer = 0;
    std::string plugin, late;  // late: the error if no answer comes in time
    int64_t deadline_ns = 0;
    bool late_too = false;
    Done done;
  };

  static int on_settle(sd_event_source*, void* self);

  sd_event_source* settle_ = nullptr;
  std::map<uint64_t, Pending> calls_;  // by JSON-RPC id
  std::map<uint64_t, Pending> late_;   // failed, but their answers are wanted
  std::deque<std::pair<Done, PluginAnswer>> settled_;
  uint64_t next_call_ = 1;
};

}  // namespace fmd
