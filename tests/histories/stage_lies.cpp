// Lies: plugins that were broken into. Their messages pass the hub's check of who may set a property, like all messages.
// Which parts a plugin may describe at all is not checked here: each may lie about each part.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "chance.h"
#include "fmd/hub/grants.h"
#include "fmd/model/owners.h"
#include "names.h"
#include "stage.h"

namespace fmd::histories {
namespace {

// Properties that decisions or messages use.
constexpr std::array<const char*, 40> kFacts{"service",
                                             "state",
                                             "retired_by",
                                             "spare",
                                             "spare_by",
                                             "spare_key",
                                             "spares_available",
                                             "spare_refusal",
                                             "busy",
                                             "replacing",
                                             "retire_refusal",
                                             "degrade_refusal",
                                             "losses_left",
                                             "lost",
                                             "group",
                                             "unit",
                                             "role",
                                             "place",
                                             "place_disk",
                                             "autoreplace",
                                             "parent_type",
                                             "replace_refusal",
                                             "takes_spare",
                                             "superseded",
                                             "content",
                                             "path",
                                             "by_id",
                                             "serial",
                                             "wwn",
                                             "size_bytes",
                                             "sector_bytes",
                                             "rotational",
                                             "smart.status",
                                             "occupied",
                                             "label",
                                             "led.fault",
                                             "led.locate",
                                             "name",
                                             "health",
                                             "checksum_errors"};
constexpr std::array<const char*, 16> kValues{"in-service", "out-of-service", "removed", "degraded",
                                              "blank",      "used",           "unknown", "active",
                                              "true",       "false",          "on",      "off",
                                              "other",      "resilver",       "FAULTED", "ONLINE"};

Value word(std::string value) {
  return Value(std::move(value));
}

Resource part(std::string fmri, const char* type, Properties properties) {
  Resource r;
  r.fmri = std::move(fmri);
  r.type = type;
  r.properties = std::move(properties);
  return r;
}

Resource false_bay(std::string fmri, int bay, int disk) {
  Resource r = part(std::move(fmri), "bay",
                    {{"label", word(fmt::format("SLOT {:02}", bay))},
                     {"slot", Value(static_cast<int64_t>(bay))},
                     {"occupied", Value(true)}});
  r.edges.push_back({Relation::contains, disk_fmri(disk)});
  return r;
}

}  // namespace

void Stage::play_lie(const Step& step) {
  if (!daemon_.up()) return;
  if (step.kind == StepKind::lies_end) {
    say("liars", "describe nothing any more");
    for (const char* liar : kLiars) daemon_.hear({liar, {}, {}, true});
    return;
  }
  const Lie what = static_cast<Lie>(step.option % kLies);
  if (what == Lie::anything || what == Lie::anything_again) return play_any_lie(step);
  const int disk = step.place % static_cast<int>(world_.disks.size()), bay = bay_at(step.amount);
  const Liars who = static_cast<Liars>(step.option / kLies);
  for (const size_t liar : {0U, 1U}) {
    if (who != Liars::both && who != (liar == 0 ? Liars::first : Liars::second)) continue;
    InventoryUpdate update;
    update.source = kLiars[liar];
    update.resources =
        what == Lie::truth ? known_truth(disk, bay) : false_parts(what, disk, bay, kLiars[liar]);
    if (update.resources.empty()) continue;
    say(update.source,
        fmt::format("{} {} (lie {}, SLOT {:02})",
                    what == Lie::truth ? "tells the truth about" : "lies about",
                    world_.disks[static_cast<size_t>(disk)].serial, static_cast<int>(what), bay));
    lie(std::move(update));
  }
}

std::vector<Resource> Stage::false_parts(Lie what, int disk, int bay, const char* liar) const {
  const auto of_disk = [&](Properties properties) {
    return std::vector<Resource>{part(disk_fmri(disk), "disk", std::move(properties))};
  };
  switch (what) {
    case Lie::blank:
      return of_disk({{"content", word("blank")}});
    case Lie::other_path:
      return of_disk({{"path", word("/dev/sd0")}, {"by_id", word("ata-other")}});
    case Lie::other_serial:
      return of_disk({{"serial", word(world_.disks[0].serial)}});
    case Lie::larger:
      return of_disk({{"size_bytes", Value(int64_t{100000})}});
    case Lie::in_own_bay:
      return {false_bay(fmt::format("hc://chassis=1/bay={}-{}", liar, bay), bay, disk)};
    case Lie::in_that_bay:
      if (!world_.bays[static_cast<size_t>(bay)].known)
        return {};  // it would be the liar's own bay
      return {false_bay(bay_fmri(bay), bay, disk)};
    case Lie::smart_failed:
    case Lie::smart_passed:
      return of_disk({{"smart.state", word("observed")},
                      {"smart.protocol", word("ata")},
                      {"smart.status", word(what == Lie::smart_failed ? "failed" : "passed")}});
    case Lie::anything:
    case Lie::anything_again:
    case Lie::truth:
      break;
  }
  return {};
}

// Of parts that it knows, so that the liar does not become their only source.
std::vector<Resource> Stage::known_truth(int disk, int bay) {
  std::vector<Resource> out;
  const auto leaf = std::min(static_cast<size_t>(bay), world_.leafs.size() - 1);
  const std::string vdev = leaf_fmri(world_.leafs[leaf].pool, static_cast<int>(leaf));
  for (const std::string& fmri : {disk_fmri(disk), bay_fmri(bay), vdev}) {
    const Resource* known = daemon_.engine().inventory().find(fmri);
    if (!known) continue;
    Resource copy = *known;
    copy.sources = {};
    copy.properties = {};
    for (const auto& [name, value] : known->properties)
      if (!name.starts_with(kSaidBy) && name != kDisputed) copy.properties[name] = value;
    out.push_back(std::move(copy));
  }
  return out;
}

void Stage::play_any_lie(const Step& step) {
  Chance chance(static_cast<uint64_t>(step.at) * 31 + static_cast<uint64_t>(step.place));
  const auto disk = [&] { return disk_fmri(chance.below(static_cast<int>(world_.disks.size()))); };
  const auto leaf = [&] {
    const int at = chance.below(static_cast<int>(world_.leafs.size()));
    return leaf_fmri(world_.leafs[static_cast<size_t>(at)].pool, at);
  };
  const auto any_part = [&] {
    const int bay = chance.below(static_cast<int>(world_.bays.size()));
    return chance.pick<std::string>(
        {{4, disk()}, {4, leaf()}, {2, bay_fmri(bay)}, {1, pool_fmri(0)}});
  };
  const auto any_value = [&]() -> Value {
    const int size = chance.below(3) * 50000;
    if (chance.percent(20)) return Value(static_cast<int64_t>(size));
    if (chance.percent(20)) return word(any_part());
    return word(kValues[static_cast<size_t>(chance.below(kValues.size()))]);
  };
  InventoryUpdate update;
  update.source = kLiars[static_cast<size_t>(chance.below(kLiars.size()))];
  std::string about = any_part();
  if (chance.percent(10)) about = "redfish://part=" + std::to_string(chance.below(3));
  Resource told = part(
      about, chance.pick<const char*>({{4, "disk"}, {4, "zfs-vdev"}, {2, "bay"}, {1, "md-array"}}),
      {});
  for (int i = chance.between(1, 6); i > 0; --i)
    told.properties[kFacts[static_cast<size_t>(chance.below(kFacts.size()))]] = any_value();
  if (chance.percent(30))
    told.edges.push_back(
        {chance.percent(50) ? Relation::redundancy : Relation::contains, any_part()});
  told.present = chance.percent(85);
  say(update.source, fmt::format("lies about {}: {} properties, {} edges", told.fmri,
                                 told.properties.size(), told.edges.size()));
  update.resources.push_back(std::move(told));
  lie(std::move(update));
}

void Stage::lie(InventoryUpdate update) {
  const std::string source = update.source;
  // A compromised plugin also asks for the commands about each part by its whole name.
  std::vector<std::string> handles;
  for (size_t i = 0; i < world_.bays.size(); ++i) handles.push_back(bay_fmri(static_cast<int>(i)));
  for (size_t i = 0; i < world_.leafs.size(); ++i)
    handles.push_back(leaf_fmri(world_.leafs[i].pool, static_cast<int>(i)));
  handles.push_back("hc://chassis=1/");
  hello(source, std::move(handles));
  set_apart_foreign({{source, {}}}, update);
  daemon_.hear(std::move(update));
}

}  // namespace fmd::histories
