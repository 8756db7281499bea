#include "fmd/scene/case_picture.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace fmd::scene {
namespace {

constexpr double kRing = 1.6, kRingGap = 1.2;  // millimetres
constexpr size_t kMostSaid = 4;                // parts in the sentence

struct Shown {
  Scene scene;
  const Face* face = nullptr;
  std::vector<const Part*> parts;
};

std::set<std::string> wanted_parts(const std::vector<const Case*>& told) {
  std::set<std::string> out;
  for (const Case* c : told)
    for (const Suspect& s : c->suspects)
      for (const std::string& fmri : {s.bay, s.fru, s.asru, s.resource})
        if (!fmri.empty()) out.insert(fmri);
  return out;
}

std::vector<const Part*> parts_on(const Face& face, const std::set<std::string>& wanted,
                                  const std::set<std::string>& uuids) {
  std::vector<const Part*> out;
  for (const Part& part : face.parts) {
    const bool of_case = std::any_of(part.cases.begin(), part.cases.end(),
                                     [&](const auto& uuid) { return uuids.count(uuid) != 0; });
    if (of_case || wanted.count(part.fmri) != 0 || wanted.count(part.holds) != 0)
      out.push_back(&part);
  }
  return out;
}

void ring(Drawing& page, const Part& part) {
  const auto at = std::find_if(page.shapes.begin(), page.shapes.end(), [&](const Shape& s) {
    return s.part == part.fmri && s.form == Shape::Form::box;
  });
  if (at == page.shapes.end()) return;
  Shape ring;
  ring.box = at->box.inset(-kRingGap);
  ring.radius = at->radius + kRingGap;
  ring.stroke = Ink::mark;
  ring.width = kRing;
  ring.part = part.fmri;
  page.shapes.push_back(std::move(ring));
}

std::string sentence(const Shown& shown) {
  std::string out = shown.scene.label;
  if (!shown.face->label.empty()) out += ", " + shown.face->label;
  const char* separator = ": ";
  for (size_t i = 0; i < shown.parts.size() && i < kMostSaid; ++i) {
    out += separator + shown.parts[i]->says;
    separator = "; ";
  }
  if (shown.parts.size() > kMostSaid)
    out += fmt::format("; and {} more", shown.parts.size() - kMostSaid);
  for (const Scene::Note& note : shown.scene.notes) out += "; framed are the bays of " + note.text;
  if (!shown.scene.caution.empty()) out += ". " + shown.scene.caution;
  return out;
}

}  // namespace

std::optional<CasePicture> picture_cases(const Inventory& inventory,
                                         const std::vector<const Case*>& open,
                                         const std::vector<const Case*>& told) {
  const std::set<std::string> wanted = wanted_parts(told);
  std::set<std::string> uuids;
  for (const Case* c : told) uuids.insert(c->uuid);
  std::optional<Shown> best;
  for (Scene& scene : compose_each(inventory, open)) {
    Shown shown{std::move(scene), nullptr, {}};
    for (const Face& face : shown.scene.faces)
      if (auto parts = parts_on(face, wanted, uuids); parts.size() > shown.parts.size()) {
        shown.face = &face;
        shown.parts = std::move(parts);
      }
    if (shown.face && (!best || shown.parts.size() > best->parts.size())) best = std::move(shown);
  }
  if (!best) return {};
  CasePicture out{draw_page(best->scene, {best->face->name, false}), sentence(*best)};
  for (const Part* part : best->parts) ring(out.drawing, *part);
  return out;
}

}  // namespace fmd::scene
