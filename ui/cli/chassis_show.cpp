// fmadm chassis: the chassis that fmd knows, and the description matched for each.
#include <fmt/format.h>

#include <algorithm>

#include "fmd/base/json.h"
#include "fmd/base/natural_less.h"
#include "fmd/model/bay_verified.h"
#include "fmd/model/inventory.h"
#include "fmd/model/part_name.h"
#include "ui/cli/chassis_commands.h"
#include "ui/cli/commands.h"
#include "ui/cli/daemon.h"
#include "ui/cli/layout.h"

namespace fmd::cli {
namespace {

std::vector<const Resource*> children(const Inventory& inventory, const Resource& of,
                                      std::string_view type) {
  std::vector<const Resource*> found;
  for (const Edge& edge : of.edges)
    if (const Resource* r = inventory.find(edge.to);
        r && edge.relation == Relation::contains && r->type == type && r->present)
      found.push_back(r);
  return found;
}

// A backplane of a host: its bays are listed with the host.
const Resource* host_of(const Inventory& inventory, const Resource& chassis) {
  const Resource* host = inventory.find(chassis.get("member_of"));
  return host && host->present && host->type == "enclosure" ? host : nullptr;
}

std::vector<const Resource*> members_of(const Inventory& inventory, const Resource& host) {
  std::vector<const Resource*> found;
  for (const auto& [fmri, r] : inventory.all())
    if (r.type == "enclosure" && r.present && host_of(inventory, r) == &host) found.push_back(&r);
  return found;
}

std::string description_of(const Resource& chassis) {
  const std::string name = chassis.get("description"), file = chassis.get("description_file");
  return name.empty() || file.empty() ? name : fmt::format("{} ({})", name, file);
}

std::string place_of(const Resource& bay) {
  const std::string view = bay.get("view");
  if (view.empty()) return "-";
  return bay.get("x_mm").empty() ? view
                                 : fmt::format("{} {},{}", view, bay.get("x_mm"), bay.get("y_mm"));
}

std::string light_of(const Resource& bay) {
  const std::string method = bay.get("led.method");
  if (method.empty()) return "-";
  return method + (bay.is("led.reads_back", "false") ? " (not read back)" : "");
}

std::string disk_of_bay(const Inventory& inventory, const Resource& bay) {
  for (const Edge& edge : bay.edges)
    if (const Resource* disk = inventory.find(edge.to);
        disk && edge.relation == Relation::contains) {
      const std::string serial = disk->get("serial");
      return serial.empty() ? disk->fmri : serial;
    }
  return bay.is("occupied", "true") ? "something" : "-";
}

// Other parts in the chassis, including those placed in it by its description.
std::vector<const Resource*> parts_of(const Inventory& inventory, const Resource& chassis) {
  std::vector<const Resource*> parts;
  for (const auto& [fmri, r] : inventory.all())
    if (r.present && r.type != "bay" && r.type != "sensor" && r.is("enclosure", chassis.fmri))
      parts.push_back(&r);
  std::sort(parts.begin(), parts.end(), [](const Resource* a, const Resource* b) {
    return a->type != b->type ? a->type < b->type : natural_less(a->fmri, b->fmri);
  });
  return parts;
}

std::string state_of(const Resource& part) {
  const bool watched = part.type == "psu" || part.type == "fan";
  const std::string status = part.get("status"), reason = part.get("reason");
  if (status.empty()) return watched ? "not observed" : "-";
  return reason.empty() ? status : status + ": " + reason;
}

// bays: the chassis' own; those of its backplanes are added. The number of bays, as text.
std::string count_bays(const Inventory& inventory, const Resource& chassis,
                       std::vector<const Resource*>& bays) {
  const size_t own = bays.size();
  std::string of_members;
  for (const Resource* member : members_of(inventory, chassis)) {
    const auto more = children(inventory, *member, "bay");
    of_members += fmt::format(", {} of {}", more.size(), name_of(*member));
    bays.insert(bays.end(), more.begin(), more.end());
  }
  std::string count = std::to_string(bays.size());
  if (host_of(inventory, chassis)) return count + ", listed with the machine";
  if (of_members.empty()) return count;
  return fmt::format("{}: {} of its own{}", count, own, of_members);
}

std::string text_of(const Inventory& inventory, const Resource& chassis, bool with_bays) {
  const Resource* host = host_of(inventory, chassis);
  std::vector<const Resource*> bays = children(inventory, chassis, "bay");
  const std::string count = count_bays(inventory, chassis, bays);
  std::string out = clean(name_of(chassis)) + "\n";
  const auto line = [&](const char* name, const std::string& text) {
    out += wrapped(fmt::format("  {:<12}: ", name), clean(text.empty() ? "-" : text), 16);
  };
  line("Id", chassis.get("id"));
  if (host) line("Part of", name_of(*host) + ", whose description comes first");
  line("Description", description_of(chassis));
  line("Matched by", chassis.get("matched_by"));
  line("Product", chassis.get("product"));
  if (const std::string how = chassis.get("verified"); !how.empty())
    line("Verified", is_from_drawing(chassis) ? fmt::format("{}: {}", how, kCheckByBlink) : how);
  line("Views", chassis.get("views"));
  line("Bays", count);
  if (!with_bays) return out;
  Table table({"BAY", "PLACE (MM)", "LED", "DISK"});
  for (const Resource* bay : bays)
    table.add({bay->get("label"), place_of(*bay), light_of(*bay), disk_of_bay(inventory, *bay)});
  if (!host && !bays.empty()) out += '\n' + table.text();
  Table parts({"PART", "TYPE", "PLACE (MM)", "STATUS"});
  for (const Resource* part : parts_of(inventory, chassis))
    parts.add({part->get("label"), part->type, place_of(*part), state_of(*part)});
  return parts.empty() ? out : out + '\n' + parts.text();
}

}  // namespace

Result<void> chassis_show(Client& client, const ChassisShowOptions& options) {
  const auto inventory = fetch_inventory(client);
  if (!inventory) return tl::unexpected(inventory.error());
  nlohmann::json docs = nlohmann::json::array();
  std::string text;
  for (const auto& [fmri, resource] : inventory->all()) {
    if (resource.type != "enclosure" || !resource.present) continue;
    nlohmann::json bays = nlohmann::json::array();
    for (const Resource* bay : children(*inventory, resource, "bay"))
      bays.push_back(Inventory::to_json(*bay));
    nlohmann::json parts = nlohmann::json::array();
    for (const Resource* part : parts_of(*inventory, resource))
      parts.push_back(Inventory::to_json(*part));
    docs.push_back({{"fmri", fmri},
                    {"label", resource.get("label")},
                    {"description", resource.get("description")},
                    {"file", resource.get("description_file")},
                    {"matched_by", resource.get("matched_by")},
                    {"verified", resource.get("verified")},
                    {"member_of", resource.get("member_of")},
                    {"views", resource.get("views")},
                    {"bays", bays},
                    {"parts", parts}});
    text += (text.empty() ? "" : "\n") + text_of(*inventory, resource, options.bays);
  }
  if (options.json) return print(json_text(docs));
  return print(
      text.empty()
          ? "No chassis is known. fmd-enclosure reports them; check it with: fmadm config\n"
          : text);
}

}  // namespace fmd::cli
