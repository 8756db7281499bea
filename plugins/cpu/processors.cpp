#include "plugins/cpu/processors.h"

#include <charconv>
#include <set>
#include <utility>

#include "fmd/model/fmri.h"

namespace fmd::cpu {
namespace {

constexpr const char* kCpus = "/sys/devices/system/cpu";
constexpr const char* kEdac = "/sys/devices/system/edac/mc";
constexpr unsigned kMostThreads = 65536;

std::optional<unsigned> whole(std::string_view text) {
  unsigned value = 0;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || stop != text.data() + text.size() || text.empty())
    return std::nullopt;
  return value;
}

// Some ARM firmware says -1: one socket then.
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

// "channel 2 slot 0".
std::optional<unsigned> channel_in(std::string_view location) {
  constexpr std::string_view kChannel = "channel ";
  const size_t at = location.find(kChannel);
  if (at == location.npos) return std::nullopt;
  const std::string_view rest = location.substr(at + kChannel.size());
  return whole(rest.substr(0, rest.find(' ')));
}

void add_modules(const sdk::Host& host, Processors& out) {
  const auto controllers = host.list(kEdac);
  if (!controllers) return;
  for (const std::string& mc : *controllers) {
    const auto number = mc.starts_with("mc") ? whole(std::string_view(mc).substr(2)) : std::nullopt;
    const std::string folder = std::string(kEdac) + "/" + mc;
    const auto names = number ? host.list(folder) : tl::unexpected(Error{});
    if (!names) continue;
    for (const std::string& name : *names) {
      if (!name.starts_with("dimm") && !name.starts_with("rank")) continue;
      const std::string at = folder + "/" + name;
      const unsigned mib = whole(host.read(at + "/size").value_or("")).value_or(0);
      if (mib == 0) continue;
      const std::string label = host.read(at + "/dimm_label").value_or("");
      out.modules.push_back({*number, channel_in(host.read(at + "/dimm_location").value_or("")),
                             label, module_fmri(label, out.dimms), uint64_t{mib} << 20});
    }
  }
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

std::vector<unsigned> Processors::of_core(const std::string& core) const {
  std::vector<unsigned> out;
  for (const auto& [number, thread] : threads)
    if (core_fmri(thread.place) == core) out.push_back(number);
  return out;
}

// As plugins/system names it: what SMBIOS calls so, else EDAC's own label.
std::string module_fmri(const std::string& label, const sdk::DimmNames& dimms) {
  if (label.empty()) return {};
  const std::string known = dimms.fmri(label);
  return known.empty() ? make_fmri("mem", {{"dimm", label}}) : known;
}

Processors look_at_processors(const sdk::Host& host, KnownPlaces& known, sdk::DimmNames dimms) {
  Processors out;
  out.dimms = std::move(dimms);
  out.boot = host.read("/proc/sys/kernel/random/boot_id").value_or("");
  const auto names = host.list(kCpus);
  for (const std::string& name : names ? *names : std::vector<std::string>()) {
    const auto number =
        name.starts_with("cpu") ? whole(std::string_view(name).substr(3)) : std::nullopt;
    if (!number) continue;
    const std::string folder = std::string(kCpus) + "/" + name;
    const auto socket = id_in(host, folder + "/topology/physical_package_id"),
               core = id_in(host, folder + "/topology/core_id");
    if (socket && core) known[*number] = {*socket, *core};
    const auto place = known.find(*number);
    if (place == known.end()) continue;  // offline since before we came
    Thread& thread = out.threads[*number];
    thread.place = place->second;
    const auto online = host.read(folder + "/online");
    thread.can_go = online.has_value();
    thread.online = !online || *online != "0";
    add_sharing(host, folder, thread);
  }
  add_modules(host, out);
  out.collector = host.exists("/sys/kernel/debug/ras/cec");
  out.memory_bytes = memory_bytes(host);
  return out;
}

}  // namespace fmd::cpu
