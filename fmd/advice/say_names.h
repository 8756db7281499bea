// SayNames: commands in the sentences of a Say take the names that a person sees. Pure.
#pragma once
#include <map>
#include <string>

#include "fmd/advice/say.h"
#include "fmd/advice/situation.h"

namespace fmd {

// The names in all texts about one case: the same part has the same name in each.
class CaseNames {
 public:
  CaseNames(const Case& c, const SayWorld& world) : CaseNames(situation_of(c, world), world) {}
  CaseNames(const Situation& s, const SayWorld& world);

  // Each FMRI of a known part by its name; in a quoted command as commands take it.
  std::string in(std::string text) const;

 private:
  const Inventory& inventory_;
  const PartIndex& index_;
  std::map<std::string, std::string, std::less<>> in_command_;
};

// Rules and actions use FMRIs; people read and type the names printed on the machine.
void name_the_parts(const Situation& s, const SayWorld& world, Say& say);
// For a part with several cases, the command ends only this one.
void acquit_by_case(const Case& c, const Situation& s, const SayWorld& world, Say& say);

}  // namespace fmd
