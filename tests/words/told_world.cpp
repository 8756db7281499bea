#include "tests/words/told_world.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "fmd/base/duration.h"
#include "fmd/diagnosis/suspect_text.h"
#include "fmd/rules/rules.h"
#include "tests/lib/made.h"
#include "tests/lib/shipped_rules.h"
#include "tests/words/told_machine.h"

namespace fmd::test {
namespace {

bool begins(std::string_view text, std::initializer_list<std::string_view> starts) {
  for (const std::string_view start : starts)
    if (text.starts_with(start)) return true;
  return false;
}

// The part that a fault of this class is about.
std::string resource_of(const FaultClass& fault) {
  const std::string_view name = fault.name;
  const std::string_view rest = name.substr(name.find('.') + 1);
  if (begins(rest, {"fs.zfs.vdev", "fs.zfs.device", "fs.zfs.spare"})) return vdev(kSick);
  if (begins(rest, {"fs.zfs.log.flapping"}) || rest == "fs.zfs.log" || rest == "fs.zfs.cache")
    return vdev(kSick);
  if (begins(rest, {"fs.zfs"})) return kPool;
  if (begins(rest, {"io.disk", "md.member", "md.spare"})) return disk(kSick);
  if (begins(rest, {"disk.slot"})) return bay(kSick);
  if (begins(rest, {"fmd.plugin"})) return "fmd://plugin=zfs";
  if (begins(rest, {"fmd"})) return "fmd://service";
  return fmt::format("hc://system=1/part={}", name.substr(name.rfind('.') + 1));
}

std::string type_of(std::string_view fault) {
  for (const auto& [word, type] : {std::pair{"psu", "psu"},
                                   {"fan", "fan"},
                                   {"memory", "dimm"},
                                   {"cpu", "cpu"},
                                   {"temp", "enclosure"},
                                   {".md.", "md-array"}})
    if (fault.find(word) != fault.npos) return type;
  return "part";
}

}  // namespace

ToldWorld::ToldWorld(const FaultClass& fault) : inventory_(machine()) {
  c.uuid = "3f6d2c40-0000-4000-8000-000000000001";
  c.code = fault.code;
  c.severity = fault.severity;
  c.state = CaseState::solved;
  c.fault_class = fault.name;
  c.retire = fault.retire;
  c.led = fault.led;
  c.information = fault.information;
  take_order(fault, c);
  c.repair_after_ns = fault.repair.after_ns;
  Suspect s;
  s.fault_class = fault.name;
  s.resource = s.asru = resource_of(fault);
  if (!inventory_.find(s.resource)) {
    const std::string type = type_of(fault.name);
    inventory_.apply(
        {"more",
         {made(s.resource, type,
               {{"label", text(type == "psu" ? "PS2" : "")}, {"name", text("PART 2")}}, {})},
         {},
         true});
  }
  const bool of_disk =
      s.resource == vdev(kSick) || s.resource == disk(kSick) || s.resource == bay(kSick);
  if (of_disk && (s.resource == disk(kSick) || fault.fru.follow)) {
    s.fru = disk(kSick);
    s.bay = bay(kSick);
    s.location = "SLOT 04";
    s.serial = "Z1Y0DD04";
    s.model = "ST4000";
    s.device_path = "/dev/sd4";
  }
  s.facts = {{"pool", "tank"},         {"name", of_disk ? "sd4" : "PART 2"},
             {"count", "12"},          {"limit", "90"},
             {"value", "93"},          {"baseline", "4"},
             {"hold", "5 minutes"},    {"event.module", "DIMM_A2"},
             {"event.slot", "PCIE 3"}, {"event.sensor", "Status"}};
  c.title = fill_text(inventory_, s, fault.title);
  c.description = fill_text(inventory_, s, fault.description);
  c.action = fill_action(inventory_, s, fault.action);
  c.suspects = {std::move(s)};
  const bool gone = fault.retire.returns || is_wrong_disk(fault.name);
  if (of_disk && gone) {
    c.suspects[0].facts[kWasGone] = "true";
    pull();
  }
}

void ToldWorld::set(const std::string& fmri, const std::string& property, Value value) {
  Resource r = *inventory_.find(fmri);
  r.properties[property] = std::move(value);
  inventory_.apply({"t", {std::move(r)}, {}, false});
}

void ToldWorld::act(ActionKind kind, ActionState state, Obstacle obstacle, std::string detail,
                    Unfit unfit, std::string why) {
  Action action;
  action.kind = kind;
  action.part = kind == ActionKind::fault_led ? bay(kSick) : vdev(kSick);
  action.state = state;
  action.obstacle = obstacle;
  action.detail = std::move(detail);
  action.unfit = unfit;
  action.unfit_why = std::move(why);
  c.set_action(std::move(action));
}

void ToldWorld::pull() {
  InventoryUpdate update{"t", {}, {{disk(kSick), "removed", ""}}, false};
  Resource slot = *inventory_.find(bay(kSick));
  slot.edges.clear();
  update.resources.push_back(std::move(slot));
  inventory_.apply(update);
  set(vdev(kSick), "state", text("REMOVED"));
  set(vdev(kSick), "service", text("removed"));
}

void ToldWorld::put_in(const std::string& content) {
  pull();
  Resource slot = *inventory_.find(bay(kSick));
  slot.edges = {{Relation::contains, disk(8)}};
  inventory_.apply(
      {"t",
       {std::move(slot),
        made(disk(8), "disk",
             {{"serial", text("NEW00008")}, {"path", text("/dev/sdk")}, {"content", text(content)}},
             {})},
       {},
       false});
}

void ToldWorld::reach(SayState state) {
  const auto scan = [this](const std::string& work) {
    set(kPool, "scan", text(work));
    set(kPool, "scan_percent", int64_t{33});
    set(kPool, "scan_seconds_left", int64_t{780});
  };
  const auto spare = [this](const std::string& word) {
    set(vdev(kSick), "state", text("DEGRADED"));
    set(vdev(kSick), "service", text("degraded"));
    set(vdev(kSick), "spare", text(word));
    set(vdev(kSick), "spare_by", text(vdev(7)));
    act(ActionKind::retire, ActionState::done);
    act(ActionKind::spare, word == "active" ? ActionState::done : ActionState::resilvering);
    act(ActionKind::fault_led, ActionState::done);
  };
  const bool pulled = state == SayState::disk_pulled || state == SayState::unfit_disk ||
                      state == SayState::resilvering;
  // upset.fs.zfs.vdev.pulled joins the case of the disk, with its policy.
  if (pulled && c.fault_class.find(".fs.zfs.") == std::string::npos)
    c.retire.replace_same_bay = true;
  switch (state) {
    case SayState::diagnosed:
    case SayState::informed:
      break;
    case SayState::waiting_scrub:
      scan("scrub");
      set(vdev(kSick), "busy", text("scrub"));
      act(ActionKind::retire, ActionState::waiting, Obstacle::busy);
      act(ActionKind::fault_led, ActionState::done);
      break;
    case SayState::spare_resilvering:
      scan("resilver");
      spare("resilvering");
      break;
    case SayState::spare_holds_all:
      spare("active");
      break;
    case SayState::out_of_service:
      set(vdev(kSick), "state", text("FAULTED"));
      set(vdev(kSick), "service", text("out-of-service"));
      act(ActionKind::retire, ActionState::done);
      act(ActionKind::spare, ActionState::waiting, Obstacle::no_spare);
      break;
    case SayState::disk_pulled:
      pull();
      break;
    case SayState::unfit_disk:
      put_in("used");
      act(ActionKind::replace, ActionState::waiting, Obstacle::not_accepted,
          "the new disk in SLOT 04 (serial NEW00008) is not blank: a partition table. 'fmadm "
          "replace "
          "zfs://pool=7/vdev=4 dev://wwn=5000c500a0000008 --force' uses it anyway, and what is on "
          "it is lost",
          Unfit::not_blank, "is not blank: a partition table");
      break;
    case SayState::resilvering:
      put_in("blank");
      scan("resilver");
      set(vdev(kSick), "replacing", text(vdev(8)));
      act(ActionKind::replace, ActionState::resilvering);
      break;
    case SayState::repaired:
      c.state = CaseState::resolved;
      c.suspects[0].status = SuspectStatus::replaced;
      break;
    case SayState::dry_run:
      dry_run_ = true;
      act(ActionKind::retire, ActionState::dry_run, Obstacle::none,
          "dry run: would mark SLOT 04 degraded");
      break;
    case SayState::maintenance:
      window_ = "3";
      break;
  }
}

void ToldWorld::refuse_disk_elsewhere() {
  act(ActionKind::replace, ActionState::waiting, Obstacle::not_accepted,
      "the new disk in SLOT 08 (serial NEW00008) is not in SLOT 04, so it is not used "
      "automatically, and it is not blank: a partition table. 'fmadm replace zfs://pool=7/vdev=4 "
      "dev://wwn=5000c500a0000008 --force' uses it anyway, and what is on it is lost");
}

void ToldWorld::offer_disk_elsewhere() {
  act(ActionKind::replace, ActionState::waiting, Obstacle::not_accepted,
      "the new disk in SLOT 08 (serial N) is not in SLOT 04, so it is not used automatically. "
      "'fmadm replace A B' takes it",
      Unfit::none, "is in SLOT 08");
}

void ToldWorld::stop_plugin() {
  inventory_.apply(
      {"t",
       {made("fmd://plugin=zfs", "plugin", {{"name", text("zfs")}, {"state", text("dead")}}, {})},
       {},
       false});
}

void ToldWorld::plan(ActionKind kind) {
  act(kind, ActionState::planned);
}

void ToldWorld::fault_by_zfs() {
  set(vdev(kSick), "state", text("FAULTED"));
  set(vdev(kSick), "state_by", text("zfs"));
  set(vdev(kSick), "service", text("out-of-service"));
  act(ActionKind::retire, ActionState::done, Obstacle::not_ours);
  act(ActionKind::out_of_service, ActionState::done);
}

void ToldWorld::refuse_new_disk(Unfit unfit, const std::string& why, const std::string& how) {
  act(ActionKind::replace, ActionState::waiting, Obstacle::not_accepted,
      "the new disk in SLOT 04 (serial NEW00008) " + why + ". " + how, unfit, why);
}

void ToldWorld::move_old_disk() {
  inventory_.apply(
      {"t",
       {made(disk(kSick), "disk", {{"serial", text("Z1Y0DD04")}}, {}),
        made(bay(8), "bay", {{"label", text("SLOT 08")}}, {{Relation::contains, disk(kSick)}})},
       {},
       false});
}

void ToldWorld::lose_new_disk() {
  pull();
  inventory_.apply(
      {"t",
       {made(vdev(8), "zfs-vdev", {{"name", text("sd8")}, {"service", text("removed")}}, {})},
       {{disk(8), "removed", ""}},
       false});
}

void ToldWorld::bring_blank_disk() {
  put_in("blank");
}

void ToldWorld::use_new_disk() {
  Resource other = *inventory_.find(vdev(0));
  other.fmri = vdev(9);
  other.edges = {{Relation::redundancy, disk(8)}};
  inventory_.apply({"t", {std::move(other)}, {}, false});
}

void ToldWorld::light(bool on) {
  set(bay(kSick), "led.fault", text(on ? "on" : "off"));
}

void ToldWorld::taken_out_by(const std::string& whom) {
  set(vdev(kSick), "state_by", text(whom));
  act(ActionKind::retire, ActionState::done, Obstacle::not_ours);
}

void ToldWorld::call_repaired() {
  c.state = CaseState::repaired;
  c.suspects[0].status = SuspectStatus::repaired;
  set(vdev(kSick), "state", text("FAULTED"));
  set(vdev(kSick), "service", text("out-of-service"));
}

void ToldWorld::refuse_last_copy() {
  Resource r = *inventory_.find(vdev(kSick));
  r.properties.erase("losses_left");
  r.properties["retire_refusal"] = text("last copy: raidz2-0 already has 2 disks out of service");
  inventory_.apply({"t", {std::move(r)}, {}, false});
}

void ToldWorld::split() {
  set(vdev(kSick), "state", text("SPLIT"));
}

// A second group of the pool, which survives no failure.
void ToldWorld::add_exhausted_mirror() {
  Resource half = *inventory_.find(vdev(0));
  half.fmri = vdev(20);
  half.properties.erase("losses_left");
  half.properties["retire_refusal"] = text("last copy: mirror-1 already has 1 disk out of service");
  half.edges.clear();
  Resource pool = *inventory_.find(kPool);
  pool.edges.push_back({Relation::redundancy, vdev(101)});
  inventory_.apply(
      {"t",
       {std::move(half),
        made(vdev(101), "zfs-vdev",
             {{"name", text("mirror-1")}, {"vdev_type", text("mirror")}, {"role", text("data")}},
             {{Relation::redundancy, vdev(20)}}),
        std::move(pool)},
       {},
       false});
}

void ToldWorld::of_role(const std::string& role) {
  set(vdev(kSick), "role", text(role));
}

void ToldWorld::suspend_pool() {
  set(kPool, "health", text("SUSPENDED"));
}

void ToldWorld::offer_spare() {
  set(vdev(kSick), "spares_available", int64_t{1});
}

void ToldWorld::degrade_others() {
  for (const int n : {0, 1}) set(vdev(n), "service", text("degraded"));
}

void ToldWorld::empty_bay() {
  set(bay(kSick), "occupied", Value(false));
}

void ToldWorld::know_bay_from_drawing() {
  set(bay(kSick), "verified", Value(std::string("drawing only")));
}

void ToldWorld::acquit() {
  c.state = CaseState::resolved;
  c.suspects[0].status = SuspectStatus::acquitted;
}

void ToldWorld::leave_pool() {
  inventory_.apply({"t", {}, {{vdev(kSick), "detached", ""}}, false});
}

Say ToldWorld::say() const {
  const PartIndex index(inventory_);
  SayWorld world{inventory_, index, dry_run_, auto_replace_, window_, 1795228661LL * kSecondNs};
  world.open = others;
  return say_of(c, world);
}

void ToldWorld::lose_disk(int n) {
  inventory_.apply({"t", {}, {{disk(n), "removed", ""}}, false});
  Resource slot = *inventory_.find(bay(n));
  slot.edges.clear();
  slot.properties["occupied"] = Value(false);
  inventory_.apply({"t", {std::move(slot)}, {}, false});
  set(vdev(n), "state", text("REMOVED"));
  set(vdev(n), "service", text("removed"));
}

void ToldWorld::put_back(int n) {
  Resource slot = *inventory_.find(bay(n));
  slot.edges = {{Relation::contains, disk(n)}};
  slot.properties["occupied"] = Value(true);
  Resource back = *inventory_.find(disk(n));
  back.present = true;
  inventory_.apply({"t", {std::move(slot), std::move(back)}, {}, false});
  set(vdev(n), "state", text("ONLINE"));
  set(vdev(n), "service", text("in-service"));
  set(kPool, "scan", text("resilver"));
  set(kPool, "scan_percent", int64_t{42});
}

void ToldWorld::leave_to_zed() {
  inventory_.apply({"zfs",
                    {made("fmd://plugin=zfs", "plugin",
                          {{"act", text("unless-zed")}, {"zed", text("running")}}, {})},
                    {},
                    false});
}

void ToldWorld::add_shelf(const std::string& label) {
  const auto box = [](const char* fmri, const char* id, const std::string& name) {
    return made(fmri, "enclosure", {{"id", text(id)}, {"label", text(name)}}, {});
  };
  inventory_.apply(
      {"t",
       {box("hc://chassis=1", "5000c5001", "Shelf A"), box("hc://chassis=2", "5000c5002", label),
        made("hc://chassis=2/bay=4", "bay",
             {{"label", text("SLOT 04")}, {"enclosure", text("hc://chassis=2")}}, {})},
       {},
       false});
  set(bay(kSick), "enclosure", text("hc://chassis=1"));
}

void ToldWorld::forget_bay() {
  c.suspects[0].bay.clear();
  c.suspects[0].location.clear();
  inventory_.apply({"t", {}, {{bay(kSick), "destroyed", ""}}, false});
}

std::vector<SayState> states_of(const FaultClass& fault) {
  if (fault.information) return {SayState::informed, SayState::repaired};
  std::vector<SayState> out{SayState::diagnosed, SayState::maintenance, SayState::repaired};
  const bool of_member = fault.name.find(".fs.zfs.") != std::string::npos;
  // A disk is also replaced if its rule retires nothing.
  const std::string_view rest = std::string_view(fault.name).substr(fault.name.find('.') + 1);
  if (fault.replaces && begins(rest, {"io.disk", "disk.slot"}))
    out.insert(out.end(), {SayState::dry_run, SayState::disk_pulled, SayState::unfit_disk,
                           SayState::resilvering});
  if (!of_member || fault.retire.first.empty() || !fault.fru.follow) return out;
  if (fault.retire.spare)
    out.insert(out.end(), {SayState::spare_resilvering, SayState::spare_holds_all});
  out.push_back(SayState::dry_run);
  if (!fault.retire.wait_while.empty()) out.push_back(SayState::waiting_scrub);
  if (fault.retire.returns) return out;
  out.insert(out.end(), {SayState::out_of_service, SayState::disk_pulled});
  if (fault.retire.replace_same_bay)
    out.insert(out.end(), {SayState::unfit_disk, SayState::resilvering});
  return out;
}

const FaultClass& checksum_fault() {
  static const auto rules = shipped_rules();
  return *rules->fault("fault.fs.zfs.vdev.checksum");
}

bool any_says(const std::vector<std::string>& sentences, std::string_view words) {
  return std::any_of(sentences.begin(), sentences.end(),
                     [&](const std::string& one) { return one.find(words) != one.npos; });
}

void each_world(const std::function<void(const FaultClass&, SayState, const ToldWorld&)>& look) {
  const auto rules = shipped_rules();
  for (const auto& [name, fault] : rules->faults())
    for (const SayState state : states_of(fault)) {
      ToldWorld world(fault);
      world.reach(state);
      SCOPED_TRACE(fmt::format("{}, {}", name, say_state_name(state)));
      look(fault, state, world);
    }
}

}  // namespace fmd::test
