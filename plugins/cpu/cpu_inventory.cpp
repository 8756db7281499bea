#include "plugins/cpu/cpu_inventory.h"

#include <fmt/format.h>

#include "fmd/model/fmri.h"
#include "plugins/cpu/cpu_commands.h"
#include "plugins/cpu/findings.h"

namespace fmd::cpu {
namespace {

using nlohmann::json;

json resource(const std::string& fmri, const char* type, json properties) {
  return {{"fmri", fmri},
          {"type", type},
          {"properties", std::move(properties)},
          {"edges", json::array()},
          {"present", true}};
}

void set_state(const PartState& state, json& properties) {
  properties["service"] = state.service;
  properties["state"] = state.state;
  if (!state.retired_by.empty()) properties["retired_by"] = state.retired_by;
  if (!state.refusal.empty()) properties["retire_refusal"] = state.refusal;
  if (state.until_boot) properties["service_until"] = "boot";
}

// Which modules an error on that channel may be about, as far as EDAC has them: it is not told which
// of several controllers.
std::string modules_on(unsigned channel, const Processors& machine) {
  std::string out;
  for (const MemoryPlace& module : machine.modules)
    if (module.channel == channel && !module.label.empty())
      out += (out.empty() ? "" : ", ") + module.label;
  return out;
}

}  // namespace

std::map<std::string, json> cpu_resources(const Processors& machine, const CpuMemory& memory) {
  std::map<std::string, json> out;
  for (const auto& [number, thread] : machine.threads) {
    const std::string socket = socket_fmri(thread.place.socket), core = core_fmri(thread.place);
    const std::string name = fmt::format("CPU {}", thread.place.socket);
    if (!out.contains(socket)) {
      const char* by = machine.collector         ? "machine checks"
                       : machine.modules.empty() ? "machine checks"
                                                 : "EDAC";
      out[socket] = resource(socket, "cpu",
                             {{"socket", thread.place.socket},
                              {"name", name},
                              {"collector", machine.collector ? "active" : "none"},
                              {"memory_errors_by", by}});
    }
    if (out.contains(core)) continue;
    out[socket]["edges"].push_back({{"relation", "contains"}, {"to", core}});
    out[core] = resource(
        core, "core",
        {{"core", thread.place.core}, {"name", core_name(thread.place)}, {"group", socket}});
    set_state(state_of_core(core, machine, memory), out[core]["properties"]);
  }
  for (const auto& [frame, page] : memory.pages) {
    const std::string fmri = page_fmri(frame);
    out[fmri] =
        resource(fmri, "page", {{"name", fmt::format("memory page {:#x}", frame << kPageShift)}});
    set_state(state_of_page(frame, machine, memory), out[fmri]["properties"]);
  }
  for (const std::string& fmri : memory.channels) {
    const auto parsed = Fmri::parse(fmri);
    if (!parsed) continue;
    const std::string channel = parsed->get("channel"), socket = parsed->get("socket");
    const auto numbers = cpu_list(channel);
    const std::string modules = numbers.empty() ? "" : modules_on(numbers.front(), machine);
    out[fmri] = resource(fmri, "memory-channel",
                         {{"name", fmt::format("memory channel {} of CPU {}", channel, socket)},
                          {"modules", modules.empty() ? "not known" : modules}});
  }
  return out;
}

}  // namespace fmd::cpu
