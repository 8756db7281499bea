#include "fmd/model/owners.h"

#include <algorithm>
#include <array>

namespace fmd {
namespace {

constexpr std::string_view kDisk = "disk", kEnclosure = "enclosure";

bool is_bay(std::string_view fmri) {
  return fmri.starts_with("hc://") && fmri.substr(fmri.rfind('/') + 1).starts_with("bay=");
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
  if (is_bay(fmri)) return kEnclosure;
  for (const auto& [prefix, owner] : kOwners)
    if (fmri.starts_with(prefix)) return owner;
  return {};
}

bool is_for_owner_alone(std::string_view fmri, std::string_view property) {
  static constexpr std::array<std::string_view, 9> kOfDisks{
      "content", "content_reason", "path",   "paths",       "by_id",
      "by_path", "diskseq",        "device", "kernel_state"};
  return owner_of(fmri) == kDisk &&
         std::find(kOfDisks.begin(), kOfDisks.end(), property) != kOfDisks.end();
}

}  // namespace fmd
