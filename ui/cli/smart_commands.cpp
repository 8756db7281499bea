#include "ui/cli/smart_commands.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "fmd/base/json.h"
#include "fmd/base/natural_less.h"
#include "fmd/model/case.h"
#include "fmd/model/part_name.h"
#include "ui/cli/arguments.h"
#include "ui/cli/commands.h"
#include "ui/cli/daemon.h"
#include "ui/cli/disk_defects.h"
#include "ui/cli/layout.h"
#include "ui/cli/waiting_line.h"

namespace fmd::cli {
namespace {

using nlohmann::json;

// "31 C", or "-" if the disk does not report it.
std::string measure(const Resource& disk, std::string_view property, std::string_view unit) {
  const std::string value = disk.get(property);
  return value.empty() ? "-" : value + std::string(unit);
}

// The disks, and the open cases of each.
struct Known {
  Inventory inventory;
  std::map<std::string, std::vector<Case>, std::less<>> cases;  // by the disk's FMRI

  const std::vector<Case>& of(const Resource& disk) const {
    static const std::vector<Case> kNone;
    const auto at = cases.find(disk.fmri);
    return at == cases.end() ? kNone : at->second;
  }
};

// In this order: the disk is not observed, it has an open case, its own status. A disk still
// reports "passed" long after it has begun to lose data.
std::string health_of(const Resource& disk, bool open_case) {
  const std::string state = disk.get("smart.state"), status = disk.get("smart.status");
  if (open_case && status != "failed") {
    if (state.empty() || state == "observed") return "open case";
    return fmt::format("{} (open case)", state);
  }
  if (state.empty()) return "not asked";
  const std::string health = status.empty() ? "unknown" : status;
  if (state == "observed") return health;
  if (status.empty()) return state == "not-observed" ? "not observed" : state;
  return fmt::format("{} ({} before)", state == "not-observed" ? "not observed" : state, health);
}

Tone tone_of(const Known& known, const Resource& disk) {
  if (disk.is("smart.status", "failed")) return Tone::grave;
  const std::vector<Case>& cases = known.of(disk);
  const auto worst = std::max_element(cases.begin(), cases.end(), [](const Case& a, const Case& b) {
    return severity_rank(a.severity) < severity_rank(b.severity);
  });
  if (worst != cases.end()) return tone_of_severity(worst->severity);
  if (!disk.is("smart.state", "observed")) return Tone::minor;
  return disk.is("smart.status", "passed") ? Tone::good : Tone::plain;
}

// The bay's label, else the device's name.
std::string place_of(const Inventory& inventory, const Resource& disk) {
  for (const Resource* bay : inventory.parents(disk.fmri, Relation::contains))
    if (bay->type == "bay" && !bay->get("label").empty()) return bay->get("label");
  const std::string path = disk.get("path");
  return path.empty() ? disk.fmri : path;
}

std::string table_of(const Known& known, const std::vector<const Resource*>& disks) {
  std::vector<std::pair<std::string, const Resource*>> rows;
  for (const Resource* disk : disks) rows.emplace_back(place_of(known.inventory, *disk), disk);
  std::sort(rows.begin(), rows.end(), [](const auto& a, const auto& b) {
    return a.first != b.first ? natural_less(a.first, b.first)
                              : natural_less(a.second->fmri, b.second->fmri);
  });
  Table table({"DISK", "SERIAL", "TEMP", "WEAR", "HOURS", "TEST", "DEFECTS", "HEALTH"});
  for (const auto& [place, disk] : rows) {
    const std::string test = disk->get("smart.self_test");
    table.add({place, measure(*disk, "serial", ""), measure(*disk, "temperature_celsius", " C"),
               measure(*disk, "wear_percent", " %"), measure(*disk, "power_on_hours", ""),
               test.empty() ? "-" : test, DiskDefects(*disk).brief(),
               health_of(*disk, !known.of(*disk).empty())},
              tone_of(known, *disk));
  }
  return table.text();
}

// "SLOT 04"; "disk Z1Y0" if no bay is known.
std::string name_of_disk(const Inventory& inventory, const Resource& disk) {
  const ui::PartNames names = ui::names_of(inventory, disk.fmri);
  if (!names.place.empty()) return names.place;
  return names.serial.empty() ? names.name : "disk " + names.serial;
}

// Details that do not fit in the table: all defects, open cases, why a disk is not observed.
std::string notes_of(const Known& known, const std::vector<const Resource*>& disks) {
  std::string text;
  for (const Resource* disk : disks) {
    const std::string name = name_of_disk(known.inventory, *disk) + ": ";
    if (const std::string defects = DiskDefects(*disk).all(); defects.find(',') != defects.npos)
      text += wrapped(name, defects, 2);
    for (const Case& c : known.of(*disk)) {
      const std::string& what = c.title.empty() ? c.code : c.title;
      text += wrapped(name, fmt::format("{} (fmadm faulty -u {})", clean_prose(what), c.uuid), 2);
    }
    if (const std::string reason = disk->get("smart.reason"); !reason.empty())
      text += wrapped(name, clean_prose(reason), 2);
  }
  return text;
}

bool is_shown(const Resource& disk) {
  return disk.type == "disk" && disk.present;
}

// The disks that a part is or contains.
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

Result<void> show(const Known& known, const std::vector<const Resource*>& disks, bool as_json) {
  if (as_json) {
    json docs = json::array();
    for (const Resource* disk : disks) {
      json& doc = docs.emplace_back(Inventory::to_json(*disk));
      doc["cases"] = json::array();
      for (const Case& c : known.of(*disk)) doc["cases"].push_back(c.uuid);
    }
    return print(json_text(docs));
  }
  if (disks.empty()) return print("No disk is known.\n");
  return print(table_of(known, disks) + notes_of(known, disks));
}

// A case belongs to the disk that is its suspect or would be replaced.
void file_case(Known& known, const Case& c) {
  std::set<std::string> disks;
  for (const Suspect& s : c.suspects) {
    if (s.status != SuspectStatus::faulty) continue;
    for (const std::string& part : {s.resource, s.asru, s.fru}) disks.insert(part);
    if (s.fru.empty()) disks.insert(disk_of(known.inventory, s.resource));
  }
  for (const std::string& disk : disks)
    if (!disk.empty()) known.cases[disk].push_back(c);
}

Result<Known> fetch(Client& client) {
  auto inventory = fetch_inventory(client);
  if (!inventory) return tl::unexpected(inventory.error());
  const auto cases = client.query("ListCases", json::object());
  if (!cases) return tl::unexpected(cases.error());
  Known known{std::move(*inventory), {}};
  for (const json& doc : *cases) {
    const auto c = case_from_json(doc);
    if (!c) return tl::unexpected(c.error());
    if (c->state != CaseState::unsolved) file_case(known, *c);
  }
  return known;
}

}  // namespace

Result<void> smart_show(Client& client, const std::vector<std::string>& parts, bool as_json) {
  const auto known = fetch(client);
  if (!known) return tl::unexpected(known.error());
  std::vector<const Resource*> disks;
  for (const std::string& part : parts_meant(known->inventory, parts)) {
    auto named = disks_named(known->inventory, part);
    if (!named) return tl::unexpected(named.error());
    disks.insert(disks.end(), named->begin(), named->end());
  }
  if (parts.empty())
    for (const auto& [fmri, resource] : known->inventory.all())
      if (is_shown(resource)) disks.push_back(&resource);
  return show(*known, disks, as_json);
}

namespace {

std::vector<std::string> all_disks(const Inventory& inventory) {
  std::vector<std::string> disks;
  for (const auto& [fmri, resource] : inventory.all())
    if (is_shown(resource)) disks.push_back(fmri);
  return disks;
}

// As given if it is not the name of one disk.
std::string disk_name(const Inventory& inventory, const std::string& part) {
  const auto disks = disks_named(inventory, part);
  if (!disks || disks->size() != 1) return clean(part);
  return name_of_disk(inventory, *disks->front());
}

// How a command takes the disk: by its bay or serial number if that names one disk only.
std::string disk_argument(const Inventory& inventory, const std::string& fmri) {
  const ui::PartNames names = ui::names_of(inventory, fmri);
  for (const std::string& word : {names.place, names.serial}) {
    const auto disks = disks_named(inventory, word);
    if (is_plain_name(word) && disks && disks->size() == 1) return quoted(word);
  }
  return clean(fmri);
}

}  // namespace

Result<void> smart_refresh(Client& client, const std::vector<std::string>& parts, bool as_json) {
  const auto inventory = fetch_inventory(client);
  if (!inventory) return tl::unexpected(inventory.error());
  std::vector<std::string> asked;
  std::string failed;
  for (const std::string& part :
       parts.empty() ? all_disks(*inventory) : parts_meant(*inventory, parts)) {
    const std::string name = disk_name(*inventory, part);
    WaitingLine line("waiting for " + name);
    const auto answer = client.refresh_disk(part, [&](int64_t seconds) { line.show(seconds); });
    line.clear();
    if (!answer && client.away()) return tl::unexpected(answer.error());
    if (!answer) {
      failed += (failed.empty() ? "" : "\n") + name + ": " + answer.error().text();
      continue;
    }
    asked.push_back(answer->disk);
    if (!answer->note.empty()) fmt::print(stderr, "{}: {}\n", name, clean_prose(answer->note));
  }
  if (!asked.empty() || as_json) {
    const auto known = fetch(client);
    if (!known) return tl::unexpected(known.error());
    std::vector<const Resource*> disks;
    for (const std::string& fmri : asked)
      if (const Resource* disk = known->inventory.find(fmri)) disks.push_back(disk);
    if (auto shown = show(*known, disks, as_json); !shown) return shown;
  }
  return failed.empty() ? Result<void>() : fail(failed);
}

Result<void> smart_test(Client& client, const SelfTestOptions& options) {
  const auto inventory = fetch_inventory(client);
  if (!inventory) return tl::unexpected(inventory.error());
  const std::string name = disk_name(*inventory, options.part);
  const auto answer = client.self_test(options.part, options.type, options.force);
  if (!answer) return fail(name + ": " + answer.error().text());
  if (options.json)
    return print(
        json_text({{"disk", answer->disk}, {"test", options.type}, {"note", answer->note}}));
  const std::string note = answer->note.empty() ? "" : " (" + clean_prose(answer->note) + ")";
  if (options.type == "abort") return print(fmt::format("{}: self-test ended{}\n", name, note));
  return print(fmt::format("{}: {} self-test begun{}; its result: fmadm smart show {}\n", name,
                           options.type, note, disk_argument(*inventory, answer->disk)));
}

}  // namespace fmd::cli
