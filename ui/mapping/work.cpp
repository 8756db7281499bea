#include "ui/mapping/work.h"

#include <fmt/format.h>

#include <algorithm>
#include <ctime>

#include "fmd/base/natural_less.h"
#include "fmd/model/fmri.h"
#include "ui/client/words.h"

namespace fmd::mapping {
namespace {

using ui::clean;

constexpr double kWidthMm = 438.0, kUnitMm = 44.0;  // of a 19" chassis, of a rack unit

std::vector<const Resource*> bays_of(const Inventory& inventory, const Resource& chassis) {
  std::vector<const Resource*> bays;
  for (const Edge& edge : chassis.edges)
    if (const Resource* r = inventory.find(edge.to); r && r->type == "bay" && r->present)
      bays.push_back(r);
  std::stable_sort(bays.begin(), bays.end(), [](const Resource* a, const Resource* b) {
    return natural_less(a->fmri, b->fmri);
  });
  return bays;
}

Result<const Resource*> choose(const Inventory& inventory, const std::string& wanted) {
  std::vector<const Resource*> all;
  if (wanted.empty()) {
    for (const auto& [fmri, r] : inventory.all())
      if (!bays_of(inventory, r).empty()) all.push_back(&r);
  } else {
    all = inventory.lookup(wanted);
  }
  std::erase_if(all, [](const Resource* r) { return r->type != "enclosure" || !r->present; });
  if (all.size() == 1) return all.front();
  if (all.empty())
    return fail(wanted.empty()
                    ? "no chassis with bays is known; see: fmadm config"
                    : "no chassis is called " + clean(wanted) + "; see: fmadm chassis show");
  std::string names;
  for (const Resource* r : all) names += (names.empty() ? "" : ", ") + clean(r->get("id"));
  return fail(wanted.empty()
                  ? "there are several; name one with --chassis: " + names
                  : "several are called " + clean(wanted) + "; name one by its id: " + names);
}

}  // namespace

Result<Work> host_with(const Inventory& inventory, const std::vector<std::string>& enclosures) {
  Work work;
  work.draft.host = true;
  for (const auto& [fmri, r] : inventory.all())
    if (r.type == "system" && r.present) {
      work.draft.id = r.get("id");
      work.draft.label = r.get("model");
    }
  if (work.draft.id.empty()) return fail("fmd does not know this machine yet; see: fmadm config");
  for (const std::string& name : enclosures) {
    const auto enclosure = choose(inventory, name);
    if (!enclosure) return tl::unexpected(enclosure.error());
    const std::string member = enclosures.size() == 1
                                   ? "backplane"
                                   : fmt::format("backplane-{}", work.draft.members.size() + 1);
    work.draft.members[member] = (*enclosure)->get("id");
    for (const Resource* bay : bays_of(inventory, **enclosure)) work.bays.push_back({bay, member});
  }
  if (const Resource* own = inventory.find(make_fmri("hc", {{"chassis", work.draft.id}})))
    for (const Resource* bay : bays_of(inventory, *own)) work.bays.push_back({bay, ""});
  return work;
}

Result<Work> work_of(const Inventory& inventory, const std::string& name) {
  const auto chassis = choose(inventory, name);
  if (!chassis) return tl::unexpected(chassis.error());
  Work work;
  for (const Resource* bay : bays_of(inventory, **chassis)) {
    work.bays.push_back({bay, ""});
    work.draft.host = !bay->get("place").empty();
  }
  if (work.bays.empty()) return fail(clean((*chassis)->fmri) + " has no bays");
  work.draft.id = (*chassis)->get("id");
  work.draft.label = (*chassis)->get("label");
  return work;
}

bool stands_upright(const std::string& view) {
  return view == "front" || view == "rear";
}

ChassisDraft::Side side_of(const std::string& view, int rows, int columns, int units_or_mm) {
  return {rows, std::max(columns, 1), kWidthMm,
          std::max(units_or_mm, 1) * (stands_upright(view) ? kUnitMm : 1)};
}

bool Answers::taken(const std::string& side, const std::pair<int, int>& at) const {
  return std::any_of(by_bay.begin(), by_bay.end(), [&](const auto& answer) {
    return answer.second.view == side && answer.second.at == at;
  });
}

Place Answers::free_place(const std::string& name, const ChassisDraft::Side& side) const {
  for (int row = 1; row <= side.rows; ++row)
    for (int column = 1; column <= side.columns; ++column)
      if (!taken(name, {row, column})) return Place({row, column});
  return {};
}

std::optional<size_t> Answers::with_label(const std::string& label) const {
  for (const auto& [index, answer] : by_bay)
    if (answer.label == label) return index;
  return {};
}

std::string today() {
  const time_t now = time(nullptr);
  struct tm parts {};
  localtime_r(&now, &parts);
  char text[16];
  return strftime(text, sizeof text, "%Y-%m-%d", &parts) > 0 ? text : "";
}

}  // namespace fmd::mapping
