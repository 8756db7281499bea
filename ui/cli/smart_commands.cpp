#include "ui/cli/smart_commands.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "ui/cli/commands.h"
#include "ui/cli/layout.h"
#include "ui/cli/surroundings.h"

namespace fmd::cli {
namespace {

using nlohmann::json;

// "31 C", "-" when it does not say.
std::string measure(const Resource& disk, std::string_view property, std::string_view unit) {
  const std::string value = disk.get(property);
  return value.empty() ? "-" : value + std::string(unit);
}

// What counts first: that it is not observed, or what it says of its health.
std::string health_of(const Resource& disk) {
  const std::string state = disk.get("smart.state"), status = disk.get("smart.status");
  if (state.empty()) return "not asked";
  const std::string health = status.empty() ? "unknown" : status;
  if (state == "observed") return health;
  return status.empty() ? state : fmt::format("{} ({} before)", state, health);
}

// The place, or else the device's name.
std::string place_of(const Inventory& inventory, const Resource& disk) {
  for (const Resource* bay : inventory.parents(disk.fmri, Relation::contains))
    if (bay->type == "bay" && !bay->get("label").empty()) return bay->get("label");
  const std::string path = disk.get("path");
  return path.empty() ? disk.fmri : path;
}

std::string table_of(const Inventory& inventory, std::vector<const Resource*> disks) {
  std::vector<std::pair<std::string, const Resource*>> rows;
  for (const Resource* disk : disks) rows.emplace_back(place_of(inventory, *disk), disk);
  std::sort(rows.begin(), rows.end(), [](const auto& a, const auto& b) {
    return a.first != b.first ? natural_less(a.first, b.first)
                              : natural_less(a.second->fmri, b.second->fmri);
  });
  Table table({"DISK", "SERIAL", "TEMP", "WEAR", "HOURS", "SELF-TEST", "HEALTH"});
  for (const auto& [place, disk] : rows) {
    const std::string test = disk->get("smart.self_test");
    table.add({place, measure(*disk, "serial", ""), measure(*disk, "temperature_celsius", " C"),
               measure(*disk, "wear_percent", " %"), measure(*disk, "power_on_hours", ""),
               test.empty() ? "-" : test, health_of(*disk)});
  }
  return table.text();
}

// Why a disk is not observed, which the table has no room for.
std::string reasons_of(const std::vector<const Resource*>& disks) {
  std::string text;
  for (const Resource* disk : disks)
    if (const std::string reason = disk->get("smart.reason"); !reason.empty())
      text += wrapped(clean(measure(*disk, "serial", "")) + ": ", clean_prose(reason), 2);
  return text;
}

bool is_shown(const Resource& disk) {
  return disk.type == "disk" && disk.present;
}

// The disks that a part is or holds.
Result<std::vector<const Resource*>> disks_named(const Inventory& inventory,
                                                 const std::string& part) {
  std::vector<const Resource*> disks;
  const auto add = [&](const Resource* disk) {
    if (disk && is_shown(*disk) && std::find(disks.begin(), disks.end(), disk) == disks.end())
      disks.push_back(disk);
  };
  for (const Resource* named : inventory.lookup(part)) {
    add(named);
    for (const Edge& edge : named->edges)
      if (edge.relation == Relation::contains) add(inventory.find(edge.to));
    add(inventory.find(disk_of(inventory, named->fmri)));
  }
  if (disks.empty())
    return fail("no disk is known as \"" + clean(part) + "\", or in it; see: fmadm smart show");
  return disks;
}

Result<void> show(const Inventory& inventory, const std::vector<const Resource*>& disks,
                  bool as_json) {
  if (as_json) {
    json docs = json::array();
    for (const Resource* disk : disks) docs.push_back(Inventory::to_json(*disk));
    return print(json_text(docs));
  }
  if (disks.empty()) return print("No disk is known.\n");
  return print(table_of(inventory, disks) + reasons_of(disks));
}

Result<Inventory> fetch(Client& client) {
  auto list = client.query("ListResources", json::object());
  if (!list) return tl::unexpected(list.error());
  Surroundings around;
  if (auto added = around.add_resources(*list); !added) return tl::unexpected(added.error());
  return std::move(around.inventory);
}

}  // namespace

Result<void> smart_show(Client& client, const std::vector<std::string>& parts, bool as_json) {
  const auto inventory = fetch(client);
  if (!inventory) return tl::unexpected(inventory.error());
  std::vector<const Resource*> disks;
  for (const std::string& part : parts) {
    auto named = disks_named(*inventory, part);
    if (!named) return tl::unexpected(named.error());
    disks.insert(disks.end(), named->begin(), named->end());
  }
  if (parts.empty())
    for (const auto& [fmri, resource] : inventory->all())
      if (is_shown(resource)) disks.push_back(&resource);
  return show(*inventory, disks, as_json);
}

Result<void> smart_refresh(Client& client, const std::vector<std::string>& parts, bool as_json) {
  std::vector<std::string> asked;
  std::string failed;
  for (const std::string& part : parts) {
    const auto answer = client.refresh_disk(part);
    if (!answer && client.away()) return tl::unexpected(answer.error());
    if (!answer) {
      failed += (failed.empty() ? "" : "\n") + clean(part) + ": " + answer.error().text();
      continue;
    }
    asked.push_back(answer->disk);
    if (!answer->note.empty())
      fmt::print(stderr, "{}: {}\n", clean(part), clean_prose(answer->note));
  }
  if (!asked.empty() || as_json) {
    const auto inventory = fetch(client);
    if (!inventory) return tl::unexpected(inventory.error());
    std::vector<const Resource*> disks;
    for (const std::string& fmri : asked)
      if (const Resource* disk = inventory->find(fmri)) disks.push_back(disk);
    if (auto shown = show(*inventory, disks, as_json); !shown) return shown;
  }
  return failed.empty() ? Result<void>() : fail(failed);
}

Result<void> smart_test(Client& client, const SelfTestOptions& options) {
  const auto answer = client.self_test(options.part, options.type, options.force);
  if (!answer) return fail(clean(options.part) + ": " + answer.error().text());
  if (options.json)
    return print(
        json_text({{"disk", answer->disk}, {"test", options.type}, {"note", answer->note}}));
  const std::string note = answer->note.empty() ? "" : " (" + clean_prose(answer->note) + ")";
  if (options.type == "abort")
    return print(fmt::format("{}: self-test ended{}\n", clean(options.part), note));
  return print(fmt::format("{}: {} self-test begun{}; its result: fmadm smart show {}\n",
                           clean(options.part), options.type, note, clean(answer->disk)));
}

}  // namespace fmd::cli
