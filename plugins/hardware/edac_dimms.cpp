#include "plugins/hardware/edac_dimms.h"

#include <charconv>
#include <set>

#include "fmd/model/fmri.h"
#include "plugins/hardware/board_labels.h"

namespace fmd::hardware {
namespace {

constexpr const char* kEdac = "/sys/devices/system/edac/mc";

template <class T>
std::optional<T> whole(std::string_view text) {
  T value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || text.empty()) return std::nullopt;
  return value;
}

// "channel 2 slot 0", "csrow 1 channel 0".
struct Location {
  std::vector<unsigned> numbers;
  std::optional<unsigned> channel;
};
Location location_in(std::string_view text) {
  Location out;
  std::string_view before;
  while (!text.empty()) {
    const std::string_view word = text.substr(0, text.find(' '));
    text.remove_prefix(std::min(text.size(), word.size() + 1));
    if (const auto number = whole<unsigned>(word)) {
      out.numbers.push_back(*number);
      if (before == "channel") out.channel = number;
    }
    before = word;
  }
  return out;
}

// Intel's drivers name a controller after its processor: "Skylake Socket#1 IMC#0" (skx_edac,
// i10nm_edac), "Broadwell SrcID#1_Ha#0" (sb_edac). Others do not (amd64_edac: "F19h").
std::optional<unsigned> socket_in(std::string_view controller) {
  for (const std::string_view before : {"Socket#", "SrcID#"})
    if (const size_t at = controller.find(before); at != controller.npos) {
      const std::string_view rest = controller.substr(at + before.size());
      return whole<unsigned>(rest.substr(0, rest.find_first_not_of("0123456789")));
    }
  return std::nullopt;
}

std::vector<std::string> names_in(const sdk::Host& host, const std::string& folder) {
  return host.list(folder).value_or(std::vector<std::string>());
}

// The first rank with a label counts for the module; the others belong to it.
void find_module(EdacDimm& dimm, const DimmNames& names, std::set<std::string>& counted) {
  dimm.module = names.fmri(dimm.label);
  if (dimm.module.empty() && names.empty() && !dimm.label.empty())
    dimm.module = make_fmri("mem", {{"dimm", dimm.label}});
  if (dimm.module.empty()) dimm.module = dimm.own_fmri();
  dimm.own_counts = counted.insert(dimm.module).second;
}

}  // namespace

std::string EdacDimm::own_fmri() const {
  return make_fmri("mem", {{"mc", std::to_string(controller)}, {"dimm", std::to_string(number)}});
}

std::vector<EdacDimm> edac_dimms(const sdk::Host& host, const DimmNames& names) {
  const BoardLabels printed = BoardLabels::of(host);
  std::vector<EdacDimm> out;
  std::set<std::string> counted;
  for (const std::string& mc : names_in(host, kEdac)) {
    const auto controller =
        mc.starts_with("mc") ? whole<unsigned>(std::string_view(mc).substr(2)) : std::nullopt;
    if (!controller) continue;
    const auto socket =
        socket_in(host.read(std::string(kEdac) + "/" + mc + "/mc_name").value_or(""));
    for (const std::string& name : names_in(host, std::string(kEdac) + "/" + mc)) {
      if (!name.starts_with("dimm") && !name.starts_with("rank")) continue;
      const auto number = whole<unsigned>(std::string_view(name).substr(4));
      EdacDimm dimm;
      dimm.folder = std::string(kEdac) + "/" + mc + "/" + name;
      const auto mib = whole<uint64_t>(host.read(dimm.folder + "/size").value_or(""));
      if (!number || !mib || *mib == 0) continue;
      dimm.controller = *controller;
      dimm.socket = socket;
      dimm.number = *number;
      dimm.size_bytes = *mib << 20;
      const Location place = location_in(host.read(dimm.folder + "/dimm_location").value_or(""));
      dimm.channel = place.channel;
      dimm.kernel_label = host.read(dimm.folder + "/dimm_label").value_or("");
      std::vector<unsigned> numbers{*controller};
      numbers.insert(numbers.end(), place.numbers.begin(), place.numbers.end());
      dimm.label = printed.at(numbers);
      if (dimm.label.empty()) dimm.label = dimm.kernel_label;
      find_module(dimm, names, counted);
      out.push_back(std::move(dimm));
    }
  }
  return out;
}

std::string module_called(std::string_view label, const std::vector<EdacDimm>& dimms,
                          const DimmNames& names) {
  if (label.empty()) return {};
  for (const EdacDimm& dimm : dimms)
    if (dimm.kernel_label == label || dimm.label == label) return dimm.module;
  const std::string known = names.fmri(label);
  return known.empty() ? make_fmri("mem", {{"dimm", std::string(label)}}) : known;
}

}  // namespace fmd::hardware
