#include "plugins/cpu/cpu_inventory.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

#include "fmd/model/fmri.h"
#include "plugins/cpu/cpu_commands.h"
#include "plugins/cpu/findings.h"
#include "plugins/sdk/messages.h"

namespace fmd::cpu {
namespace {

using nlohmann::json;

void set_state(const PartState& state, json& properties) {
  properties["service"] = state.service;
  properties["state"] = state.state;
  if (!state.retired_by.empty()) properties["retired_by"] = state.retired_by;
  if (!state.refusal.empty()) properties["retire_refusal"] = state.refusal;
  if (state.until_boot) properties["service_until"] = "boot";
  if (state.by_restart) properties["service_by"] = "restart";
}

// The size class of a module, which rules use: the largest one that it reaches.
const char* size_class(uint64_t bytes) {
  constexpr std::pair<uint64_t, const char*> kClasses[] = {
      {8, "8G"}, {4, "4G"}, {2, "2G"}, {1, "1G"}};
  for (const auto& [gib, name] : kClasses)
    if (bytes >= gib << 30) return name;
  return bytes > 0 ? "512M" : "unknown";
}

// For each module: its pages with errors, and how many of them are out of use.
void add_modules(const Processors& machine, const CpuMemory& memory,
                 std::map<std::string, json>& out) {
  for (const auto& [frame, page] : memory.pages) {
    if (page.module.empty() || memory.channels.contains(page.module)) continue;
    auto [at, fresh] = out.try_emplace(page.module);
    if (fresh) {
      uint64_t bytes = 0;
      for (const hardware::EdacDimm& place : machine.modules)
        if (place.module == page.module) bytes += place.size_bytes;
      at->second =
          sdk::resource(page.module, "dimm", {{"pages_out", 0}, {"size_class", size_class(bytes)}});
    }
    at->second["edges"].push_back({{"relation", "contains"}, {"to", page_fmri(frame)}});
    if (out[page_fmri(frame)]["properties"]["service"] != "in-service") {
      json& count = at->second["properties"]["pages_out"];
      count = count.get<int>() + 1;
    }
  }
}

// Labels of the modules on that channel, as far as EDAC knows them. Without a controller or a
// channel, those of all.
std::string modules_on(std::optional<unsigned> channel, std::optional<unsigned> controller,
                       const Processors& machine) {
  std::set<std::string> labels;  // the ranks of a module share one label
  for (const hardware::EdacDimm& module : machine.modules)
    if ((!channel || module.channel == channel) && !module.label.empty() &&
        (!controller || module.controller == *controller))
      labels.insert(module.label);
  return fmt::format("{}", fmt::join(labels, ", "));
}

json channel_of(const std::string& fmri, const Processors& machine) {
  const auto parsed = Fmri::parse(fmri);
  const auto get = [&](const char* key) { return parsed ? parsed->get(key) : std::string(); };
  const std::string channel = get("channel"), mc = get("mc"), bank = get("bank");
  const auto numbers = cpu_list(channel), controllers = cpu_list(mc);
  const auto first = [](const std::vector<unsigned>& all) {
    return all.empty() ? std::nullopt : std::optional(all.front());
  };
  const std::string modules = numbers.empty() && controllers.empty()
                                  ? ""
                                  : modules_on(first(numbers), first(controllers), machine);
  std::string name = channel.empty() ? "" : fmt::format("memory channel {} of ", channel);
  name += mc.empty() ? machine.name_of_socket(get("socket")) : "memory controller " + mc;
  if (mc.empty() && !bank.empty()) name += " (bank " + bank + ")";
  return sdk::resource(fmri, "memory-channel",
                       {{"name", name}, {"modules", modules.empty() ? "not known" : modules}});
}

// Adds each channel with `path` edges to its modules, contained in the processor that has the
// controller.
void add_channels(const Processors& machine, const CpuMemory& memory,
                  std::map<std::string, json>& out) {
  std::set<std::string> channels = memory.channels;
  std::map<std::string, std::set<std::string>> modules_of;
  std::map<std::string, std::string> within;
  std::set<std::string> sockets;
  for (const auto& [number, thread] : machine.threads)
    sockets.insert(socket_fmri(thread.place.socket));
  for (const hardware::EdacDimm& dimm : machine.modules) {
    modules_of[controller_fmri(dimm.controller)].insert(dimm.module);
    if (!dimm.channel) continue;
    const std::string fmri = edac_channel_fmri(dimm.controller, *dimm.channel);
    channels.insert(fmri);
    modules_of[fmri].insert(dimm.module);
    if (dimm.socket)
      within[fmri] = socket_fmri(*dimm.socket);
    else if (sockets.size() == 1)
      within[fmri] = *sockets.begin();
  }
  for (const std::string& fmri : channels) {
    out[fmri] = channel_of(fmri, machine);
    json& edges = out[fmri]["edges"];
    for (const std::string& module : modules_of[fmri])
      edges.push_back({{"relation", "path"}, {"to", module}});
    for (const auto& [frame, page] : memory.pages)
      if (page.module == fmri)
        edges.push_back({{"relation", "contains"}, {"to", page_fmri(frame)}});
    if (const auto socket = out.find(within[fmri]); socket != out.end())
      socket->second["edges"].push_back({{"relation", "contains"}, {"to", fmri}});
  }
}

// The first core that shares the L2 cache: if the cache is worn, all its cores go together.
std::string cluster_of(const Thread& thread, const Processors& machine) {
  ThreadPlace first = thread.place;
  if (const auto shared = thread.sharing.find("L2"); shared != thread.sharing.end())
    for (const unsigned number : shared->second)
      if (const auto other = machine.threads.find(number);
          other != machine.threads.end() && other->second.place.socket == first.socket)
        first.core = std::min(first.core, other->second.place.core);
  return core_fmri(first);
}

}  // namespace

std::map<std::string, json> cpu_resources(const Processors& machine, const CpuMemory& memory) {
  std::map<std::string, json> out;
  for (const auto& [number, thread] : machine.threads) {
    const std::string socket = socket_fmri(thread.place.socket), core = core_fmri(thread.place);
    const std::string name = fmt::format("CPU {}", thread.place.socket);
    if (!out.contains(socket)) {
      const bool by_edac = machine.collector == false && !machine.modules.empty();
      const char* collector = !machine.collector   ? "unknown"
                              : *machine.collector ? "active"
                                                   : "none";
      out[socket] = sdk::resource(socket, "cpu",
                                  {{"socket", thread.place.socket},
                                   {"name", name},
                                   {"collector", collector},
                                   {"memory_errors_by", by_edac ? "EDAC" : "machine checks"}});
    }
    if (out.contains(core)) continue;
    out[socket]["edges"].push_back({{"relation", "contains"}, {"to", core}});
    out[core] = sdk::resource(
        core, "core",
        {{"core", thread.place.core}, {"name", core_name(thread.place)}, {"group", socket}});
    if (const std::string unit = cluster_of(thread, machine); unit != core)
      out[core]["properties"]["unit"] = unit;
    set_state(state_of_core(core, machine, memory), out[core]["properties"]);
  }
  for (const auto& [frame, page] : memory.pages) {
    const std::string fmri = page_fmri(frame);
    out[fmri] = sdk::resource(fmri, "page",
                              {{"name", fmt::format("memory page {:#x}", frame << kPageShift)}});
    set_state(state_of_page(frame, machine, memory), out[fmri]["properties"]);
  }
  add_modules(machine, memory, out);
  add_channels(machine, memory, out);
  return out;
}

}  // namespace fmd::cpu
