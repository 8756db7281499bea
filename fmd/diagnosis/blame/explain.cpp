// The explanations of a part's items. Their odds are those against each item having a cause of its
// own.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <utility>

#include "fmd/diagnosis/blame/blame.h"

namespace fmd::blame {
namespace {

Explanation explanation(Explanation::Kind kind, const Hypothesis& h, double log) {
  Explanation out;
  out.kind = kind;
  for (const Item* item : h.items) out.parts.push_back(item->part);
  out.of = h.items.size() + h.well;
  out.within_ns = h.items.back()->onset_ns - h.items.front()->onset_ns;
  out.excluded = log <= kImpossible / 2;
  out.log_odds = log - h.apart.alone;
  return out;
}

void make_relative(std::vector<Explanation>& all) {
  std::stable_sort(all.begin(), all.end(), [](const Explanation& a, const Explanation& b) {
    return a.log_odds > b.log_odds;
  });
  const double best = all.front().log_odds;
  double sum = 0;
  for (Explanation& one : all) sum += std::exp(one.log_odds -= best);
  for (Explanation& one : all) one.probability = std::exp(one.log_odds) / sum;
}

bool is_place_or_path(const Explanation& one) {
  return one.kind == Explanation::Kind::hub &&
         (one.hub == HubKind::path || one.hub == HubKind::enclosure);
}

// A path and an enclosure with the same disks: no evidence tells which of them it is.
void merge_equals(std::vector<Explanation>& all) {
  for (size_t i = 0; i < all.size(); ++i)
    for (size_t j = all.size() - 1; j > i; --j) {
      if (!is_place_or_path(all[i]) || !is_place_or_path(all[j])) continue;
      if (all[i].parts != all[j].parts || all[i].of != all[j].of) continue;
      if (all[i].hub != HubKind::path) std::swap(all[i], all[j]);
      all[i].log_odds = log_sum(std::array{all[i].log_odds, all[j].log_odds});
      all[i].names.insert(all[i].names.end(), all[j].names.begin(), all[j].names.end());
      all.erase(all.begin() + static_cast<std::ptrdiff_t>(j));
    }
}

}  // namespace

Blame::Explained Blame::explained_beside(const Item& item) const {
  Explained out;
  for (const Hypothesis& cause : causes_) {
    if (cause.way != item.way) continue;
    if (std::find(cause.items.begin(), cause.items.end(), &item) != cause.items.end()) continue;
    for (const Item* other : cause.items) {
      out.items.insert(other);
      out.disks.insert(disk_of(*other));
    }
  }
  return out;
}

// The items that no other cause explains, by onset, with this one; one a disk.
Blame::List Blame::beside(const Item& item, const Explained& explained) const {
  std::map<Hubs::Id, const Item*> of_disks;
  List out{&item};
  const Hubs::Id own = disk_of(item);
  for (const auto& [key, other] : items_.all()) {
    const auto expires = other.expires_ns(Items::kDay);
    const Hubs::Id disk = disk_of(other);
    if (other.way != item.way || other.own || other.undated || !other.counts() ||
        explained.items.contains(&other) || removed_.contains(other.part) || is_stale(other) ||
        (expires && now_ns_ > *expires) || disk == own || disk == Hubs::kNone ||
        !of_disks.try_emplace(disk, &other).second)
      continue;
    out.push_back(&other);
  }
  std::sort(out.begin(), out.end(), [](const Item* a, const Item* b) { return a->is_before(*b); });
  return out;
}

std::vector<Explanation> Blame::hubs_for(const Item& item, const Explained& explained,
                                         const Hypothesis* cause) const {
  std::vector<Explanation> out;
  if (item.own || item.undated || !item.counts()) return out;
  for (const Hubs::Id hub : hubs_of(item.part)) {
    const Hypothesis h = cause && cause->hub == hub ? *cause : evaluate(hub, item.way, explained);
    if (std::find(h.items.begin(), h.items.end(), &item) == h.items.end()) continue;
    out.push_back(explanation(Explanation::Kind::hub, h, h.hub_log));
    out.back().hub = hubs_.hubs()[hub].kind;
    out.back().names = hubs_.hubs()[hub].names;
  }
  merge_equals(out);
  return out;
}

std::optional<Explanation> Blame::batch_for(const Item& item, const List& others) const {
  const Hubs::Id disk = disk_of(item);
  if (!item.hard || item.own || disk == Hubs::kNone) return {};
  const Hubs::Id model = hubs_.parts()[disk].model;
  List batch;
  for (const Item* one : others)
    if (one->hard && hubs_.parts()[disk_of(*one)].model == model) batch.push_back(one);
  if (model == Hubs::kNone || batch.size() < 2) return {};
  Hypothesis h = hypothesis(Hubs::kNone, item.way, std::move(batch), 0);
  Explanation out = explanation(Explanation::Kind::batch, h, h.apart.batch);
  out.of = hubs_.of_model(model);
  return out;
}

// The removals before and after it, as long as each makes hands more likely.
Hypothesis Blame::handled(const Item& item, const List& others) const {
  const auto gain = [](const Hypothesis& h) { return h.apart.hands - h.apart.alone; };
  List left;
  for (const Item* one : others)
    if (one == &item || trouble(*one, one->onset_ns).may_be_pulled) left.push_back(one);
  auto first = std::find(left.begin(), left.end(), &item), end = first + 1;
  Hypothesis best = hypothesis(Hubs::kNone, item.way, {first, end}, 0);
  for (bool grows = true; grows;) {
    grows = false;
    for (const bool later : {false, true}) {
      if (later ? end == left.end() : first == left.begin()) continue;
      const auto from = later ? first : first - 1, to = later ? end + 1 : end;
      Hypothesis next = hypothesis(Hubs::kNone, item.way, {from, to}, 0);
      if (gain(next) <= gain(best)) continue;
      best = std::move(next);
      first = from;
      end = to;
      grows = true;
    }
  }
  return best;
}

Explanation Blame::hands_for(const Hypothesis& h) const {
  Explanation out = explanation(Explanation::Kind::hands, h, h.apart.hands);
  std::map<Hubs::Id, size_t> lost;
  for (const Trouble& one : h.troubles)
    if (one.group != Hubs::kNone && ++lost[one.group] > one.spare_copies && out.group.empty()) {
      out.group = hubs_.group(one.group).name;
      out.tolerance = one.spare_copies;
    }
  return out;
}

Account Blame::account(const Item& item) const {
  Account out{item.part, item.way, item.hard, item.own, item.onset_ns, {}};
  const Explained explained = explained_beside(item);
  List others = beside(item, explained);
  List mine{&item};
  const auto known = std::find_if(causes_.begin(), causes_.end(), [&](const Hypothesis& cause) {
    return std::find(cause.items.begin(), cause.items.end(), &item) != cause.items.end();
  });
  const Hypothesis* cause = known == causes_.end() ? nullptr : &*known;
  if (cause) others = mine = cause->items;
  out.explanations = hubs_for(item, explained, cause);
  const Hypothesis alone = hypothesis(Hubs::kNone, item.way, mine, 0);
  out.explanations.push_back(explanation(Explanation::Kind::alone, alone, alone.apart.alone));
  if (auto batch = batch_for(item, others)) out.explanations.push_back(std::move(*batch));
  if (item.way == Way::path && !item.own)
    out.explanations.push_back(hands_for(mine.size() > 1 ? alone : handled(item, others)));
  make_relative(out.explanations);
  return out;
}

std::vector<Account> Blame::explanations(const std::string& part) const {
  std::vector<Account> out;
  for (const Way way : {Way::path, Way::data})
    if (const Item* item = items_.find(part, way);
        item && !is_stale(*item) && now_ns_ <= item->expires_ns(Items::kDay).value_or(now_ns_))
      out.push_back(account(*item));
  return out;
}

}  // namespace fmd::blame
