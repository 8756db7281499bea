#include "plugins/system/cpu.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <set>

#include "fmd/model/fmri.h"
#include "plugins/hardware/system_id.h"
#include "plugins/system/sysfs.h"

namespace fmd::machine {
namespace {

using nlohmann::json;

constexpr const char* kCpus = "/sys/devices/system/cpu";

std::optional<int64_t> to_number(std::string_view text) {
  int64_t number = 0;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || stop != text.data() + text.size() || text.empty())
    return std::nullopt;
  return number;
}

struct Model {
  std::string vendor, name;
};

// Parses "processor : 0", "model name : …": one block per thread.
std::map<int64_t, Model> models(const sdk::Host& host) {
  std::map<int64_t, Model> by_thread;
  const std::string text = host.read("/proc/cpuinfo").value_or("");
  std::optional<int64_t> thread;
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find('\n', at), text.size());
    const std::string_view line = std::string_view(text).substr(at, end - at);
    at = end + 1;
    const size_t colon = line.find(':');
    if (colon == line.npos) continue;
    std::string_view key = line.substr(0, colon), value = line.substr(colon + 1);
    while (key.ends_with('\t') || key.ends_with(' ')) key.remove_suffix(1);
    while (value.starts_with(' ')) value.remove_prefix(1);
    if (key == "processor") thread = to_number(value);
    if (!thread) continue;
    if (key == "vendor_id") by_thread[*thread].vendor = value;
    if (key == "model name") by_thread[*thread].name = value;
  }
  return by_thread;
}

// "32K", "8M" → bytes.
std::optional<int64_t> cache_bytes(std::string text) {
  int64_t unit = 1;
  if (text.ends_with('K')) unit = 1 << 10;
  if (text.ends_with('M')) unit = 1 << 20;
  if (unit > 1) text.pop_back();
  const auto number = to_number(text);
  if (!number || *number < 0 || *number > (int64_t{1} << 40)) return std::nullopt;
  return *number * unit;
}

// "0-3,8": a cache shared by more than one core belongs to the socket.
bool is_shared(const std::string& list, size_t threads_of_core) {
  size_t threads = 0;
  for (size_t at = 0; at < list.size();) {
    const size_t end = std::min(list.find(',', at), list.size());
    const std::string_view piece = std::string_view(list).substr(at, end - at);
    const size_t dash = piece.find('-');
    const auto first = to_number(piece.substr(0, dash));
    const auto last = dash == piece.npos ? first : to_number(piece.substr(dash + 1));
    if (first && last && *last >= *first) threads += static_cast<size_t>(*last - *first) + 1;
    at = end + 1;
  }
  return threads > std::max<size_t>(threads_of_core, 1);
}

// "l1d_bytes", "l1i_bytes", "l2_bytes", "l3_bytes": of the core, or of the socket if shared.
void add_caches(const sdk::Host& host, const std::string& folder, size_t threads_of_core,
                json& core, json& socket) {
  for (const std::string& index : names_in(host, folder)) {
    if (!index.starts_with("index")) continue;
    const std::string at = folder + "/" + index;
    const auto level = read_number(host, at + "/level");
    const auto bytes = cache_bytes(read_text(host, at + "/size"));
    if (!level || *level < 1 || *level > 9 || !bytes) continue;
    const std::string type = read_text(host, at + "/type");
    const std::string name = "l" + std::to_string(*level) +
                             (type == "Data"          ? "d"
                              : type == "Instruction" ? "i"
                                                      : "") +
                             "_bytes";
    json& of = is_shared(read_text(host, at + "/shared_cpu_list"), threads_of_core) ? socket : core;
    of["properties"][name] = *bytes;
  }
}

struct Thread {
  int64_t number, socket, core;
};

// Offline threads have no topology.
std::vector<Thread> threads(const sdk::Host& host) {
  std::vector<Thread> out;
  for (const std::string& name : names_in(host, kCpus)) {
    const auto number = name.starts_with("cpu") ? to_number(name.substr(3)) : std::nullopt;
    if (!number) continue;
    const std::string topology = fmt::format("{}/{}/topology/", kCpus, name);
    const auto socket = read_number(host, topology + "physical_package_id");
    const auto core = read_number(host, topology + "core_id");
    // Some ARM firmware reports -1: assume one socket.
    if (socket && core) out.push_back({*number, std::max<int64_t>(*socket, 0), *core});
  }
  return out;
}

// Adds the sockets' printed names, if SMBIOS has as many processors as the kernel, which numbers
// them in the firmware's order.
void add_labels(const hardware::Smbios& smbios, const std::set<int64_t>& sockets, Facts& facts) {
  if (smbios.processors.size() != sockets.size()) return;
  auto printed = smbios.processors.begin();
  for (const int64_t socket : sockets) {
    json& cpu = facts.resources[make_fmri("cpu", {{"socket", std::to_string(socket)}})];
    if (!hardware::is_nobodys_text(*printed)) set_text(cpu, "label", *printed);
    ++printed;
  }
}

}  // namespace

void add_cpus(const sdk::Host& host, const hardware::Smbios& smbios, Facts& facts) {
  const auto by_thread = models(host);
  std::map<std::pair<int64_t, int64_t>, size_t> threads_of;  // by socket and core
  const std::vector<Thread> all = threads(host);
  for (const Thread& t : all) ++threads_of[{t.socket, t.core}];
  std::set<int64_t> sockets;
  std::map<std::string, std::pair<std::set<int64_t>, int64_t>> counts;  // cores, threads
  for (const Thread& t : all) {
    const std::string socket_id = std::to_string(t.socket), core_id = std::to_string(t.core);
    const std::string socket = make_fmri("cpu", {{"socket", socket_id}}),
                      core = make_fmri("cpu", {{"socket", socket_id}, {"core", core_id}}),
                      thread = make_fmri("cpu", {{"socket", socket_id},
                                                 {"core", core_id},
                                                 {"thread", std::to_string(t.number)}});
    facts.add(socket, "cpu")["properties"]["socket"] = t.socket;
    sockets.insert(t.socket);
    facts.add(core, "core")["properties"]["core"] = t.core;
    json& cpu = facts.resources[socket];
    if (const auto model = by_thread.find(t.number); model != by_thread.end()) {
      set_text(cpu, "manufacturer", model->second.vendor);
      set_text(cpu, "model", model->second.name);
    }
    facts.add(thread, "thread")["properties"]["name"] = "cpu" + std::to_string(t.number);
    const std::string folder = std::string(kCpus) + "/cpu" + std::to_string(t.number) + "/cache";
    add_caches(host, folder, threads_of[{t.socket, t.core}], facts.resources[core], cpu);
    facts.contain(socket);
    facts.link(socket, "contains", core);
    facts.link(core, "contains", thread);
    counts[socket].first.insert(t.core);
    ++counts[socket].second;
  }
  for (const auto& [socket, count] : counts) {
    json& properties = facts.resources[socket]["properties"];
    properties["cores"] = count.first.size();
    properties["threads"] = count.second;
  }
  add_labels(smbios, sockets, facts);
}

}  // namespace fmd::machine
