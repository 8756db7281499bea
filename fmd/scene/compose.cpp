// compose(): the scene of a chassis, from its description, the inventory and the open cases.
#include <algorithm>
#include <array>
#include <charconv>
#include <cstdlib>
#include <map>
#include <set>

#include "fmd/base/natural_less.h"
#include "fmd/base/text.h"
#include "fmd/model/bay_verified.h"
#include "fmd/scene/arrange.h"
#include "fmd/scene/part_state.h"
#include "fmd/scene/pool_trouble.h"

namespace fmd::scene {
namespace {

std::optional<PartKind> kind_of(const Resource& r) {
  if (r.type == "bay") return PartKind::bay;
  if (r.type == "psu") return PartKind::psu;
  if (r.type == "fan") return PartKind::fan;
  if (r.type == "cpu") return PartKind::cpu;
  if (r.type == "dimm" || r.type == "edac-dimm") return PartKind::dimm;
  if (r.type == "pci-slot") return PartKind::card;
  if (r.type == "sensor") return PartKind::sensor;
  return {};
}

std::string face_label(std::string_view name) {
  if (name == "front") return "Front";
  if (name == "rear") return "Rear";
  if (name == "top") return "From above";
  if (name == "inside") return "Inside";
  return "Parts whose place is not described";
}

// "front:444.0x87.0,top:430.0x603.0". Skips invalid entries.
std::vector<Face> faces_of(const Resource& box) {
  const std::string told = box.get("views");
  std::string_view views = told;
  std::vector<Face> faces;
  while (!views.empty()) {
    const std::string_view one = views.substr(0, views.find(','));
    views.remove_prefix(std::min(views.size(), one.size() + 1));
    const size_t colon = one.find(':'), x = one.find('x', colon == one.npos ? 0 : colon);
    if (colon == one.npos || x == one.npos) continue;
    Face face;
    face.name = std::string(one.substr(0, colon));
    face.label = display(box.get("view." + face.name), 80);
    if (face.label.empty()) face.label = face_label(face.name);
    face.width = std::atof(std::string(one.substr(colon + 1, x - colon - 1)).c_str());
    face.height = std::atof(std::string(one.substr(x + 1)).c_str());
    if (face.width > 0 && face.height > 0) faces.push_back(std::move(face));
  }
  return faces;
}

std::optional<Rect> box_of(const Resource& r) {
  const std::array<std::string, 4> texts{r.get("x_mm"), r.get("y_mm"), r.get("w_mm"),
                                         r.get("h_mm")};
  std::array<double, 4> numbers{};
  for (size_t i = 0; i < texts.size(); ++i) {
    const char* end = texts[i].data() + texts[i].size();
    const auto [rest, error] = std::from_chars(texts[i].data(), end, numbers[i]);
    if (error != std::errc{} || rest != end) return {};
  }
  if (numbers[2] <= 0 || numbers[3] <= 0) return {};
  return Rect{numbers[0], numbers[1], numbers[2], numbers[3]};
}

void by_label(std::vector<Part>& parts) {
  std::sort(parts.begin(), parts.end(), [](const Part& a, const Part& b) {
    return a.label != b.label ? natural_less(a.label, b.label) : natural_less(a.fmri, b.fmri);
  });
}

// The host's own chassis has the system's id.
std::string host_box(const Inventory& inventory) {
  for (const auto& [fmri, r] : inventory.all())
    if (r.type == "system" && r.present) return "hc://chassis=" + r.get("id");
  return "";
}

// Parts without a description are drawn in the host's chassis if they are plugged into its board.
bool is_of_host(const Resource& r) {
  if (r.type == "pci-slot") return !r.edges.empty();  // dozens are empty
  return r.type == "cpu" || r.type == "dimm";
}

// Sensors are drawn only if a description places them: a host has dozens.
bool is_drawn(const Resource& r, PartKind kind) {
  return kind != PartKind::sensor || !r.get("view").empty();
}

// The worst first.
std::vector<Scene::Note> notes_of(const Scene& scene) {
  std::vector<Scene::Note> notes;
  for (const Face& face : scene.faces)
    for (const Part& part : face.parts) {
      if (part.trouble.empty()) continue;
      Scene::Note note{part.frame, part.trouble};
      if (std::find(notes.begin(), notes.end(), note) == notes.end())
        notes.push_back(std::move(note));
    }
  std::stable_sort(notes.begin(), notes.end(),
                   [](const Scene::Note& a, const Scene::Note& b) { return a.frame > b.frame; });
  return notes;
}

// Data for all chassis of an inventory, computed once.
class Composer {
 public:
  Composer(const Inventory& inventory, const std::vector<const Case*>& cases)
      : inventory_(inventory),
        accusations_(cases, inventory),
        filled_(filled_vdevs(inventory)),
        with_disks_(enclosures_with_disks(inventory)),
        troubles_(troubles_of(inventory, accusations_)),
        host_(host_box(inventory)) {
    std::multimap<std::string_view, const Resource*> holders;  // contained part → its container
    for (const auto& [fmri, r] : inventory.all())
      if (r.type == "enclosure")
        for (const Edge& edge : r.edges)
          if (edge.relation == Relation::contains) holders.emplace(edge.to, &r);
    for (const auto& [fmri, r] : inventory.all()) {
      const auto kind = kind_of(r);
      if (!kind || !r.present || !is_drawn(r, *kind)) continue;
      std::set<std::string> boxes;
      const auto add = [&](const Resource& holder) {
        boxes.insert(holder.fmri);
        if (std::string of = holder.get("member_of"); !of.empty()) boxes.insert(std::move(of));
      };
      const auto [first, last] = holders.equal_range(fmri);
      for (auto at = first; at != last; ++at) add(*at->second);
      if (const std::string enclosure = r.get("enclosure"); !enclosure.empty()) {
        if (const Resource* holder = inventory.find(enclosure)) add(*holder);
      } else if (r.type != "bay" && is_of_host(r)) {
        boxes.insert(host_);
      }
      for (const std::string& box : boxes) parts_[box].push_back({&r, *kind});
    }
  }

  Scene scene(const Resource& box) const;

 private:
  struct Item {
    const Resource* resource;
    PartKind kind;
  };
  const Inventory& inventory_;
  const Accusations accusations_;
  const Fmris filled_, with_disks_;
  const PoolTroubles troubles_;
  const std::string host_;
  std::map<std::string, std::vector<Item>, std::less<>> parts_;  // by chassis
};

Scene Composer::scene(const Resource& box) const {
  const View view{inventory_, accusations_, filled_, with_disks_, troubles_};
  Scene scene;
  scene.fmri = box.fmri;
  scene.product = display(box.get("product"));
  scene.label = display(box.get("label"));
  if (scene.label.empty()) scene.label = scene.product.empty() ? display(box.fmri) : scene.product;
  scene.faces = faces_of(box);
  Face rest;
  rest.name = "parts";
  if (const auto here = parts_.find(box.fmri); here != parts_.end())
    for (const auto& [r, kind] : here->second) {
      Part part = describe(view, *r, kind);
      const auto place = box_of(*r);
      const auto face = std::find_if(scene.faces.begin(), scene.faces.end(),
                                     [&](const Face& f) { return r->is("view", f.name); });
      if (place && face != scene.faces.end()) {
        part.box = *place;
        face->parts.push_back(std::move(part));
      } else {
        rest.parts.push_back(std::move(part));
      }
    }
  std::erase_if(scene.faces, [](const Face& f) { return f.parts.empty(); });
  for (Face& face : scene.faces) by_label(face.parts);
  if (!rest.parts.empty()) {
    by_label(rest.parts);
    arrange(rest);
    rest.label = scene.faces.empty() ? "Not described: shown in the order of its labels"
                                     : face_label("parts");
    scene.faces.push_back(std::move(rest));
  }
  scene.notes = notes_of(scene);
  if (is_from_drawing(box))
    scene.caution = "Bays known from a drawing only: " + std::string(kCheckByBlink);
  return scene;
}

std::vector<const Case*> pointers_to(const std::vector<Case>& cases) {
  std::vector<const Case*> out;
  out.reserve(cases.size());
  for (const Case& c : cases) out.push_back(&c);
  return out;
}

}  // namespace

std::string_view state_name(PartState state) {
  constexpr std::array<std::string_view, 8> kNames{
      "empty", "ok", "spare", "not watched", "not known", "rebuilding", "degraded", "faulted"};
  return kNames[static_cast<size_t>(state)];
}

std::string_view state_word(PartState state) {
  constexpr std::array<std::string_view, 8> kWords{
      "empty",      "watched, healthy",        "spare",          "not watched", "not known",
      "rebuilding", "needs attention (minor)", "needs attention"};
  return kWords[static_cast<size_t>(state)];
}

const Part* Face::find(std::string_view fmri) const {
  const auto at =
      std::find_if(parts.begin(), parts.end(), [&](const Part& p) { return p.fmri == fmri; });
  return at == parts.end() ? nullptr : &*at;
}

const Face* Scene::face(std::string_view name) const {
  const auto at =
      std::find_if(faces.begin(), faces.end(), [&](const Face& f) { return f.name == name; });
  return at == faces.end() ? nullptr : &*at;
}

PartState Scene::worst() const {
  PartState worst = PartState::empty;
  for (const Face& face : faces)
    for (const Part& part : face.parts) worst = std::max(worst, part.state);
  return worst;
}

const Part* Scene::worst_part() const {
  const Part* found = nullptr;
  for (const Face& face : faces)
    for (const Part& part : face.parts)
      if (part.state >= PartState::degraded && (!found || part.state > found->state)) found = &part;
  return found;
}

std::vector<std::string> pictured(const Inventory& inventory) {
  std::vector<std::string> found;
  for (const auto& [fmri, r] : inventory.all())
    if (r.type == "enclosure" && r.present && !inventory.find(r.get("member_of")))
      found.push_back(fmri);
  return found;
}

std::optional<Scene> compose(const Inventory& inventory, const std::vector<Case>& cases,
                             std::string_view chassis) {
  const Resource* box = inventory.find(chassis);
  if (!box || box->type != "enclosure") return {};
  return Composer(inventory, pointers_to(cases)).scene(*box);
}

std::vector<Scene> compose_all(const Inventory& inventory, const std::vector<Case>& cases) {
  return compose_each(inventory, pointers_to(cases));
}

std::vector<Scene> compose_each(const Inventory& inventory, const std::vector<const Case*>& cases) {
  const Composer composer(inventory, cases);
  std::vector<Scene> scenes;
  for (const std::string& fmri : pictured(inventory))
    scenes.push_back(composer.scene(*inventory.find(fmri)));
  return scenes;
}

}  // namespace fmd::scene
