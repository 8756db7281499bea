// Doubts: the undecided findings (verdicts_undecided.cpp), by what their parts hang on. A finding
// is in doubt while the rule's `count` of parts below such an ancestor are. Updated as findings
// come and go, so the last of a thousand costs as much as the last of ten. Pure, single thread;
// part of Engine.
#pragma once
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "fmd/diagnosis/hanging.h"
#include "fmd/rules/rules.h"

namespace fmd {

class Doubts {
 public:
  // A part and its ancestors, as a rule of kind common sees them, on the failing paths.
  struct Place {
    const Rule* common;
    Hanging::Id part;
    Hanging::Ids above;
  };

  // Replaces what is known of the case; empty: it is not in doubt.
  void file(const std::string& uuid, std::vector<Place> places);
  void clear() { *this = {}; }
  // Of the cases that were filed since the last call, or have lost others below the same part: which have too few beside
  // them now.
  std::set<std::string> take_alone();

 private:
  using Above = std::pair<const Rule*, Hanging::Id>;
  using Parts = std::map<Hanging::Id, std::set<std::string>>;  // and the cases about each
  void add(const std::string& uuid, const Place& place);
  void take_out(const std::string& uuid, const Place& place);
  bool has_company(const std::string& uuid) const;

  std::map<std::string, std::vector<Place>> places_;  // by case
  std::map<Above, Parts> below_;
  std::set<std::string> changed_;
};

}  // namespace fmd
