#include "fmd/advice/pull_order.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "fmd/advice/say_safety.h"
#include "fmd/advice/situation.h"
#include "fmd/advice/storage.h"
#include "fmd/base/json.h"

namespace fmd {
namespace {

struct Candidate {
  Situation situation;
  int severity = 0;
  int64_t opened_ns = 0;
  bool in_use = false;  // the pool works with it, if only beside its spare
  bool spare = false;   // a spare holds its data
  int64_t losses_left = 0;
  bool checked_first = false;  // its case orders to look for a shared cause

  // First a disk that is out of use and has no spare: only its replacement restores redundancy.
  // Then a disk whose data a spare holds; last one that is in use without a spare. Among equals, the
  // one to be replaced comes first, then the graver fault.
  auto rank() const {
    const int turn = spare ? 1 : in_use ? 2 : 0;
    return std::tuple(turn, !situation.replaces, -severity, opened_ns, situation.name);
  }
};

// Only a disk that its case wants replaced: one that is too hot stays where it is.
bool is_candidate(const Case& c, const Situation& s, const SayWorld& world) {
  if (!s.replaces && !c.retire.replace_same_bay) return false;
  if (!c.faulty() || c.state == CaseState::unsolved || c.information) return false;
  if (!s.suspect || !s.is_disk || !s.vdev || !s.storage) return false;
  if (is_idle_spare(*s.vdev) || s.vdev->is("role", "cache")) return false;
  return safety_of(s, world).yes();
}

// Disks of one group back each other up: raidz1-0, mirror-2, an array.
std::map<std::string, std::vector<Candidate>> groups_of(const std::vector<const Case*>& open,
                                                        const SayWorld& world) {
  std::map<std::string, std::vector<Candidate>> groups;
  for (const Case* c : open) {
    Situation s = situation_of(*c, world);
    if (!is_candidate(*c, s, world)) continue;
    const Resource& vdev = *s.vdev;
    const bool in_use = vdev.present && !s.out;
    const bool spare = vdev.is("spare", "active");
    auto& group =
        groups[s.storage->fmri + '|' + vdev.get("group") + '|' + vdev.get("losses_group")];
    const auto same = std::find_if(group.begin(), group.end(), [&](const Candidate& known) {
      return known.situation.suspect->fru == s.suspect->fru;
    });
    const int64_t left = number_in(vdev, "losses_left", 0);
    const bool checked_first = !c->undecided().empty() || may_share_cause(*c, s);
    Candidate one{std::move(s), severity_rank(c->severity), c->opened_ns, in_use, spare, left,
                  checked_first};
    if (same == group.end())
      group.push_back(std::move(one));
    else if (one.rank() < same->rank())
      *same = std::move(one);
  }
  return groups;
}

// Without these disks, the group has lost as many as are in use; each can survive losses_left more.
bool survives_without_all(const std::vector<Candidate>& group) {
  int64_t in_use = 0, left = 0;
  for (const Candidate& one : group) {
    if (!one.in_use) continue;
    left = in_use == 0 ? one.losses_left : std::min(left, one.losses_left);
    ++in_use;
  }
  return in_use <= left + 1;
}

std::string text_of(const std::vector<Candidate>& group, bool together) {
  const std::string storage = storage_name(*group.front().situation.storage);
  const bool checked_first = std::any_of(group.begin(), group.end(),
                                         [](const Candidate& one) { return one.checked_first; });
  std::string text =
      checked_first ? fmt::format("If you have to pull disks of {}, pull one at a time", storage)
                    : fmt::format("Pull one disk of {} at a time", storage);
  text += fmt::format(", {} first", group.front().situation.name);
  const Candidate& first = group.front();
  const bool spares =
      std::any_of(group.begin(), group.end(), [](const Candidate& one) { return one.spare; });
  if (together && spares && !first.spare && !first.in_use)
    return text + ": no spare holds its data.";
  if (together) return text + '.';
  const std::string others = group.size() == 2 ? group.back().situation.name : "the others";
  return fmt::format("{}: after that {} may no longer be safe to pull.", text, others);
}

}  // namespace

std::vector<PullOrder> pull_orders(const std::vector<const Case*>& open, const SayWorld& world) {
  std::vector<PullOrder> out;
  for (auto& [key, group] : groups_of(open, world)) {
    if (group.size() < 2) continue;
    std::sort(group.begin(), group.end(),
              [](const Candidate& a, const Candidate& b) { return a.rank() < b.rank(); });
    PullOrder order;
    order.storage = group.front().situation.storage->fmri;
    for (const Candidate& one : group) order.disks.push_back(one.situation.suspect->fru);
    order.together = survives_without_all(group);
    order.text = text_of(group, order.together);
    out.push_back(std::move(order));
  }
  return out;
}

nlohmann::json to_json(const PullOrder& order) {
  return {{"storage", order.storage},
          {"disks", order.disks},
          {"together", order.together},
          {"text", order.text}};
}

}  // namespace fmd
