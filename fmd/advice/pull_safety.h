// PullSafety: whether a person may pull a disk now. "yes" only if the inventory proves that no pool
// would be suspended and no last copy removed. In doubt it is "no", with the reason. Pure.
#pragma once
#include <string>
#include <string_view>

#include "fmd/model/inventory.h"

namespace fmd {

struct PullSafety {
  enum class Answer { yes, no, not_a_part };
  Answer answer = Answer::not_a_part;
  std::string why;  // a clause, without a full stop; "" of not_a_part

  bool yes() const { return answer == Answer::yes; }
  bool operator==(const PullSafety&) const = default;
};
std::string_view answer_name(PullSafety::Answer answer);  // "not_a_part"

// disk: FMRI of a dev:// resource.
PullSafety pull_safety(const Inventory& inventory, std::string_view disk);

}  // namespace fmd
