// CpuCommands: takes cores and pages out of service and puts them back on fmd's command. Writes to
// sysfs in a child with a deadline, one command at a time. Records each action before carrying it
// out, so that the record survives a crash. Single thread.
#pragma once
#include <chrono>
#include <deque>
#include <functional>
#include <memory>
#include <string>

#include "plugins/cpu/cpu_memory.h"
#include "plugins/sdk/flight.h"
#include "plugins/sdk/messages.h"
#include "plugins/sdk/plugin.h"

namespace fmd::cpu {

// State of a core or page, in the terms of schemas/resources.md.
struct PartState {
  std::string service, state, retired_by, refusal;
  bool until_boot = false;  // out of service until the machine restarts
  bool by_restart = false;  // back in service because a restart ended fmd's action
};
PartState state_of_core(const std::string& core, const Processors& machine,
                        const CpuMemory& memory);
PartState state_of_page(uint64_t frame, const Processors& machine, const CpuMemory& memory);
// "mem://page=1f0000000" → its frame.
std::optional<uint64_t> frame_in(const std::string& fmri);

class CpuCommands {
 public:
  // look: reads the processors again and publishes them.
  CpuCommands(sdk::Host& host, CpuMemory& memory, std::chrono::milliseconds deadline,
              std::function<const Processors&()> look);
  void run(const sdk::CommandRequest& request, sdk::Plugin::Reply reply);

 private:
  struct Job {
    sdk::CommandRequest request;
    sdk::Plugin::Reply reply;
  };
  void next();
  void core(const Job& job, const Processors& machine);
  void page(const Job& job, uint64_t frame, const Processors& machine);
  void write_online(const std::vector<unsigned>& threads, bool online,
                    std::function<void(const std::string& trouble)> then);
  void forget(const std::string& fmri);
  void finish(sdk::CommandReply reply);

  sdk::Host& host_;
  CpuMemory& memory_;
  std::shared_ptr<sdk::Flight> flight_;
  std::function<const Processors&()> look_;
  std::deque<Job> queue_;  // the front one is running
};

}  // namespace fmd::cpu
