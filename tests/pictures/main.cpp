// fmd-pictures DIR FILE.toml...: each chassis description as a PNG, light and dark, with an invented
// set of disks in it, so that each state is seen. For people to look at.
#include <cstdio>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>

#include "fmd/chassis/parse.h"
#include "fmd/chassis/properties.h"
#include "fmd/model/case.h"
#include "fmd/model/inventory.h"
#include "fmd/picture/cairo_canvas.h"
#include "fmd/scene/drawing.h"

namespace fmd {
namespace {

constexpr const char* kChassis = "hc://chassis=1";

class Population {
 public:
  explicit Population(const chassis::Description& description) {
    nlohmann::json box = {{"label", description.label}};
    std::string views;
    for (const chassis::View& view : description.views)
      views += (views.empty() ? "" : ",") + view.name + ":" + std::to_string(view.width) + "x" +
               std::to_string(view.height);
    if (!views.empty()) box["views"] = views;
    add(kChassis, "enclosure", box);
    for (size_t i = 0; i < description.bays.size(); ++i) bay(i, description.bays[i]);
    if (description.bays.empty())
      for (size_t i = 0; i < 24; ++i) {
        chassis::Bay unknown;
        unknown.label = "Slot " + std::to_string(i + 1);
        bay(i, unknown);
      }
    size_t n = 0;
    for (const chassis::Fru& fru : description.frus) {
      nlohmann::json properties = {{"enclosure", kChassis},
                                   {"status", n % 3 == 2 ? "critical" : "OK"}};
      describe(fru, properties);
      add(std::string(kChassis) + "/part=" + std::to_string(n++), fru.type, properties);
    }
    add("zfs://pool=1", "zfs-pool",
        {{"name", "tank"}, {"scan", "resilver"}, {"scan_percent", 42.0}}, pool_);
  }

  Inventory inventory;
  std::vector<Case> cases;

 private:
  void add(const std::string& fmri, const std::string& type, const nlohmann::json& properties,
           std::vector<Edge> edges = {}) {
    nlohmann::json doc = {
        {"fmri", fmri}, {"type", type}, {"present", true}, {"properties", properties}};
    doc["edges"] = nlohmann::json::array();
    auto resource = Inventory::resource_from_json(doc).value();
    resource.edges = std::move(edges);
    resource.sources = {"invented"};
    inventory.restore(std::move(resource));
  }

  void bay(size_t i, const chassis::Bay& bay) {
    const std::string n = std::to_string(i), fmri = std::string(kChassis) + "/bay=" + n;
    nlohmann::json properties = {{"enclosure", kChassis},
                                 {"occupied", i % 9 != 8},
                                 {"led.fault", i == 3 ? "on" : "off"},
                                 {"led.locate", i == 6 ? "on" : "off"}};
    describe(bay, properties);
    if (i == 11) properties.erase("occupied");
    const bool holds = i % 9 != 8 && i != 11;
    std::vector<Edge> edges;
    if (holds) edges.push_back({Relation::contains, "dev://wwn=" + n});
    add(fmri, "bay", properties, std::move(edges));
    if (!holds) return;
    add("dev://wwn=" + n, "disk",
        {{"serial", "ZL2A" + n},
         {"size_bytes", int64_t{16000900661248}},
         {"rotational", bay.form_factor != "2.5"},
         {"smart.state", "observed"}});
    if (i == 13) return;
    nlohmann::json vdev = {
        {"service", "in-service"}, {"pool", "tank"}, {"role", i == 9 ? "spare" : "data"}};
    if (i == 3) {
      vdev["spare"] = "resilvering";
      vdev["spare_by"] = "zfs://pool=1/vdev=5";
    }
    add("zfs://pool=1/vdev=" + n, "zfs-vdev", vdev, {{Relation::redundancy, "dev://wwn=" + n}});
    pool_.push_back({Relation::redundancy, "zfs://pool=1/vdev=" + n});
    if (i != 3 && i != 7) return;
    Case c;
    c.uuid = n;
    c.state = CaseState::solved;
    c.severity = i == 3 ? "Major" : "Minor";
    Suspect s;
    s.fru = "dev://wwn=" + n;
    s.bay = fmri;
    c.suspects.push_back(s);
    cases.push_back(std::move(c));
  }

  std::vector<Edge> pool_;
};

int draw_file(const std::string& folder, const std::string& path) {
  std::ifstream in(path);
  const SourceFile file{path, std::string(std::istreambuf_iterator<char>(in), {})};
  const auto [description, errors] = chassis::parse(file);
  if (!description) {
    fprintf(stderr, "fmd-pictures: %s cannot be read\n", path.c_str());
    return 1;
  }
  const Population population(*description);
  const auto scene = scene::compose(population.inventory, population.cases, kChassis);
  const auto page = scene::draw_page(*scene, {});
  for (const auto& [theme, word] :
       {std::pair{scene::Theme::light, "light"}, {scene::Theme::dark, "dark"}}) {
    const auto bytes = picture::paint(page, {picture::Format::png, theme, 4});
    const std::string to = folder + "/" + description->name + "-" + word + ".png";
    std::ofstream out(to, std::ios::binary);
    if (!bytes || !out.write(bytes->data(), static_cast<std::streamsize>(bytes->size()))) {
      fprintf(stderr, "fmd-pictures: %s cannot be written\n", to.c_str());
      return 1;
    }
    printf("%s\n", to.c_str());
  }
  return 0;
}

}  // namespace
}  // namespace fmd

int main(int argc, char** argv) {
  if (argc < 3) {
    fprintf(stderr, "Usage: fmd-pictures DIR FILE.toml...\n");
    return 2;
  }
  int failed = 0;
  for (int i = 2; i < argc; ++i) failed |= fmd::draw_file(argv[1], argv[i]);
  return failed;
}
