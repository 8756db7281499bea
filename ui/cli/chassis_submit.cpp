// fmadm chassis submit: writes one chassis to a file for fmd's developers: its description, its
// parts, and the SES pages of its enclosures, masked as fmadm record --mask does.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "fmd/base/counted.h"
#include "fmd/base/json.h"
#include "fmd/base/text.h"
#include "ui/cli/chassis_commands.h"
#include "ui/cli/commands.h"
#include "ui/cli/layout.h"
#include "ui/cli/mask.h"
#include "ui/cli/new_file.h"
#include "ui/cli/ses_text.h"
#include "ui/client/surroundings.h"

namespace fmd::cli {
namespace {

using nlohmann::json;

constexpr const char* kEnclosures = "/sys/class/enclosure";

std::string file_text(const std::filesystem::path& path) {
  std::ifstream in(path);
  return {std::istreambuf_iterator<char>(in), {}};
}

Result<const Resource*> find_chassis(const Inventory& inventory, const std::string& wanted) {
  std::vector<const Resource*> found;
  if (wanted.empty()) {
    for (const auto& [fmri, r] : inventory.all())
      if (!inventory.find(r.get("member_of"))) found.push_back(&r);
  } else {
    found = inventory.lookup(wanted);
  }
  std::erase_if(found, [](const Resource* r) { return r->type != "enclosure" || !r->present; });
  if (found.size() == 1) return found.front();
  if (found.empty())
    return fail(wanted.empty()
                    ? "no chassis is known; see: fmadm config"
                    : "no chassis is called " + clean(wanted) + "; see: fmadm chassis show");
  std::string ids;
  for (const Resource* r : found) ids += (ids.empty() ? "" : ", ") + clean(r->get("id"));
  return fail("there are several; name one with --chassis: " + ids);
}

bool has_edge_to(const Resource& box, const std::string& fmri) {
  return std::any_of(box.edges.begin(), box.edges.end(),
                     [&](const Edge& edge) { return edge.to == fmri; });
}

// The chassis, its backplanes, and the parts of both.
std::vector<const Resource*> collect_parts(const Inventory& inventory, const Resource& chassis) {
  std::vector<const Resource*> parts{&chassis};
  for (const auto& [fmri, r] : inventory.all())
    if (r.present && r.is("member_of", chassis.fmri)) parts.push_back(&r);
  const size_t boxes = parts.size();
  for (const auto& [fmri, r] : inventory.all()) {
    if (!r.present) continue;
    if (r.type == "system") parts.push_back(&r);
    for (size_t i = 0; i < boxes; ++i)
      if (r.is("enclosure", parts[i]->fmri) || has_edge_to(*parts[i], fmri)) parts.push_back(&r);
  }
  return parts;
}

json files_of(const Resource& chassis) {
  json files = json::array();
  std::string names = chassis.get("description_file");
  while (!names.empty()) {
    const std::string path = names.substr(0, names.find(','));
    names.erase(0, std::min(names.size(), path.size() + 1));
    json lines = json::array();
    std::ifstream in(path);
    for (std::string line; std::getline(in, line);) lines.push_back(line);
    files.push_back({{"file", std::filesystem::path(path).filename().string()}, {"lines", lines}});
  }
  return files;
}

// One page by sg_ses(8), in its words; null if that failed.
json page_of(const std::string& device, const char* page) {
  const std::string command =
      fmt::format("PATH=\"$PATH:/usr/sbin:/sbin\" timeout 20 sg_ses --readonly --page={} {} 2>&1",
                  page, device);
  FILE* pipe = popen(command.c_str(), "r");
  if (!pipe) return nullptr;
  json lines = json::array();
  std::array<char, 2000> line{};
  while (fgets(line.data(), line.size(), pipe) && lines.size() < 20000) {
    std::string text = display(line.data(), 2000);
    text.erase(text.find_last_not_of(' ') + 1);
    lines.push_back(std::move(text));
  }
  return pclose(pipe) == 0 ? lines : json(nullptr);
}

// The pages of the enclosures with that id: a shelf with two I/O modules is two devices. failed: pages
// that could not be read.
json pages_of(const std::string& id, size_t& failed) {
  json all = json::array();
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(kEnclosures, error)) {
    std::string there = file_text(entry.path() / "id");
    there.erase(there.find_last_not_of("\n ") + 1);
    if (there.starts_with("0x")) there.erase(0, 2);
    if (there != id) continue;
    for (const auto& sg :
         std::filesystem::directory_iterator(entry.path() / "device/scsi_generic", error)) {
      json pages = json::object();
      for (const char* page : {"cf", "es", "ed", "aes"}) {
        json lines = page_of("/dev/" + sg.path().filename().string(), page);
        if (lines.is_null())
          ++failed;
        else
          pages[page] = std::move(lines);
      }
      if (!pages.empty()) all.push_back(std::move(pages));
    }
  }
  return all;
}

}  // namespace

Result<void> chassis_submit(Client& client, const ChassisSubmitOptions& options) {
  const auto inventory = fetch_inventory(client);
  if (!inventory) return tl::unexpected(inventory.error());
  const auto chassis = find_chassis(*inventory, options.chassis);
  if (!chassis) return tl::unexpected(chassis.error());
  const auto config = client.query("GetConfig");
  if (!config) return tl::unexpected(config.error());
  Mask mask;
  mask.learn_config(*config);
  for (const auto& [fmri, r] : inventory->all()) mask.learn(r);
  json parts = json::array(), enclosures = json::array();
  bool any = false;
  size_t failed = 0;
  for (const Resource* part : collect_parts(*inventory, **chassis)) {
    json doc = Inventory::to_json(*part);
    doc.erase("sources");
    parts.push_back(std::move(doc));
    if (part->type != "enclosure") continue;
    json pages = pages_of(part->get("id"), failed);
    any = any || !pages.empty();
    for (const std::string& secret : secrets_in(pages)) mask.learn_serial(secret);
    if (!pages.empty())
      enclosures.push_back({{"fmri", part->fmri}, {"devices", without_bytes(std::move(pages))}});
  }
  mask.settle();
  const json doc{{"submission", "chassis"},
                 {"files", files_of(**chassis)},
                 {"parts", std::move(parts)},
                 {"ses", std::move(enclosures)}};
  if (auto done = write_new_file(options.output, json_text(mask.hide(doc))); !done) return done;
  std::string text = fmt::format(
      "Written to {}. Serial numbers, ids and the host's name are masked: read it before you send "
      "it.\n",
      clean(options.output));
  if (failed > 0)
    text += fmt::format(
        "{} could not be read. Run this as root, with the package sg3-utils installed, to add "
        "them.\n",
        counted(failed, "SES page"));
  else if (!any)
    text += "It has no SES pages: no enclosure of this chassis answers by SES.\n";
  return print(text);
}

}  // namespace fmd::cli
