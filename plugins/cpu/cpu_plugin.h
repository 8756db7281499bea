// CpuPlugin: reports what the kernel logs about failing processors, memory and PCIe links, and
// takes cores and pages out of service and back. Reads its own tracing instance. Single thread.
//
//   trace_pipe ──▶ parse ──▶ findings ──▶ per second and kind ──▶ inventory, events
//   pstore     ──▶ crashes before this boot ─────────────────────▲
//   retire, restore ──▶ CpuCommands ──▶ sysfs, in a child ──▶ look ──▶ inventory, answer
#pragma once
#include <chrono>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "plugins/cpu/cpu_commands.h"
#include "plugins/cpu/cpu_memory.h"
#include "plugins/cpu/episode.h"
#include "plugins/cpu/findings.h"
#include "plugins/cpu/options.h"
#include "plugins/sdk/inventory_diff.h"
#include "plugins/sdk/kernel_lines.h"
#include "plugins/sdk/plugin.h"
#include "plugins/sdk/timer.h"
#include "plugins/sdk/unknown_lines.h"

namespace fmd::cpu {

class CpuPlugin {
 public:
  CpuPlugin(sd_event* loop, sdk::Host& host, const std::string& socket, Options options);

 private:
  void begin_listening();
  void on_trace(std::string_view line);
  void keep(sdk::OutEvent event, int64_t when_ns, const std::string& socket);
  void flush();
  void count_storm();
  void tell_crashes(const std::set<std::string>& told);
  void look();
  void publish();
  void answer(const sdk::CommandRequest& request, const sdk::Plugin::Reply& reply);
  void tell_status();
  void note_page(uint64_t frame, int64_t when_ns, bool lost, const std::string& module);

  sd_event* loop_;
  sdk::Host& host_;
  Options options_;
  CpuMemory memory_;
  sdk::Plugin plugin_;
  sdk::InventoryDiff inventory_;
  sdk::Timer periodic_, episode_, minute_;
  std::unique_ptr<sdk::KernelLines> trace_;
  sdk::UnknownLines unknown_;
  std::string trace_trouble_;
  std::vector<std::pair<std::string, std::string>> edac_names_;  // from the chassis description
  Processors machine_;
  CpuCommands commands_;
  Episode second_;
  Storm storm_;
  std::set<std::string> counted_before_;  // sockets whose last reading was above 0
  bool crashes_told_ = false, complete_due_ = false;
};

}  // namespace fmd::cpu
