// fmd-pictures [--check] DIR FILE.toml...: draws each chassis description as PNGs (light and dark)
// for docs/chassis.md, with invented disks that show every state. DIR/drawn.txt has a fingerprint
// of each drawing; --check draws nothing and fails if one has changed.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <optional>
#include <string_view>

#include "fmd/base/json.h"
#include "fmd/chassis/parse.h"
#include "fmd/chassis/properties.h"
#include "fmd/model/case.h"
#include "fmd/model/inventory.h"
#include "fmd/picture/cairo_canvas.h"
#include "fmd/scene/drawing.h"
#include "fmd/scene/drawing_json.h"

namespace fmd {
namespace {

constexpr const char* kChassis = "hc://chassis=1";
constexpr const char* kList = "drawn.txt";
constexpr double kScale = 2;  // pixels per millimetre

class Population {
 public:
  explicit Population(const chassis::Description& description) {
    nlohmann::json box = {{"label", description.label}};
    if (!description.verified.empty()) box["verified"] = description.verified;
    chassis::describe(description.views, box);
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
        {{"name", "tank"}, {"health", "DEGRADED"}, {"scan", "resilver"}, {"scan_percent", 42.0}},
        pool_);
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

// Covers the drawing's shapes and colours. PNG bytes also depend on fonts and cairo's version.
std::string fingerprint(const scene::Drawing& drawing) {
  std::string text = scene::to_json(drawing).dump();
  for (int ink = 0; ink < scene::kInks; ++ink)
    for (const scene::Theme theme : {scene::Theme::light, scene::Theme::dark}) {
      const scene::Colour c = scene::colour(static_cast<scene::Ink>(ink), theme);
      text += fmt::format(" {:02x}{:02x}{:02x}", c.red, c.green, c.blue);
    }
  uint64_t sum = 14695981039346656037U;  // FNV-1a
  for (const char c : text) sum = (sum ^ static_cast<unsigned char>(c)) * 1099511628211U;
  return fmt::format("{:016x}", sum);
}

struct Picture {
  std::string name;
  scene::Drawing page;
};

std::optional<Picture> picture_of(const std::string& path) {
  std::ifstream in(path);
  const SourceFile file{path, std::string(std::istreambuf_iterator<char>(in), {})};
  const auto [description, errors] = chassis::parse(file);
  if (!description) {
    fprintf(stderr, "fmd-pictures: %s cannot be read\n", path.c_str());
    return {};
  }
  const Population population(*description);
  const auto scene = scene::compose(population.inventory, population.cases, kChassis);
  return Picture{description->name, scene::draw_page(*scene, {})};
}

std::string png_name(const std::string& name, scene::Theme theme) {
  return name + (theme == scene::Theme::light ? "-light.png" : "-dark.png");
}

constexpr std::array kThemes{scene::Theme::light, scene::Theme::dark};

bool draw(const std::filesystem::path& folder, const Picture& picture) {
  for (const scene::Theme theme : kThemes) {
    const auto bytes = picture::paint(picture.page, {picture::Format::png, theme, kScale});
    const auto to = folder / png_name(picture.name, theme);
    std::ofstream out(to, std::ios::binary);
    if (!bytes || !out.write(bytes->data(), static_cast<std::streamsize>(bytes->size()))) {
      fprintf(stderr, "fmd-pictures: %s cannot be written\n", to.c_str());
      return false;
    }
  }
  return true;
}

// Lines of "NAME FINGERPRINT".
std::map<std::string, std::string> drawn_before(const std::filesystem::path& list) {
  std::ifstream in(list);
  std::map<std::string, std::string> found;
  for (std::string name, print; in >> name >> print;) found[name] = print;
  return found;
}

// Number of missing or outdated pictures.
int check(const std::filesystem::path& folder, const std::map<std::string, std::string>& now) {
  int stale = 0;
  const auto complain = [&](const std::string& what) {
    fprintf(stderr, "%s: run `ninja -C build pictures` and look at it\n", what.c_str());
    ++stale;
  };
  const auto before = drawn_before(folder / kList);
  for (const auto& [name, print] : now) {
    const auto at = before.find(name);
    if (at == before.end() || at->second != print) complain(name + ": the picture is old");
    for (const scene::Theme theme : kThemes)
      if (!std::filesystem::exists(folder / png_name(name, theme)))
        complain(png_name(name, theme) + " is missing");
  }
  for (const auto& [name, print] : before)
    if (!now.contains(name)) complain(name + ": there is no such description any more");
  return stale;
}

int run(bool only_check, const std::filesystem::path& folder, std::vector<std::string> files) {
  std::sort(files.begin(), files.end());
  std::map<std::string, std::string> now;
  for (const std::string& file : files) {
    const auto picture = picture_of(file);
    if (!picture || (!only_check && !draw(folder, *picture))) return 1;
    now[picture->name] = fingerprint(picture->page);
  }
  if (only_check) return check(folder, now) > 0;
  std::ofstream list(folder / kList);
  for (const auto& [name, print] : now) list << name << " " << print << "\n";
  return list ? 0 : 1;
}

}  // namespace
}  // namespace fmd

int main(int argc, char** argv) {
  const bool only_check = argc > 1 && std::string_view(argv[1]) == "--check";
  const int first = only_check ? 2 : 1;
  if (argc < first + 2) {
    fprintf(stderr, "Usage: fmd-pictures [--check] DIR FILE.toml...\n");
    return 2;
  }
  return fmd::run(only_check, argv[first], {argv + first + 1, argv + argc});
}
