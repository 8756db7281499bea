#include "plugins/cpu/processors.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <set>
#include <utility>

#include "fmd/model/fmri.h"
#include "plugins/hardware/system_id.h"

namespace fmd::cpu {
namespace {

constexpr const char* kCpus = "/sys/devices/system/cpu";
constexpr unsigned kMostThreads = 65536;

std::optional<unsigned> whole(std::string_view text) {
  unsigned value = 0;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || stop != text.data() + text.size() || text.empty())
    return std::nullopt;
  return value;
}

// -1, as from some ARM firmware, means a single socket.
std::optional<unsigned> id_in(const sdk::Host& host, const std::string& file) {
  const std::string text = host.read(file).value_or("");
  return text == "-1" ? 0 : whole(text);
}

void add_sharing(const sdk::Host& host, const std::string& folder, Thread& thread) {
  const auto caches = host.list(folder + "/cache");
  if (!caches) return;
  for (const std::string& index : *caches) {
    const std::string at = folder + "/cache/" + index;
    const std::string level = host.read(at + "/level").value_or("");
    if (!index.starts_with("index") || level.empty()) continue;
    auto& sharing = thread.sharing["L" + level];
    const auto shared = cpu_list(host.read(at + "/shared_cpu_list").value_or(""));
    if (shared.size() > sharing.size()) sharing = shared;
  }
}

// Cache sharing changes only when a thread goes online or offline.
bool same_online(const Processors& now, const Processors& before) {
  return std::equal(now.threads.begin(), now.threads.end(), before.threads.begin(),
                    before.threads.end(), [](const auto& a, const auto& b) {
                      return a.first == b.first && a.second.online == b.second.online;
                    });
}

// "MemTotal:       16316412 kB".
uint64_t memory_bytes(const sdk::Host& host) {
  const std::string text = host.read("/proc/meminfo").value_or("");
  size_t at = text.find("MemTotal:");
  if (at == text.npos) return 0;
  at = text.find_first_of("0123456789", at);
  uint64_t kib = 0;
  if (at != text.npos) std::from_chars(text.data() + at, text.data() + text.size(), kib);
  return kib << 10;
}

}  // namespace

std::vector<unsigned> cpu_list(std::string_view text) {
  std::set<unsigned> out;
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find(',', at), text.size());
    const std::string_view piece = text.substr(at, end - at);
    const size_t dash = piece.find('-');
    const auto first = whole(piece.substr(0, dash));
    const auto last = dash == piece.npos ? first : whole(piece.substr(dash + 1));
    if (first && last && *last < kMostThreads)
      for (unsigned n = *first; n <= *last; ++n) out.insert(n);
    at = end + 1;
  }
  return {out.begin(), out.end()};
}

std::string socket_fmri(unsigned socket) {
  return make_fmri("cpu", {{"socket", std::to_string(socket)}});
}

std::string core_fmri(const ThreadPlace& place) {
  return make_fmri(
      "cpu", {{"socket", std::to_string(place.socket)}, {"core", std::to_string(place.core)}});
}

std::string core_name(const ThreadPlace& place) {
  return "CPU " + std::to_string(place.socket) + " core " + std::to_string(place.core);
}

void Processors::name_sockets(const std::vector<std::string>& processors) {
  std::set<unsigned> sockets;
  for (const auto& [number, thread] : threads) sockets.insert(thread.place.socket);
  printed.clear();
  if (processors.size() != sockets.size()) return;
  auto name = processors.begin();
  for (const unsigned socket : sockets) {
    if (!hardware::is_nobodys_text(*name)) printed[socket] = *name;
    ++name;
  }
}

std::string Processors::name_of_socket(const std::string& number) const {
  const auto socket = whole(number);
  const auto at = socket ? printed.find(*socket) : printed.end();
  return at == printed.end() ? "CPU " + number : at->second;
}

std::vector<unsigned> Processors::of_core(const std::string& core) const {
  std::vector<unsigned> out;
  for (const auto& [number, thread] : threads)
    if (core_fmri(thread.place) == core) out.push_back(number);
  return out;
}

Processors look_at_processors(const sdk::Host& host, KnownPlaces& known, hardware::DimmNames dimms,
                              const Processors& before) {
  Processors out;
  out.dimms = std::move(dimms);
  out.boot = host.read("/proc/sys/kernel/random/boot_id").value_or("");
  const auto names = host.list(kCpus);
  for (const std::string& name : names ? *names : std::vector<std::string>()) {
    const auto number =
        name.starts_with("cpu") ? whole(std::string_view(name).substr(3)) : std::nullopt;
    if (!number) continue;
    const std::string folder = fmt::format("{}/{}", kCpus, name);
    const auto socket = id_in(host, folder + "/topology/physical_package_id"),
               core = id_in(host, folder + "/topology/core_id");
    if (socket && core) known[*number] = {*socket, *core};
    const auto place = known.find(*number);
    if (place == known.end()) continue;  // offline since before the plugin first ran
    Thread& thread = out.threads[*number];
    thread.place = place->second;
    const auto online = host.read(folder + "/online");
    thread.can_go = online.has_value();
    thread.online = !online || *online != "0";
  }
  const bool same = same_online(out, before);
  for (auto& [number, thread] : out.threads) {
    if (same) thread.sharing = before.threads.at(number).sharing;
    // Empty: it was offline until now, or has no cache data. That costs one failed open per look.
    if (!same || (thread.online && thread.sharing.empty()))
      add_sharing(host, fmt::format("{}/cpu{}", kCpus, number), thread);
  }
  out.modules = hardware::edac_dimms(host, out.dimms);
  if (host.exists("/sys/kernel/debug/ras"))
    out.collector = host.exists("/sys/kernel/debug/ras/cec");
  out.memory_bytes = memory_bytes(host);
  return out;
}

}  // namespace fmd::cpu
