#include "ui/cli/fleet_score.h"

#include <algorithm>
#include <cctype>
#include <set>

#include "plugins/smart/attribute_table.h"

namespace fmd::cli {
namespace {

// smartctl's names; helium is a percentage, which these drives also have as the raw value.
constexpr std::array<const char*, kDriveStatsAttributes.size()> kNames = {
    "Reallocated_Sector_Ct", "Helium_Level",        "End-to-End_Error",
    "Reported_Uncorrect",    "Command_Timeout",     "Current_Pending_Sector",
    "Offline_Uncorrectable", "UDMA_CRC_Error_Count"};

double raw_of(const decltype(DriveDay::raw)& raw, int attribute) {
  const auto at = std::find(kDriveStatsAttributes.begin(), kDriveStatsAttributes.end(), attribute);
  return raw[static_cast<size_t>(at - kDriveStatsAttributes.begin())].value_or(0);
}

// Drive stats do not say what a drive is, and not every SSD has "SSD" in its model: a word of it may begin with the letters of a
// product line (Micron, Samsung, WD, Seagate, SK hynix, Toshiba), or the maker has no hard disks. Dell's BOSS has M.2 SSDs.
bool is_solid_state(std::string model) {
  std::transform(model.begin(), model.end(), model.begin(), [](unsigned char c) {
    return std::isalnum(c) ? static_cast<char>(std::toupper(c)) : ' ';
  });
  constexpr const char* kLines[] = {"MTFD", "MZ7",     "WDS",      "ZA",        "HFS",
                                    "THNS", "CRUCIAL", "KINGSTON", "TRANSCEND", "DELLBOSS"};
  const std::string words = " " + model;
  return model.find("SSD") != model.npos ||
         std::any_of(std::begin(kLines), std::end(kLines), [&](const char* line) {
           return words.find(std::string(" ") + line) != words.npos;
         });
}

// Drive stats lack sector sizes. Disks of more than 2 TB have 4096-byte sectors, nearly all with
// 512-byte emulation.
int64_t counted_per_sector(const std::string& model, double capacity) {
  constexpr double kLargestOfOld = 2.1e12;
  return capacity > kLargestOfOld && smart::counts_logical_sectors(model, "") ? 8 : 1;
}

bool is_well(const decltype(DriveDay::raw)& raw) {
  for (size_t i = 0; i < raw.size(); ++i)  // attribute 22, helium, is 100 in a healthy disk
    if (raw[i].value_or(0) != 0 && kDriveStatsAttributes[i] != 22) return false;
  return true;
}

// smartd.conf(5): of these attributes, the default directive -a reports -C 197 and -U 198.
bool smartd_reports(const decltype(DriveDay::raw)& raw) {
  return raw_of(raw, 197) > 0 || raw_of(raw, 198) > 0;
}

// The attributes that Backblaze uses.
bool any_of_five(const decltype(DriveDay::raw)& raw) {
  const auto above = [&](int attribute) { return raw_of(raw, attribute) > 0; };
  return above(5) || above(187) || above(188) || above(197) || above(198);
}

}  // namespace

FleetScore::FleetScore(std::shared_ptr<const RuleSet> rules) : set_(std::move(rules)) {
  bank_.set_rules(set_);
  std::set<std::string> properties = {"smart.helium_level"};
  for (size_t i = 0; i < kNames.size(); ++i)
    properties.insert(smart::decode_attribute(kDriveStatsAttributes[i], kNames[i], "", 0).reading);
  for (const uint32_t at : set_->for_type("disk")) {
    const Rule& rule = set_->rules()[at];
    if (properties.contains(rule.property)) rules_.push_back(&rule);
  }
}

Resource FleetScore::resource_of(const std::string& serial, const Disk& disk) const {
  Resource out;
  out.fmri = serial;
  out.type = "disk";
  const bool solid = is_solid_state(disk.model);
  const int64_t per_sector = solid ? 1 : counted_per_sector(disk.model, disk.capacity);
  out.properties["smart.protocol"] = Value(std::string("ata"));
  out.properties["smart.medium"] = Value(std::string(solid ? "solid-state" : "rotating"));
  out.properties["rotational"] = Value(!solid);
  if (per_sector > 1 && disk.unit != smart::SectorUnit::physical)
    out.properties["smart.counts_logical_sectors"] = Value(true);
  for (size_t i = 0; i < kDriveStatsAttributes.size(); ++i) {
    if (!disk.raw[i] || *disk.raw[i] < 0 || *disk.raw[i] > 1e18) continue;
    const auto raw = static_cast<uint64_t>(*disk.raw[i]);
    const int id = kDriveStatsAttributes[i];
    const smart::Attribute attribute = smart::decode_attribute(id, kNames[i], disk.model, raw);
    if (id == 22 && raw <= 100) out.properties["smart.helium_level"] = Value(int64_t(raw));
    if (!*attribute.reading || attribute.value >= 0xffffffff) continue;
    out.properties[attribute.reading] =
        Value(attribute.sectors ? smart::physical_sectors(attribute.value, per_sector, disk.unit)
                                : attribute.value);
  }
  return out;
}

void FleetScore::learn_unit(Disk& disk) {
  if (disk.unit != smart::SectorUnit::unknown || is_solid_state(disk.model)) return;
  std::vector<int64_t> counts;
  for (size_t i = 0; i < kDriveStatsAttributes.size(); ++i) {
    if (!disk.raw[i] || *disk.raw[i] < 0 || *disk.raw[i] > 1e18) continue;
    const smart::Attribute attribute = smart::decode_attribute(
        kDriveStatsAttributes[i], kNames[i], disk.model, static_cast<uint64_t>(*disk.raw[i]));
    if (attribute.sectors && attribute.value < 0xffffffff) counts.push_back(attribute.value);
  }
  disk.unit = smart::sector_unit(counts, counted_per_sector(disk.model, disk.capacity));
}

std::vector<uint32_t> FleetScore::look(ConditionBank& bank, const Resource& resource,
                                       int64_t now_ns) const {
  std::vector<uint32_t> active;
  std::set<std::string_view> faults;
  for (uint32_t i = 0; i < rules_.size(); ++i)
    if (bank.look(*rules_[i], resource, false, now_ns).finding == Finding::active) {
      active.push_back(i);
      faults.insert(rules_[i]->fault->name);
    }
  std::erase_if(active, [&](uint32_t i) {
    return std::any_of(faults.begin(), faults.end(),
                       [&](std::string_view fault) { return rules_[i]->gives_way_to(fault); });
  });
  return active;
}

void FleetScore::take(const DriveDay& day) {
  auto at = disks_.find(day.serial);
  const bool first = at == disks_.end();
  if (first) at = disks_.emplace(std::string(day.serial), Disk{}).first;
  Disk& disk = at->second;
  disk.failed = disk.failed || day.failed;
  if (disk.model.empty()) disk.model = day.model;
  if (disk.capacity <= 0) disk.capacity = day.capacity;  // some rows have -1
  if (!first && day.time_ns < disk.last_ns) {
    ++out_of_order_;
    return;
  }
  if (!first && disk.raw == day.raw) {
    disk.last_ns = day.time_ns;
    return;
  }
  if (!first && !disk.followed && !is_well(day.raw)) {
    look(bank_, resource_of(at->first, disk), disk.last_ns);
    disk.followed = true;
  }
  // Keep the last value if a row has none.
  for (size_t i = 0; i < disk.raw.size(); ++i)
    if (day.raw[i]) disk.raw[i] = day.raw[i];
  disk.last_ns = day.time_ns;
  disk.followed = disk.followed || !is_well(disk.raw);
  learn_unit(disk);
  const Resource resource = resource_of(at->first, disk);
  ConditionBank passing;
  passing.set_rules(set_);
  for (const uint32_t rule : look(disk.followed ? bank_ : passing, resource, day.time_ns))
    if (std::find(disk.firing.begin(), disk.firing.end(), rule) == disk.firing.end())
      disk.firing.push_back(rule);
}

uint64_t FleetScore::failed() const {
  return static_cast<uint64_t>(std::count_if(
      disks_.begin(), disks_.end(), [](const auto& entry) { return entry.second.failed; }));
}

std::vector<FleetScore::Row> FleetScore::rows() const {
  std::vector<Row> sums = {{"smartd's defaults, last day"},
                           {"Backblaze's five above 0, last day"},
                           {"fmd, installed on the last day"},
                           {"fmd, watching from the first day"},
                           {"fmd, watching, Major or Critical"}};
  std::vector<Row> by_rule(rules_.size());
  for (const auto& [serial, disk] : disks_) {
    const auto count = [&failed = disk.failed](Row& row, bool reported) {
      if (reported) ++(failed ? row.failed : row.others);
    };
    ConditionBank fresh;
    fresh.set_rules(set_);
    const auto last = look(fresh, resource_of(serial, disk), disk.last_ns);
    std::set<uint32_t> any(last.begin(), last.end());
    any.insert(disk.firing.begin(), disk.firing.end());
    count(sums[0], smartd_reports(disk.raw));
    count(sums[1], any_of_five(disk.raw));
    count(sums[2], !last.empty());
    count(sums[3], !disk.firing.empty());
    count(sums[4], std::any_of(disk.firing.begin(), disk.firing.end(),
                               [&](uint32_t i) { return rules_[i]->fault->severity != "Minor"; }));
    for (const uint32_t i : any) count(by_rule[i], true);
  }
  for (size_t i = 0; i < by_rule.size(); ++i) {
    if (by_rule[i].failed + by_rule[i].others == 0) continue;
    by_rule[i].who = "rule " + rules_[i]->name;
    sums.push_back(std::move(by_rule[i]));
  }
  return sums;
}

}  // namespace fmd::cli
