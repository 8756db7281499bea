#include "plugins/system/memory.h"

#include <map>

#include "fmd/chassis/properties.h"
#include "fmd/model/fmri.h"
#include "plugins/sdk/dimm_names.h"
#include "plugins/sdk/system_id.h"
#include "plugins/system/sysfs.h"

namespace fmd::machine {
namespace {

using nlohmann::json;

constexpr const char* kEdac = "/sys/devices/system/edac/mc";

std::string real(const std::string& text) {
  return sdk::is_nobodys_text(text) ? std::string() : text;
}

// What EDAC may call a module: its ghes driver writes "BANK LOCATOR", an administrator's
// ras-mc-ctl mostly the locator. What a description says of it goes before all guesses.
std::vector<std::string> names_of(const sdk::MemoryModule& m, const std::string& label,
                                  const Descriptions& descriptions) {
  if (const auto* fru = chassis::find_fru(descriptions, "dimm", "locator", label))
    if (const std::string edac = fru->key("edac"); !edac.empty()) return {edac};
  return {m.locator, m.bank + " " + m.locator, m.bank + "_" + m.locator, m.bank + m.locator};
}

struct Counted {  // one dimm* of one memory controller
  std::string folder, label, mc, number;
};

std::vector<Counted> counted_by_edac(const sdk::Host& host) {
  std::vector<Counted> out;
  for (const std::string& mc : names_in(host, kEdac)) {
    if (!mc.starts_with("mc")) continue;
    const std::string controller = std::string(kEdac) + "/" + mc;
    for (const std::string& name : names_in(host, controller)) {
      // Older drivers know ranks only.
      const size_t digits = name.starts_with("dimm") || name.starts_with("rank") ? 4 : name.npos;
      if (digits >= name.size()) continue;
      const std::string folder = controller + "/" + name;
      if (read_number(host, folder + "/size").value_or(0) <= 0) continue;
      out.push_back(
          {folder, read_text(host, folder + "/dimm_label"), mc.substr(2), name.substr(digits)});
    }
  }
  return out;
}

void add_counts(const Counted& from, const std::string& fmri, const sdk::Host& host, Facts& facts) {
  json& dimm = facts.resources[fmri];
  set_text(dimm, "edac_label", from.label);
  set_text(dimm, "edac_location", read_text(host, from.folder + "/dimm_location"));
  set_text(dimm, "edac_mode", read_text(host, from.folder + "/dimm_edac_mode"));
  dimm["properties"]["edac"] = "mc" + from.mc + "/dimm" + from.number;
  auto& gauges = facts.gauges["edac mc" + from.mc];
  gauges.push_back({fmri, "ce_count", from.folder + "/dimm_ce_count", 1, "count"});
  gauges.push_back({fmri, "ue_count", from.folder + "/dimm_ue_count", 1, "count"});
}

void add_module(const sdk::MemoryModule& m, const std::string& label, const std::string& fmri,
                Facts& facts) {
  json& dimm = facts.add(fmri, "dimm");
  json& properties = dimm["properties"];
  properties["label"] = label;
  if (m.size_bytes > 0) properties["size_bytes"] = m.size_bytes;
  if (m.configured_mts > 0 || m.speed_mts > 0)
    properties["speed"] = m.configured_mts > 0 ? m.configured_mts : m.speed_mts;
  if (m.speed_mts > 0) properties["speed_max"] = m.speed_mts;
  set_text(dimm, "locator", m.locator);
  set_text(dimm, "bank", real(m.bank));
  set_text(dimm, "manufacturer", real(m.manufacturer));
  set_text(dimm, "serial", real(m.serial));
  set_text(dimm, "part_number", real(m.part_number));
  set_text(dimm, "technology", m.technology);
  facts.contain(fmri);
}

void add_counted_only(const Counted& from, bool only_source, const sdk::Host& host, Facts& facts) {
  std::string fmri = make_fmri("mem", {{"mc", from.mc}, {"dimm", from.number}});
  if (only_source && !from.label.empty())
    if (const std::string named = make_fmri("mem", {{"dimm", from.label}}); !facts.has(named))
      fmri = named;
  json& dimm = facts.add(fmri, only_source ? "dimm" : "edac-dimm");
  set_text(dimm, "label", from.label);
  dimm["properties"]["size_bytes"] =
      read_number(host, from.folder + "/size").value_or(0) * (int64_t{1} << 20);
  set_text(dimm, "technology", read_text(host, from.folder + "/dimm_mem_type"));
  facts.contain(fmri);
  add_counts(from, fmri, host, facts);
}

}  // namespace

void add_memory(const sdk::Host& host, const sdk::Smbios& smbios, const Descriptions& descriptions,
                Facts& facts) {
  const std::vector<std::string> labels = sdk::dimm_labels(smbios.modules);
  std::map<std::string, std::string> by_name;  // what EDAC may say → FMRI; "" for several
  for (size_t i = 0; i < labels.size(); ++i) {
    const std::string fmri = make_fmri("mem", {{"dimm", labels[i]}});
    add_module(smbios.modules[i], labels[i], fmri, facts);
    std::map<std::string, bool> once;
    for (const std::string& name : names_of(smbios.modules[i], labels[i], descriptions))
      if (once.emplace(name, true).second) {
        const auto [at, is_new] = by_name.emplace(name, fmri);
        if (!is_new) at->second.clear();
      }
  }
  for (const Counted& counted : counted_by_edac(host)) {
    const auto at = by_name.find(counted.label);
    if (at != by_name.end() && !at->second.empty()) {
      add_counts(counted, at->second, host, facts);
      at->second.clear();  // a second one of that label is another rank: not mixed up with it
    } else {
      add_counted_only(counted, smbios.modules.empty(), host, facts);
    }
  }
}

}  // namespace fmd::machine
