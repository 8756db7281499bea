// Hanging: the parts that a rule of kind common compares, by number, and the ancestors of each that
// have enough parts below them to be the cause. Made from the inventory, and valid until the
// relations or the presence of parts change. A finding is then counted without a look at the
// relations. Pure, single thread.
#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "fmd/base/text_hash.h"
#include "fmd/diagnosis/topology.h"
#include "fmd/model/inventory.h"
#include "fmd/rules/rules.h"

namespace fmd {

class Hanging {
 public:
  using Id = uint32_t;  // of a part, or of an ancestor
  using Ids = std::vector<Id>;

  Hanging(const Inventory& inventory, Topology topology, const Rule& rule);

  // Compared parts are numbered in the order of their FMRIs. Other accused parts get their numbers at the
  // first call.
  Id part(const std::string& fmri);
  std::optional<Id> known_part(std::string_view fmri) const { return find(ids_, fmri); }
  std::optional<Id> ancestor(std::string_view fmri) const { return find(ancestor_ids_, fmri); }
  const std::string& part_name(Id part) const { return parts_[part].fmri; }
  const std::string& ancestor_name(Id one) const { return ancestors_[one].fmri; }
  size_t parts() const { return parts_.size(); }
  size_t ancestors() const { return ancestors_.size(); }
  size_t groups() const { return groups_.size(); }

  bool compares(Id part) const { return part < compared_; }
  bool is_present(Id part) const { return parts_[part].present; }
  bool hangs(Id part) const { return parts_[part].ways > 0; }  // has an ancestor
  // Number of its paths; 1 for a part with ancestors but without paths.
  size_t ways(Id part) const { return parts_[part].ways; }
  bool all_present() const { return all_present_; }
  // Its ancestors, nearest first.
  const Ids& above(Id part) const { return groups_[parts_[part].group]; }
  Ids above_over(Id part, const std::set<std::string>& ways) const;
  // Parts with exactly the same ancestors are a group.
  Id group(Id part) const { return parts_[part].group; }
  const Ids& above_group(Id group) const { return groups_[group]; }
  size_t present_in(Id group) const { return present_in_[group]; }  // compared parts only
  // All parts that are compared, present or not, ascending.
  const Ids& below(Id ancestor) const { return ancestors_[ancestor].below; }
  bool is_below(Id part, Id ancestor) const;
  bool includes(Id wide, Id narrow) const;  // all parts below `narrow` are below `wide`
  bool is_above(Id ancestor, Id other) const {
    return topology_.is_above(ancestor_name(ancestor), ancestor_name(other));
  }

 private:
  struct Part {
    std::string fmri;
    bool present = false;
    size_t ways = 0;
    Id group = 0;
  };
  struct Ancestor {
    std::string fmri;
    Ids below;
  };
  using Numbers = std::unordered_map<std::string, Id, TextHash, std::equal_to<>>;
  static std::optional<Id> find(const Numbers& in, std::string_view fmri) {
    const auto at = in.find(fmri);
    return at == in.end() ? std::nullopt : std::optional(at->second);
  }
  size_t ways_among(const std::vector<std::string>& above) const;
  Ids numbered(const std::vector<std::string>& above) const;
  Id group_of(Ids above);

  const Inventory& inventory_;
  Topology topology_;
  std::vector<Part> parts_;
  std::vector<Ancestor> ancestors_;
  std::vector<Ids> groups_;
  std::vector<size_t> present_in_;  // by group
  std::map<Ids, Id> group_ids_;
  Numbers ids_, ancestor_ids_;
  size_t compared_ = 0;
  bool all_present_ = true;
  mutable std::unordered_map<uint64_t, bool> includes_;  // asked before
};

}  // namespace fmd
