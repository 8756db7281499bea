#include "plugins/system/memory.h"

#include "fmd/chassis/properties.h"
#include "fmd/model/fmri.h"
#include "plugins/hardware/dimm_names.h"
#include "plugins/hardware/edac_dimms.h"
#include "plugins/hardware/system_id.h"
#include "plugins/system/sysfs.h"

namespace fmd::machine {
namespace {

using nlohmann::json;

std::string real(const std::string& text) {
  return hardware::is_nobodys_text(text) ? std::string() : text;
}

void add_counts(const hardware::EdacDimm& from, const std::string& fmri, const sdk::Host& host,
                Facts& facts) {
  json& dimm = facts.resources[fmri];
  const std::string mc = "mc" + std::to_string(from.controller);
  set_text(dimm, "edac_label", from.kernel_label);
  set_text(dimm, "edac_location", read_text(host, from.folder + "/dimm_location"));
  set_text(dimm, "edac_mode", read_text(host, from.folder + "/dimm_edac_mode"));
  dimm["properties"]["edac"] = mc + "/dimm" + std::to_string(from.number);
  auto& gauges = facts.gauges["edac " + mc];
  gauges.push_back({fmri, "ce_count", from.folder + "/dimm_ce_count", 1, "count"});
  gauges.push_back({fmri, "ue_count", from.folder + "/dimm_ue_count", 1, "count"});
}

void add_module(const hardware::MemoryModule& m, const std::string& label, const std::string& fmri,
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

void add_counted_only(const hardware::EdacDimm& from, bool only_source, const sdk::Host& host,
                      Facts& facts) {
  const std::string& fmri = from.module;
  json& dimm = facts.add(fmri, only_source ? "dimm" : "edac-dimm");
  set_text(dimm, "label", from.label);
  dimm["properties"]["size_bytes"] = from.size_bytes;
  set_text(dimm, "technology", read_text(host, from.folder + "/dimm_mem_type"));
  facts.contain(fmri);
  add_counts(from, fmri, host, facts);
}

// The kernel counts some modules' ranks separately; a module's counts are the sum.
void add_rank(const hardware::EdacDimm& rank, bool only_source, Facts& facts) {
  if (only_source) {
    json& size = facts.resources[rank.module]["properties"]["size_bytes"];
    size = size.get<uint64_t>() + rank.size_bytes;
  }
  for (auto& [device, gauges] : facts.gauges)
    for (Gauge& g : gauges)
      if (g.resource == rank.module && (g.name == "ce_count" || g.name == "ue_count"))
        g.also.push_back(rank.folder + "/dimm_" + g.name);
}

}  // namespace

void add_memory(const sdk::Host& host, const hardware::Smbios& smbios,
                const Descriptions& descriptions, Facts& facts) {
  hardware::DimmNames names(smbios.modules);
  for (const auto& [edac, label] : chassis::edac_names(descriptions)) names.also(edac, label);
  const std::vector<std::string> labels = hardware::dimm_labels(smbios.modules);
  for (size_t i = 0; i < labels.size(); ++i)
    add_module(smbios.modules[i], labels[i], make_fmri("mem", {{"dimm", labels[i]}}), facts);
  for (const hardware::EdacDimm& dimm : hardware::edac_dimms(host, names))
    if (!dimm.own_counts)
      add_rank(dimm, smbios.modules.empty(), facts);
    else if (facts.has(dimm.module))
      add_counts(dimm, dimm.module, host, facts);
    else
      add_counted_only(dimm, smbios.modules.empty(), host, facts);
}

}  // namespace fmd::machine
