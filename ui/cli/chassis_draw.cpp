// fmadm chassis draw: writes a picture of a chassis in its present state to a file.
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>
#include <utility>

#include "fmd/base/json.h"
#include "fmd/base/module.h"
#include "fmd/base/text.h"
#include "fmd/model/case.h"
#include "ui/cli/chassis_commands.h"
#include "ui/cli/commands.h"
#include "ui/cli/daemon.h"
#include "ui/cli/layout.h"
#include "ui/cli/picture_module.h"
#include "ui/client/paths.h"

namespace fmd::cli {
namespace {

std::string_view light_word(scene::Light light) {
  switch (light) {
    case scene::Light::off:
      return "off";
    case scene::Light::on:
      return "on";
    case scene::Light::unknown:
      return "unknown";
    case scene::Light::none:
      break;
  }
  return "none";
}

nlohmann::json document(const scene::Scene& scene) {
  nlohmann::json faces = nlohmann::json::array();
  for (const scene::Face& face : scene.faces) {
    nlohmann::json parts = nlohmann::json::array();
    for (const scene::Part& part : face.parts) {
      nlohmann::json doc{
          {"fmri", part.fmri},  {"label", part.label}, {"state", scene::state_name(part.state)},
          {"says", part.says},  {"x_mm", part.box.x},  {"y_mm", part.box.y},
          {"w_mm", part.box.w}, {"h_mm", part.box.h},  {"cases", part.cases}};
      if (!part.holds.empty()) doc["holds"] = part.holds;
      if (!part.detail.empty()) doc["detail"] = part.detail;
      if (!part.domains.empty()) doc["fault_domains"] = part.domains;
      if (!part.trouble.empty()) doc["pool_trouble"] = part.trouble;
      if (part.progress) doc["progress"] = *part.progress;
      if (part.kind == scene::PartKind::bay) {
        doc["fault_led"] = light_word(part.fault);
        doc["locate_led"] = light_word(part.locate);
      }
      parts.push_back(std::move(doc));
    }
    faces.push_back({{"name", face.name},
                     {"label", face.label},
                     {"width_mm", face.width},
                     {"height_mm", face.height},
                     {"to_scale", face.to_scale},
                     {"parts", std::move(parts)}});
  }
  return {
      {"fmri", scene.fmri}, {"label", scene.label}, {"product", scene.product}, {"faces", faces}};
}

bool is_called(const Resource& chassis, const std::string& name) {
  return chassis.fmri == name || chassis.is("label", name) || chassis.is("id", name) ||
         chassis.fmri == "hc://chassis=" + name;
}

// The chassis with that name, or that the backplane with that name is part of; without a name the only one.
Result<std::string> chosen(const Inventory& inventory, const std::string& wanted) {
  std::vector<std::string> found;
  std::string names;
  for (const std::string& fmri : scene::pictured(inventory)) {
    const Resource& r = *inventory.find(fmri);
    bool named = wanted.empty() || is_called(r, wanted);
    for (const auto& [_, part] : inventory.all())
      named = named ||
              (part.type == "enclosure" && part.is("member_of", fmri) && is_called(part, wanted));
    if (named) found.push_back(fmri);
    if (named || !wanted.empty())
      names += (names.empty() ? "" : ", ") + clean(r.get("id").empty() ? fmri : r.get("id"));
  }
  if (found.size() == 1) return found.front();
  if (found.empty() && names.empty())
    return fail("No chassis is known. fmd-enclosure reports them; check it with: fmadm config");
  if (found.empty()) return fail("No chassis is called " + clean(wanted) + "; there are: " + names);
  return fail("There are several chassis; name one with --chassis: " + names);
}

Result<std::vector<Case>> open_cases(Client& client) {
  auto docs = client.query("ListCases", nlohmann::json::object());
  if (!docs) return tl::unexpected(docs.error());
  std::vector<Case> cases;
  for (const nlohmann::json& doc : *docs) {
    auto c = case_from_json(doc);
    if (!c) return tl::unexpected(c.error());
    cases.push_back(std::move(*c));
  }
  return cases;
}

picture::Format format_of(const ChassisDrawOptions& options) {
  if (options.png) return picture::Format::png;
  return !options.svg && options.file.ends_with(".png") ? picture::Format::png
                                                        : picture::Format::svg;
}

Result<std::string> painted(const scene::Drawing& drawing, const picture::Options& look) {
  const auto found = open_module("fmd-picture.so", "fmd_picture", FMD_LIBEXEC_DIR);
  if (!found)
    return fail("What draws pictures, which is installed with fmadm, cannot be opened: " +
                found.error().text());
  const auto* module = static_cast<const PictureModule*>(*found);
  if (std::string_view(module->build) != FMD_PICTURE_BUILD)
    return fail(
        "What draws pictures (fmd-picture.so) is not of the same build as fmadm: install both "
        "again");
  return module->paint(drawing, look);
}

Result<void> write_to(const std::string& file, const std::string& bytes) {
  const auto close = [](FILE* f) { return fclose(f); };
  std::unique_ptr<FILE, decltype(close)> out(fopen(file.c_str(), "we"), close);
  const bool written = out && fwrite(bytes.data(), 1, bytes.size(), out.get()) == bytes.size();
  if (!written || fclose(out.release()) != 0)
    return fail(fmt::format("Cannot write {}: {}", clean(file), strerror(errno)));
  return {};
}

}  // namespace

Result<void> chassis_draw(Client& client, const ChassisDrawOptions& options) {
  const bool to_stdout = options.file.empty() || options.file == "-";
  const picture::Format format = format_of(options);
  if (!options.json && to_stdout && format == picture::Format::png && isatty(STDOUT_FILENO))
    return fail("A PNG cannot be shown on a terminal: name a FILE, or send it to another program");
  const auto inventory = fetch_inventory(client);
  if (!inventory) return tl::unexpected(inventory.error());
  const auto cases = open_cases(client);
  if (!cases) return tl::unexpected(cases.error());
  const auto fmri = chosen(*inventory, options.chassis);
  if (!fmri) return tl::unexpected(fmri.error());
  const auto scene = scene::compose(*inventory, *cases, *fmri);
  if (!scene || scene->faces.empty())
    return fail(clean(*fmri) + ": nothing is known that could be drawn of it");
  if (!options.view.empty() && !scene->face(options.view)) {
    std::string names;
    for (const scene::Face& face : scene->faces) names += (names.empty() ? "" : ", ") + face.name;
    return fail(fmt::format("There is no view \"{}\" of it; there are: {}", options.view, names));
  }
  if (options.json) return print(json_text(document(*scene)));
  const picture::Options look{format, options.dark ? scene::Theme::dark : scene::Theme::light,
                              options.scale};
  const auto bytes = painted(scene::draw_page(*scene, {options.view, options.domains}), look);
  if (!bytes) return tl::unexpected(bytes.error());
  if (to_stdout) return print(*bytes);
  return write_to(options.file, *bytes);
}

}  // namespace fmd::cli
