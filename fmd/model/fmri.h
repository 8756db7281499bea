// FMRI strings name resources: scheme://key=value/key=value...
//   hc://chassis=5000c500fa0e5e50/bay=3     a bay of an enclosure (hardware component)
//   dev://wwn=5000c500a0000003              a disk by its own identity, wherever it sits;
//   dev://serial=MODEL:SERIAL               the same when it has no WWN
//   zfs://pool=GUID  zfs://pool=GUID/vdev=GUID   decimal guids, as zpool(8) takes them
//   fmd://plugin=zfs                        a part of fmd itself
// Values may hold any byte; all but [A-Za-z0-9._:@+-] are written %XX, so an FMRI is always plain
// ASCII without blanks. Identity is serial, WWN, guid or enclosure id + slot, never a device name.
#pragma once
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "fmd/base/result.h"

namespace fmd {

struct Fmri {
  std::string scheme;
  std::vector<std::pair<std::string, std::string>> parts;  // decoded values, outermost first

  static Result<Fmri> parse(std::string_view text);
  std::string str() const;                      // canonical, escaped
  std::string get(std::string_view key) const;  // "" when absent
};

// make_fmri("zfs", {{"pool", "123"}, {"vdev", "456"}}) == "zfs://pool=123/vdev=456"
std::string make_fmri(std::string scheme, std::vector<std::pair<std::string, std::string>> parts);

// For something shared that is no resource, such as the power feed: "power feed" → "hc://in-
// common=power-feed".
std::string in_common_fmri(std::string_view words);
// As a person reads it: "the power feed" of such a one, any other as it is.
std::string fmri_words(std::string_view fmri);

// True for an FMRI in the form of str() and without %XX: a fast check of the usual case. False
// proves nothing.
bool is_canonical_fmri(std::string_view text);

}  // namespace fmd
