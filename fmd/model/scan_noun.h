// Scan nouns: ZFS resilvers and scrubs; md and LVM rebuild and check. The inventory has one word
// for both (schemas/resources.md: "scan", "busy"); texts use the word of the part's own manual.
// Pure.
#pragma once
#include <string_view>

namespace fmd {

// fmri: of the pool, array or volume, or of a member. work: "resilver", "scrub", "expand", …; any
// other word is returned as it is.
inline std::string_view scan_noun(std::string_view fmri, std::string_view work) {
  if (work == "expand") return "expansion";
  if (fmri.starts_with("zfs://")) return work;
  return work == "resilver" ? "rebuild" : work == "scrub" ? "check" : work;
}

// "resilvering", "rebuilding".
inline std::string_view filling_word(std::string_view fmri) {
  return fmri.starts_with("zfs://") ? "resilvering" : "rebuilding";
}

}  // namespace fmd
