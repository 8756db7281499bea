#include "fmd/scene/part_state.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>

#include "fmd/base/capacity.h"
#include "fmd/base/text.h"
#include "fmd/scene/places.h"
#include "fmd/scene/pool_trouble.h"

namespace fmd::scene {
namespace {

void add(std::vector<const Case*>& to, const Case* c) {
  if (std::find(to.begin(), to.end(), c) == to.end()) to.push_back(c);
}

void gravest_first(std::vector<const Case*>& cases) {
  std::stable_sort(cases.begin(), cases.end(), [](const Case* a, const Case* b) {
    return severity_rank(a->severity) > severity_rank(b->severity);
  });
}

Light light(const Resource& bay, std::string_view property) {
  const std::string word = bay.get(property);
  if (word == "on") return Light::on;
  if (word == "off") return Light::off;
  if (word.empty() || word == "cannot-drive") return Light::none;
  return Light::unknown;
}

// A case about a shared part also has observations of the parts that fail together.
bool is_of_suspect(const Case& c, const Observation& o) {
  return std::any_of(c.suspects.begin(), c.suspects.end(), [&](const Suspect& s) {
    return o.resource == s.resource || o.resource == s.asru || o.resource == s.fru;
  });
}

bool is_elsewhere(const Inventory& inventory, const Suspect& s) {
  const Resource* fru = inventory.find(s.fru);
  if (!fru || !fru->present) return false;
  const auto parents = inventory.parents(s.fru, Relation::contains);
  return std::any_of(parents.begin(), parents.end(), [&](const Resource* parent) {
    return parent->type == "bay" && parent->present && parent->fmri != s.bay;
  });
}

std::string capacity(const Resource& disk) {
  const double bytes = std::atof(disk.get("size_bytes").c_str());
  return bytes > 0 && bytes < 1e18 ? format_capacity(static_cast<uint64_t>(bytes)) : "";
}

std::string medium(const Resource& disk) {
  if (disk.is("transport", "nvme")) return "NVMe";
  const std::string rotational = disk.get("rotational");
  return rotational == "true" ? "HDD" : rotational == "false" ? "SSD" : "";
}

std::string joined(const std::vector<std::string>& words, std::string_view by) {
  std::string out;
  for (const std::string& word : words)
    if (!word.empty()) out += (out.empty() ? "" : std::string(by)) + word;
  return out;
}

const Resource* disk_in(const Inventory& inventory, const Resource& bay) {
  for (const Edge& edge : bay.edges) {
    const Resource* r = edge.relation == Relation::contains ? inventory.find(edge.to) : nullptr;
    if (r && r->present && r->type == "disk") return r;
  }
  return nullptr;
}

// The leaf vdevs on that disk or on one of its partitions.
std::vector<const Resource*> vdevs_on(const Inventory& inventory, const Resource& disk) {
  constexpr std::array<std::string_view, 3> kNone = {"zfs-pool", "md-array", "lvm-volume"};
  std::vector<const Resource*> found;
  for (const Resource* parent : inventory.parents(disk.fmri, Relation::redundancy))
    if (parent->present && std::find(kNone.begin(), kNone.end(), parent->type) == kNone.end())
      found.push_back(parent);
  return found;
}

std::optional<double> progress_of(const Inventory& inventory, const Resource& vdev) {
  const Resource* pool = vdev.type == "md-member"
                             ? inventory.ascend(vdev.fmri, Relation::redundancy, "md")
                             : inventory.ascend(vdev.fmri, Relation::redundancy, "zfs");
  while (pool && pool->type != "zfs-pool" && pool->type != "md-array")
    pool = inventory.ascend(pool->fmri, Relation::redundancy, "zfs");
  if (!pool || !pool->is("scan", "resilver") || pool->get("scan_percent").empty()) return {};
  return std::clamp(std::atof(pool->get("scan_percent").c_str()) / 100, 0.0, 1.0);
}

struct DiskUse {
  bool watched = false, spare = false, rebuilding = false, out = false;
  std::optional<double> progress;
  std::string pools, state;
  const PoolTrouble* trouble = nullptr;
};

DiskUse use_of(const View& view, const Resource& disk) {
  const Inventory& inventory = view.inventory;
  DiskUse use;
  use.watched = disk.is("smart.state", "observed") || disk.is("smart.state", "standby");
  for (const Resource* vdev : vdevs_on(inventory, disk)) {
    use.watched = true;
    const std::string pool = display(vdev->get("pool"));
    if (use.pools.find(pool) == std::string::npos)
      use.pools += (use.pools.empty() ? "" : ", ") + pool;
    const bool idle = is_idle_spare(*vdev);
    use.spare = use.spare || idle;
    if (const PoolTrouble* trouble = idle ? nullptr : trouble_of(view.troubles, *vdev);
        trouble && (!use.trouble || trouble->grade > use.trouble->grade))
      use.trouble = trouble;
    if (view.filled.count(vdev->fmri)) {
      use.rebuilding = true;
      use.progress = progress_of(inventory, *vdev);
    }
    const std::string service = vdev->get("service");
    if (!vdev->is("role", "spare") && (service == "degraded" || service == "out-of-service")) {
      use.out = true;
      use.state = display(vdev->get("state"));
    }
  }
  return use;
}

// From the bay's description ("backplane-0,expander"), and the parts on the path to its disk.
std::vector<std::string> domains_of(const Inventory& inventory, const Resource& bay,
                                    const Resource* disk) {
  std::vector<std::string> found;
  const auto add = [&](std::string name) {
    if (!name.empty() && std::find(found.begin(), found.end(), name) == found.end())
      found.push_back(std::move(name));
  };
  const std::string named = bay.get("fault_domain");
  for (size_t at = 0; at < named.size();) {
    const size_t end = std::min(named.find(',', at), named.size());
    add(display(named.substr(at, end - at)));
    at = end + 1;
  }
  std::vector<std::string> level;
  if (disk) level.push_back(disk->fmri);
  for (int up = 0; up < 8 && !level.empty(); ++up) {
    std::vector<std::string> above;
    for (const std::string& fmri : level)
      for (const Resource* r : inventory.parents(fmri, Relation::path)) {
        if (!r->present) continue;
        const std::string name = r->get("name").empty() ? r->fmri : r->get("name");
        if (r->type == "expander")
          add((name.starts_with("expander") ? "" : "expander ") + display(name));
        if (r->type == "hba") add("HBA " + display(name));
        above.push_back(r->fmri);
      }
    std::sort(above.begin(), above.end());
    above.erase(std::unique(above.begin(), above.end()), above.end());
    level = std::move(above);
  }
  return found;
}

// An occupied bay without a disk has lost it, if other bays show theirs. Behind a RAID controller
// no bay shows a disk.
PartState without_disk(const View& view, const Resource& bay) {
  if (bay.is("occupied", "false")) return PartState::empty;
  if (!bay.is("occupied", "true")) return PartState::unknown;
  return view.with_disks.contains(enclosure_of(view.inventory, bay)) ? PartState::degraded
                                                                     : PartState::unwatched;
}

std::vector<const Case*> explaining_of(const View& view, const Resource& disk) {
  std::vector<const Case*> out = view.accusations.explaining(disk.fmri);
  for (const Resource* vdev : vdevs_on(view.inventory, disk))
    for (const Case* c : view.accusations.explaining(vdev->fmri)) add(out, c);
  gravest_first(out);
  return out;
}

void describe_bay(const View& view, const Resource& bay, Part& part) {
  part.fault = light(bay, "led.fault");
  part.locate = light(bay, "led.locate");
  const Resource* disk = disk_in(view.inventory, bay);
  part.domains = domains_of(view.inventory, bay, disk);
  auto own = view.accusations.of(bay.fmri);
  auto before = view.accusations.in_bay(bay.fmri);
  std::vector<const Case*> explaining;  // while the disk is out of use
  DiskUse use;
  if (disk) {
    part.holds = disk->fmri;
    part.detail = joined({capacity(*disk), medium(*disk)}, " ");
    use = use_of(view, *disk);
    for (const Case* c : view.accusations.of(disk->fmri)) add(own, c);
    for (const Resource* vdev : vdevs_on(view.inventory, *disk))
      for (const Case* c : view.accusations.of(vdev->fmri)) add(own, c);
    gravest_first(own);
    if (use.out) explaining = explaining_of(view, *disk);
  }
  std::erase_if(before,
                [&](const Case* c) { return std::find(own.begin(), own.end(), c) != own.end(); });
  part.progress = use.progress;
  // A bay whose faulty disk is gone shows the case until a new disk is inserted.
  if (!own.empty())
    part.state = state_of(*own.front());
  else if (use.rebuilding)
    part.state = PartState::rebuilding;
  else if (!before.empty())
    part.state = state_of(*before.front());
  else if (!explaining.empty())
    part.state = state_of(*explaining.front());
  else if (use.out)
    part.state = PartState::degraded;
  else if (use.spare)
    part.state = PartState::spare;
  else if (disk)
    part.state = use.watched ? PartState::ok : PartState::unwatched;
  else
    part.state = without_disk(view, bay);
  if (use.trouble) {
    part.frame = use.trouble->grade;
    part.trouble = use.trouble->text;
  }
  for (const Case* c : before) add(own, c);
  for (const Case* c : explaining) add(own, c);
  for (const Case* c : own) part.cases.push_back(c->uuid);
  const std::string serial = disk ? display(disk->get("serial")) : "";
  const std::string member = use.pools.empty() ? "" : "in " + use.pools;
  std::string what;
  if (disk)
    what = joined({display(disk->get("model")), serial.empty() ? "" : "serial " + serial,
                   part.detail, member, use.state},
                  ", ");
  else if (bay.is("occupied", "true"))
    what = "something that shows no disk";
  part.says = fmt::format("{}{}", what.empty() ? "" : what + ": ", state_word(part.state));
  if (part.progress) part.says += fmt::format(" {:.0f} %", *part.progress * 100);
  if (use.trouble) part.says += fmt::format(" ({})", part.trouble);
}

bool runs(const Inventory& inventory, std::string_view plugin) {
  const Resource* one = inventory.find(fmt::format("fmd://plugin={}", plugin));
  return one && one->present && one->is("state", "ok");
}

// Processors and memory modules have no sensor: they are watched if a plugin counts their errors.
bool is_watched(const Inventory& inventory, const Resource& part) {
  if (part.type == "cpu") return runs(inventory, "cpu");
  if (part.type != "dimm" && part.type != "edac-dimm") return false;
  return runs(inventory, "cpu") || (!part.get("edac").empty() && runs(inventory, "system"));
}

PartState word_state(const Inventory& inventory, const Resource& part) {
  const std::string status = part.get("status");
  if (status == "OK" || status == "ok") return PartState::ok;
  if (status == "critical" || status == "unrecoverable" || status == "alarm" || status == "failed")
    return PartState::faulted;
  if (status == "non-critical") return PartState::degraded;
  if (status == "not installed") return PartState::empty;
  if (part.type == "psu" || part.type == "fan" || part.type == "sensor") return PartState::unknown;
  return is_watched(inventory, part) ? PartState::ok : PartState::unwatched;
}

std::string word_detail(const Resource& part) {
  const std::string value = part.get("value"), unit = part.get("unit");
  if (!value.empty() && !unit.empty())
    return display(value) + (unit == "celsius" ? " °C" : " " + display(unit));
  if (part.type == "dimm") {
    const auto bytes = std::strtoull(part.get("size_bytes").c_str(), nullptr, 10);
    return bytes ? format_bytes(bytes) : "";
  }
  return display(part.get("model"), 40);
}

}  // namespace

bool is_idle_spare(const Resource& vdev) {
  if (!vdev.is("role", "spare") || vdev.is("state", "INUSE") || vdev.is("state", "rebuilding"))
    return false;
  const std::string parent = vdev.get("parent_type");  // "" for md
  return parent.empty() || parent == "none";
}

PartState state_of(const Case& c) {
  return severity_rank(c.severity) >= 2 ? PartState::faulted : PartState::degraded;
}

std::string enclosure_of(const Inventory& inventory, const Resource& bay) {
  if (std::string named = bay.get("enclosure"); !named.empty()) return named;
  for (const Resource* above : inventory.parents(bay.fmri, Relation::contains))
    if (above->type == "enclosure") return above->fmri;
  return {};
}

Fmris enclosures_with_disks(const Inventory& inventory) {
  Fmris found;
  for (const auto& [fmri, bay] : inventory.all())
    if (bay.type == "bay" && bay.present && disk_in(inventory, bay))
      found.insert(enclosure_of(inventory, bay));
  found.erase("");
  return found;
}

Fmris filled_vdevs(const Inventory& inventory) {
  Fmris filled;
  for (const auto& [fmri, vdev] : inventory.all()) {
    if (!vdev.present) continue;
    if (const std::string by = vdev.get("replacing"); !by.empty()) filled.insert(by);
    if (vdev.is("spare", "resilvering")) filled.insert(vdev.get("spare_by"));
  }
  return filled;
}

Accusations::Accusations(const std::vector<const Case*>& cases, const Inventory& inventory) {
  for (const Case* one : cases) {
    const Case& c = *one;
    if (!c.open() || c.state == CaseState::unsolved) continue;
    for (const Suspect& s : c.suspects) {
      if (s.status != SuspectStatus::faulty) continue;
      for (const std::string& fmri : {s.fru, s.asru, s.resource})
        if (!fmri.empty()) add(by_part_[fmri], &c);
      if (!s.bay.empty() && !is_elsewhere(inventory, s)) add(by_bay_[s.bay], &c);
    }
    if (c.faulty())
      for (const Observation& o : c.observations)
        if (!is_of_suspect(c, o)) add(explained_[o.resource], &c);
  }
  for (auto* index : {&by_part_, &by_bay_, &explained_})
    for (auto& [fmri, found] : *index) gravest_first(found);
}

std::vector<const Case*> Accusations::of(std::string_view fmri) const {
  const auto at = by_part_.find(fmri);
  return at == by_part_.end() ? std::vector<const Case*>{} : at->second;
}

std::vector<const Case*> Accusations::explaining(std::string_view fmri) const {
  const auto at = explained_.find(fmri);
  return at == explained_.end() ? std::vector<const Case*>{} : at->second;
}

std::vector<const Case*> Accusations::in_bay(std::string_view bay) const {
  const auto at = by_bay_.find(bay);
  return at == by_bay_.end() ? std::vector<const Case*>{} : at->second;
}

Part describe(const View& view, const Resource& resource, PartKind kind) {
  Part part;
  part.fmri = resource.fmri;
  part.kind = kind;
  part.label = display(resource.get("label"));
  if (part.label.empty()) part.label = display(resource.get("slot"));
  if (part.label.empty() && kind == PartKind::cpu) part.label = display(resource.get("name"));
  if (kind == PartKind::bay) {
    describe_bay(view, resource, part);
  } else {
    auto cases = view.accusations.of(resource.fmri);
    // A card represents its HBA and network ports, and so shows their cases.
    for (const Resource* one : inside(view.inventory, resource.fmri))
      for (const Case* c : view.accusations.of(one->fmri)) add(cases, c);
    gravest_first(cases);
    part.state = cases.empty() ? word_state(view.inventory, resource) : state_of(*cases.front());
    const Resource* card =
        kind == PartKind::card ? card_in(view.inventory, resource.fmri) : nullptr;
    if (card) part.holds = card->fmri;
    part.detail = word_detail(card ? *card : resource);
    for (const Case* c : cases) part.cases.push_back(c->uuid);
    part.says = joined({part.detail, display(resource.get("reason"))}, ", ");
    part.says += fmt::format("{}{}", part.says.empty() ? "" : ": ", state_word(part.state));
  }
  part.says =
      fmt::format("{}: {}", part.label.empty() ? display(resource.fmri) : part.label, part.says);
  return part;
}

}  // namespace fmd::scene
