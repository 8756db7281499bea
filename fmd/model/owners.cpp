#include "fmd/model/owners.h"

#include <algorithm>
#include <array>

namespace fmd {
namespace {

constexpr std::string_view kDisk = "disk", kEnclosure = "enclosure", kRedfish = "redfish";

// "bay=3" of "hc://chassis=1/bay=3".
std::string_view last_component(std::string_view fmri) {
  return fmri.substr(fmri.rfind('/') + 1);
}

bool is_bay(std::string_view fmri) {
  return fmri.starts_with("hc://") && last_component(fmri).starts_with("bay=");
}

// A part that its acting plugin takes out of service and puts back.
bool is_retirable(std::string_view fmri) {
  return fmri.starts_with("cpu://") || fmri.starts_with("mem://page=") ||
         fmri.starts_with("zfs://") || fmri.starts_with("md://");
}

// Whether and why a part is out of service, and what may be done about it (schemas/resources.md, "ASRU words").
bool is_asru_word(std::string_view property) {
  static constexpr std::array<std::string_view, 18> kWords{
      "service",        "service_by",      "service_until",
      "spare",          "spare_by",        "spare_key",
      "busy",           "spare_refusal",   "spares_available",
      "retired_by",     "replacing",       "lost",
      "retire_refusal", "degrade_refusal", "losses_left",
      "losses_group",   "group",           "unit"};
  return std::find(kWords.begin(), kWords.end(), property) != kWords.end();
}

}  // namespace

std::string_view owner_of(std::string_view fmri) {
  static constexpr std::array<std::pair<std::string_view, std::string_view>, 8> kOwners{
      {{"dev://wwn=", kDisk},
       {"dev://serial=", kDisk},
       {"dev://path=", kDisk},
       {"fs://", kDisk},
       {"zfs://", "zfs"},
       {"md://", "volumes"},
       {"dm://", "volumes"},
       {"btrfs://", "volumes"}}};
  if (is_bay(fmri))  // fmd-redfish names the bays that only the BMC knows
    return last_component(fmri).starts_with("bay=redfish-") ? kRedfish : kEnclosure;
  for (const auto& [prefix, owner] : kOwners)
    if (fmri.starts_with(prefix)) return owner;
  return {};
}

std::string_view acting_plugin(std::string_view fmri) {
  if (fmri.starts_with("cpu://") || fmri.starts_with("mem://page=")) return "cpu";
  if (fmri.starts_with("hc://system=")) return "ipmi";  // drives the identify LED
  return owner_of(fmri);
}

std::string_view only_source_of(std::string_view fmri, std::string_view property) {
  static constexpr std::array<std::string_view, 9> kOfDisks{
      "content", "content_reason", "path",   "paths",       "by_id",
      "by_path", "diskseq",        "device", "kernel_state"};
  if (is_retirable(fmri) && is_asru_word(property)) return acting_plugin(fmri);
  if (owner_of(fmri) != kDisk) return {};
  if (property.starts_with("smart.")) return "smart";
  return std::find(kOfDisks.begin(), kOfDisks.end(), property) != kOfDisks.end() ? kDisk : "";
}

}  // namespace fmd
