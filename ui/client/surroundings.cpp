#include "ui/client/surroundings.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <optional>

#include "fmd/base/json.h"
#include "fmd/base/text.h"
#include "fmd/model/fmri.h"
#include "ui/client/client.h"
#include "ui/client/words.h"

namespace fmd::ui {
namespace {

using nlohmann::json;

constexpr size_t kMostNamed = 500;  // most parts that are queried by name

json around_cases() {
  return {{"around_cases", true}};
}

std::string text_of(const nlohmann::json& doc, const char* key) {
  const auto it = doc.find(key);
  if (it == doc.end() || !it->is_string() || it->get_ref<const std::string&>().empty()) return "-";
  return clean(it->get_ref<const std::string&>());
}

std::optional<double> as_number(const Value& value) {
  if (const auto* i = std::get_if<int64_t>(&value)) return static_cast<double>(*i);
  if (const auto* u = std::get_if<uint64_t>(&value)) return static_cast<double>(*u);
  if (const auto* d = std::get_if<double>(&value); d && std::isfinite(*d)) return *d;
  return std::nullopt;
}

std::string clock_words(int64_t seconds) {
  const int64_t days = seconds / 86400;
  std::string text = days > 0 ? fmt::format("{} d ", days) : "";
  return text +
         fmt::format("{:02}:{:02}:{:02}", seconds / 3600 % 24, seconds / 60 % 60, seconds % 60);
}

bool is_group(const Resource& r) {
  const bool holds_vdevs = std::any_of(r.edges.begin(), r.edges.end(), [](const Edge& e) {
    return e.relation == Relation::redundancy && std::string_view(e.to).starts_with("zfs://");
  });
  return r.type == "zfs-pool" || r.type == "md-array" || r.type == "lvm-volume" ||
         r.type == "btrfs" || (r.type == "zfs-vdev" && holds_vdevs);
}

}  // namespace

void Surroundings::set_host(const nlohmann::json& config) {
  const auto it = config.find("host");
  const nlohmann::json none = nlohmann::json::object();
  const nlohmann::json& doc = it != config.end() && it->is_object() ? *it : none;
  host = text_of(doc, "name");
  platform = text_of(doc, "platform");
  chassis_id = text_of(doc, "chassis_id");
  product_sn = text_of(doc, "product_sn");
}

Result<void> Surroundings::add_resources(const nlohmann::json& list) {
  if (!list.is_array()) return fail("The list of resources is not an array");
  for (const auto& doc : list) {
    auto resource = Inventory::resource_from_json(doc);
    if (!resource) return tl::unexpected(resource.error());
    inventory.restore(std::move(*resource));
  }
  return {};
}

void Surroundings::fetch_ahead(Client& client, bool of_open_cases) {
  client.ask_ahead("GetConfig");
  if (of_open_cases) client.ask_ahead("ListResources", around_cases());
}

Result<void> Surroundings::fetch_host(Client& client) {
  const auto config = client.query("GetConfig");
  if (!config) return tl::unexpected(config.error());
  set_host(*config);
  return {};
}

Result<void> Surroundings::fetch_parts(Client& client, const std::vector<std::string>& parts) {
  json filter = json::object();
  if (!parts.empty() && parts.size() <= kMostNamed) filter["around"] = parts;
  const auto resources = client.query("ListResources", filter);
  return resources ? add_resources(*resources) : tl::unexpected(resources.error());
}

Result<Surroundings> Surroundings::fetch(Client& client, const std::vector<std::string>& parts) {
  Surroundings around;
  if (auto done = around.fetch_host(client); !done) return tl::unexpected(done.error());
  if (auto done = around.fetch_parts(client, parts); !done) return tl::unexpected(done.error());
  return around;
}

Result<Surroundings> Surroundings::fetch_of_open_cases(Client& client,
                                                       const std::set<std::string>& parts) {
  Surroundings around;
  if (auto done = around.fetch_host(client); !done) return tl::unexpected(done.error());
  // An older fmd refuses this filter. Parts missing from the answer are queried by name below.
  const auto resources = client.query("ListResources", around_cases());
  if (!resources && client.away()) return tl::unexpected(resources.error());
  if (resources)
    if (auto added = around.add_resources(*resources); !added) return tl::unexpected(added.error());
  std::vector<std::string> missing;
  std::copy_if(parts.begin(), parts.end(), std::back_inserter(missing),
               [&](const std::string& part) { return !around.inventory.find(part); });
  if (missing.empty()) return around;
  if (auto done = around.fetch_parts(client, missing); !done) return tl::unexpected(done.error());
  return around;
}

Result<Inventory> fetch_inventory(Client& client) {
  const auto resources = client.query("ListResources", nlohmann::json::object());
  if (!resources) return tl::unexpected(resources.error());
  Surroundings around;
  if (auto added = around.add_resources(*resources); !added) return tl::unexpected(added.error());
  return std::move(around.inventory);
}

double number_of(const Resource& resource, std::string_view property, double fallback) {
  const auto it = resource.properties.find(property);
  return it == resource.properties.end() ? fallback : as_number(it->second).value_or(fallback);
}

std::vector<const Resource*> members_of(const Inventory& inventory, const Resource& of) {
  std::vector<const Resource*> members;
  for (const Edge& edge : of.edges) {
    const Resource* one = edge.relation == Relation::redundancy ? inventory.find(edge.to) : nullptr;
    if (one && one->present) members.push_back(one);
  }
  // By position in the parent; members without one come last, in their present order.
  std::stable_sort(members.begin(), members.end(), [](const Resource* a, const Resource* b) {
    return number_of(*a, "position", 1e9) < number_of(*b, "position", 1e9);
  });
  return members;
}

Scan scan_of(const Resource& pool) {
  Scan scan;
  scan.fmri = pool.fmri;
  scan.pool = clean(pool.get("name").empty() ? pool.fmri : pool.get("name"));
  scan.health = clean(pool.get("health"));
  scan.work = pool.present ? clean(pool.get("scan")) : "";
  scan.percent = std::clamp(number_of(pool, "scan_percent", 0), 0.0, 100.0);
  scan.rate_bytes =
      static_cast<uint64_t>(std::clamp(number_of(pool, "scan_rate_bytes", 0), 0.0, 1e18));
  scan.seconds_left =
      static_cast<int64_t>(std::clamp(number_of(pool, "scan_seconds_left", -1), -1.0, 1e10));
  scan.started_ns = static_cast<int64_t>(std::clamp(number_of(pool, "scan_started", 0), 0.0, 9e18));
  scan.last = clean_prose(pool.get("last_scan_text"));
  return scan;
}

std::string Scan::progress() const {
  std::string text = fmt::format("{:.1f} % done", percent);
  if (rate_bytes > 0) text += ", " + format_bytes(rate_bytes) + "/s";
  return text +
         (seconds_left >= 0 ? ", " + clock_words(seconds_left) + " left" : ", no estimate yet");
}

const Resource* pool_of(const Inventory& inventory, std::string_view vdev) {
  const Resource* at = inventory.find(vdev);
  for (int depth = 0; at && depth < 16; ++depth) {
    if (at->type == "zfs-pool" || at->type == "md-array") return at;
    const auto parents = inventory.parents(at->fmri, Relation::redundancy);
    if (parents.empty()) break;
    at = parents.front();
  }
  // The FMRI of a vdev begins with that of its pool.
  const size_t slash = vdev.find("/vdev=");
  return slash == std::string_view::npos ? nullptr : inventory.find(vdev.substr(0, slash));
}

std::string disk_of(const Inventory& inventory, std::string_view fmri) {
  const Resource* disk = inventory.descend(fmri, Relation::redundancy, "dev");
  return disk ? disk->fmri : std::string(fmri);
}

PartNames names_of(const Inventory& inventory, std::string_view fmri) {
  const Resource* itself = inventory.find(fmri);
  // A pool, an array or a group of disks is never named as one of its disks.
  const bool group = itself && is_group(*itself);
  const Resource* disk = group ? nullptr : inventory.descend(fmri, Relation::redundancy, "dev");
  const std::string_view part = disk ? std::string_view(disk->fmri) : fmri;
  std::string name = itself ? itself->get("name") : "";
  if (!name.empty() && itself->type == "zfs-pool") name.insert(0, "pool ");
  if (!name.empty() && itself->type == "md-array") name.insert(0, "array ");
  if (name.empty() && itself) name = itself->get("label");
  if (name.empty() && itself && !itself->get("address").empty()) {
    const std::string kind = itself->get("class_name");
    name = (kind.empty() ? "PCI device" : kind) + " " + itself->get("address");
  }
  return {clean(inventory.location(part)), disk ? clean(disk->get("serial")) : "",
          clean(name.empty() ? fmri_words(fmri) : name)};
}

std::string part_words(const Inventory& inventory, std::string_view fmri) {
  const auto [place, serial, name] = names_of(inventory, fmri);
  if (!place.empty() && !serial.empty()) return place + " (serial " + serial + ")";
  if (!place.empty()) return place;
  return serial.empty() ? name : "serial " + serial;
}

}  // namespace fmd::ui
