// Crowd: which parts are accused, and how many of them hang on each ancestor (hanging.h). The
// counts are updated as findings come and go, so that a common cause (common_cause.h) is found
// without a walk over all parts. Several findings may accuse a part; it stays until the last one is
// withdrawn. A finding about a path (`path` resources) counts only against that path's components,
// unless another finding is about the part itself. Signs count only without any finding. Pure,
// single thread.
#pragma once
#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "fmd/diagnosis/hanging.h"

namespace fmd {

class Crowd {
 public:
  using Id = Hanging::Id;
  using Ways = std::set<std::string>;

  explicit Crowd(std::shared_ptr<Hanging> hanging);

  void accuse(Id part, const Ways& ways);
  void take_back(Id part, const Ways& ways);
  void add_sign(Id part);
  void take_sign(Id part);

  const Hanging& hanging() const { return *hanging_; }
  size_t size() const { return size_; }
  bool contains(Id part) const { return part < words_.size() && words_[part].any(); }
  bool is_accused(Id part) const { return contains(part) && !words_[part].only_signs(); }
  Ways ways(Id part) const;  // none: the part itself
  // There, or accused: what left long ago is no sign that others are well.
  bool counts(Id part) const { return hanging_->is_present(part) || contains(part); }

  // For the parts that are compared and have an ancestor:
  size_t all() const { return all_; }
  size_t bad() const { return bad_; }
  size_t all_ways() const { return all_ways_; }
  size_t below(Id ancestor) const { return tallies_[ancestor].below; }      // that count
  size_t accused(Id ancestor) const { return tallies_[ancestor].accused; }  // on whatever way
  size_t failing(Id ancestor) const {
    return tallies_[ancestor].failing;
  }  // on a way that it lies on
  // None of these is accused itself, on any path.
  bool only_ways_fail(Id ancestor) const { return tallies_[ancestor].whole == 0; }
  bool fails_over(Id part, Id ancestor) const;
  std::vector<Id> failing_parts(Id ancestor) const;
  size_t whole_in(Id group) const { return group < groups_.size() ? groups_[group] : 0; }
  // Parts accused on some paths only: the components of these.
  const std::map<Id, Hanging::Ids>& on_ways() const { return on_ways_; }
  const std::set<Id>& strangers() const { return strangers_; }  // what is not compared

 private:
  struct Words {
    uint32_t whole = 0, on_ways = 0, signs = 0;
    bool any() const { return whole + on_ways + signs > 0; }
    bool only_signs() const { return whole + on_ways == 0; }
    bool ways_only() const { return whole == 0 && on_ways > 0; }
  };
  struct Tally {
    size_t below = 0, accused = 0, failing = 0, whole = 0;
  };
  template <class Change>
  void change(Id part, const Change& change);
  void count(Id part, bool in);

  std::shared_ptr<Hanging> hanging_;
  std::vector<Words> words_;
  std::map<Id, std::map<std::string, uint32_t>> ways_;
  std::vector<Tally> tallies_;  // by ancestor
  std::vector<size_t> groups_;  // those accused themselves
  std::map<Id, Hanging::Ids> on_ways_;
  std::set<Id> strangers_;
  size_t size_ = 0, all_ = 0, bad_ = 0, all_ways_ = 0;
};

}  // namespace fmd
