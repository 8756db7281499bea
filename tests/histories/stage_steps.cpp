// Plays the steps of a history. A step that the world's state makes impossible does nothing.
#include <fmt/format.h>

#include "names.h"
#include "stage.h"

namespace fmd::histories {
namespace {

using K = StepKind;
constexpr const char* kWho = "root";

}  // namespace

// The vdev currently at `place`: in a slot, or one of the spares.
int Stage::leaf_at(int place) const {
  place %= history_.shape.slots() + history_.shape.spares();
  for (const Pool& pool : world_.pools)
    for (const Top& top : pool.tops)
      for (const Slot& slot : top.slots)
        if (place-- == 0) return slot.leaf;
  for (const Pool& pool : world_.pools)
    for (const int spare : pool.spares)
      if (place-- == 0) return spare;
  return 0;
}

int Stage::bay_at(int place) const {
  return place % history_.shape.bays();
}

void Stage::play_step(const Step& step) {
  if (step.kind <= K::scrub) return play_break(step);
  if (step.kind <= K::zed_clears) return play_zed(step);
  if (step.kind <= K::light_off) return play_hands(step);
  if (step.kind <= K::zpool_replace) return play_shell(step);
  if (step.kind <= K::locate_off) return play_fmadm(step);
  if (step.kind <= K::next_command) return play_plugin(step);
  if (step.kind <= K::lies_end) return play_lie(step);
  play_daemon(step);
}

void Stage::play_break(const Step& step) {
  const int leaf = leaf_at(step.place);
  const int disk = world_.leafs[static_cast<size_t>(leaf)].disk;
  Disk& d = world_.disks[static_cast<size_t>(disk)];
  const std::string name = world_.leaf_name(leaf);
  const int pool = world_.leafs[static_cast<size_t>(leaf)].pool;
  const auto burst = [&](const char* event_class, int count, const std::string& scan) {
    for (int i = 0; i < count; ++i) world_.errors(leaf, event_class, scan);
  };
  switch (step.kind) {
    case K::checksum_errors: {
      const bool scrub = step.option == 1 && world_.busy(pool, Scan::Kind::scrub);
      say("disk",
          fmt::format("{}: {} checksum errors{}", name, step.amount, scrub ? " in a scrub" : ""));
      burst("ereport.fs.zfs.checksum", step.amount, scrub ? "scrub" : "");
      break;
    }
    case K::io_errors:
      say("disk", fmt::format("{}: {} I/O errors", name, step.amount));
      burst("ereport.fs.zfs.io", step.amount, "");
      break;
    case K::probe_failure:
      say("disk", fmt::format("{}: the kernel's probe fails", name));
      burst("ereport.fs.zfs.probe_failure", 1, "");
      break;
    case K::kernel_faults:
      say("kernel", fmt::format("gives {} up: FAULTED", name));
      burst("ereport.fs.zfs.io", 4, "");
      burst("ereport.fs.zfs.probe_failure", 1, "");
      (void)world_.fault(leaf, {});
      break;
    case K::smart_failed:
    case K::smart_passed:
      d.smart_failed = step.kind == K::smart_failed;
      world_.changed[static_cast<size_t>(Source::smart)] = true;
      watch_.smart_changed(disk);
      say("disk", fmt::format("{}: SMART says {}", name, d.smart_failed ? "failed" : "passed"));
      break;
    case K::smart_grows:
      d.reallocated += step.amount;
      world_.changed[static_cast<size_t>(Source::smart)] = true;
      say("disk", fmt::format("{}: {} more sectors reallocated", name, step.amount));
      break;
    default:
      world_.scrub(pool, now_ + step.amount * kSec);
      say("pool", fmt::format("{}: a scrub runs for {} s",
                              world_.pools[static_cast<size_t>(pool)].name, step.amount));
  }
  watch_.touched(leaf, now_);
}

void Stage::play_zed(const Step& step) {
  const int leaf = leaf_at(step.place);
  const Hand zed{Hand::Who::zed};
  std::string what, problem;
  switch (step.kind) {
    case K::zed_degrades:
      what = "degrades";
      problem = world_.degrade(leaf, zed);
      break;
    case K::zed_faults:
      what = "faults";
      problem = world_.fault(leaf, zed);
      break;
    case K::zed_spare_in:
      what = "brings a spare in for";
      problem = world_.spare_in(leaf, zed, now_);
      break;
    case K::zed_onlines:
      what = "brings online";
      if (world_.disks[static_cast<size_t>(world_.leafs[static_cast<size_t>(leaf)].disk)].bay < 0)
        return;
      problem = world_.online(leaf, zed, true);
      break;
    default:
      what = "clears";
      problem = world_.clear(leaf, zed);
  }
  if (!problem.empty()) return;
  say("zed",
      fmt::format("{} {} ({})", what, world_.leaf_name(leaf), state_word(world_.state(leaf))));
  watch_.touched(leaf, now_);
}

void Stage::play_hands(const Step& step) {
  const int bay = bay_at(step.place), disk = world_.disk_in(bay);
  const auto put = [&](int which, int where, const char* how) {
    if (which < 0 || !world_.put(which, where)) return;
    say("person", fmt::format("puts {} {} into SLOT {:02}", how,
                              world_.disks[static_cast<size_t>(which)].serial, where));
    if (const int leaf = world_.leaf_on(which); leaf >= 0) watch_.touched(leaf, now_);
  };
  const auto pull = [&] {
    if (const int leaf = world_.leaf_on(disk); leaf >= 0) watch_.touched(leaf, now_);
    world_.pull(disk);
    last_bay_[disk] = bay;
    say("person", fmt::format("pulls {} out of SLOT {:02}",
                              world_.disks[static_cast<size_t>(disk)].serial, bay));
  };
  switch (step.kind) {
    case K::pull:
      if (disk >= 0) pull();
      break;
    case K::put_back:
      for (const auto& [which, from] : last_bay_)
        if (from == bay && world_.disks[static_cast<size_t>(which)].bay < 0)
          return put(which, bay, "back");
      break;
    case K::put_other: {
      const int first = history_.shape.slots() + history_.shape.spares();
      for (int i = first; i < static_cast<int>(world_.disks.size()); ++i) {
        const Disk& d = world_.disks[static_cast<size_t>(i)];
        if (d.bay >= 0 || world_.leaf_on(i) >= 0) continue;
        if ((step.amount == 2) != d.small || (step.amount != 1) != d.blank) continue;
        return put(i, bay,
                   step.amount == 0   ? "the blank"
                   : step.amount == 1 ? "the used"
                                      : "the small");
      }
      break;
    }
    case K::move_disk:
      if (disk < 0 || world_.disk_in(bay_at(step.amount)) >= 0) return;
      pull();
      put(disk, bay_at(step.amount), "it:");
      break;
    default: {
      const bool on = step.kind == K::light_on;
      if (world_.bays[static_cast<size_t>(bay)].led != LedShape::works) return;
      world_.set_led(bay, false, on, {Hand::Who::person});
      say("person", fmt::format("switches the fault LED of SLOT {:02} {}", bay, on ? "on" : "off"));
    }
  }
}

void Stage::play_shell(const Step& step) {
  const int leaf = leaf_at(step.place);
  const Leaf& l = world_.leafs[static_cast<size_t>(leaf)];
  const Hand person{Hand::Who::person};
  std::string verb, problem;
  switch (step.kind) {
    case K::zpool_offline:
      verb = step.option == 1 ? "offline -f" : "offline";
      problem = step.option == 1 ? world_.fault(leaf, person) : world_.offline(leaf, person);
      break;
    case K::zpool_online:
      verb = "online";
      problem = world_.online(leaf, person, false);
      break;
    case K::zpool_clear:
      verb = "clear";
      problem = world_.clear(leaf, person);
      break;
    case K::zpool_clear_pool:
      verb = "clear (pool) of";
      world_.clear_pool(l.pool, person);
      for (size_t i = 0; i < world_.leafs.size(); ++i) watch_.touched(static_cast<int>(i), now_);
      break;
    case K::zpool_spare_in:
      verb = "replace by a spare";
      problem = world_.spare_in(leaf, person, now_);
      break;
    case K::zpool_detach_spare:
      verb = "detach the spare of";
      problem = world_.detach_spare(leaf, person);
      break;
    default: {
      verb = "replace";
      const int disk = world_.disk_in(bay_at(step.place));
      if (disk < 0) return;
      problem = world_.replace(leaf, disk, true, now_);
    }
  }
  say("person", fmt::format("zpool {} {}: {}", verb, world_.leaf_name(leaf),
                            problem.empty() ? state_word(world_.state(leaf)) : problem));
  if (problem.empty()) watch_.touched(leaf, now_);
}

void Stage::judge(Engine::Verdict verdict, int leaf) {
  const Leaf& l = world_.leafs[static_cast<size_t>(leaf)];
  daemon_.person([this, verdict, fmri = leaf_fmri(l.pool, leaf), disk = l.disk](Moment now) {
    const bool smart = [&] {
      for (const Case* c : daemon_.engine().cases_by_fru(disk_fmri(disk)))
        for (const Suspect& s : c->suspects)
          if (s.fault_class == "fault.io.disk.predictive-failure" &&
              s.status == SuspectStatus::faulty)
            return true;
      return false;
    }();
    bool any = false;
    for (const std::string& part : {fmri, disk_fmri(disk)})
      if (daemon_.engine().judge(verdict, "", part, kWho, now)) any = true;
    const bool failed = smart && world_.disks[static_cast<size_t>(disk)].smart_failed;
    if (any && failed && verdict == Engine::Verdict::acquitted) watch_.acquitted(disk);
    if (!any) say("fmadm", "no open case is about it");
  });
}

void Stage::play_fmadm(const Step& step) {
  if (!daemon_.up()) return;
  const int leaf = leaf_at(step.place), bay = bay_at(step.place);
  const std::string part = leaf_fmri(world_.leafs[static_cast<size_t>(leaf)].pool, leaf);
  const std::string name = world_.leaf_name(leaf);
  watch_.touched(leaf, now_);
  const auto order = [&](auto&& ask) {
    daemon_.person([this, ask](Moment now) {
      const Result<uint64_t> number = ask(now);
      if (!number) say("fmadm", number.error().text());
    });
  };
  switch (step.kind) {
    case K::fmadm_acquit:
      say("person", "fmadm acquit " + name);
      return judge(Engine::Verdict::acquitted, leaf);
    case K::fmadm_repaired:
      say("person", "fmadm repaired " + name);
      return judge(Engine::Verdict::repaired, leaf);
    case K::fmadm_replaced:
      say("person", "fmadm replaced " + name);
      return judge(Engine::Verdict::replaced, leaf);
    case K::fmadm_acknowledge:
      return daemon_.person([this, part](Moment now) {
        for (const Case* c : std::vector<const Case*>(daemon_.engine().cases_by_asru(part)))
          (void)daemon_.engine().acknowledge(c->uuid, kWho, "", now);
      });
    case K::fmadm_retire: {
      const Service level = step.option == 1 ? Service::degraded : Service::out_of_service;
      say("person", fmt::format("fmadm retire {} ({})", name, service_name(level)));
      watch_.person_wants_out(part);
      return order([this, part, level](Moment now) {
        return daemon_.reconciler().order_retire(part, level, kWho, now);
      });
    }
    case K::fmadm_restore:
      say("person", "fmadm restore " + name);
      watch_.person_wants_back(part, leaf);
      return order(
          [this, part](Moment now) { return daemon_.reconciler().order_restore(part, kWho, now); });
    default: {
      const bool on = step.kind == K::locate_on;
      say("person", fmt::format("fmadm locate {} SLOT {:02}", on ? "on" : "off", bay));
      daemon_.person(
          [this, bay, on](Moment) { (void)daemon_.reconciler().locate(bay_fmri(bay), on, kWho); });
    }
  }
}

void Stage::play_plugin(const Step& step) {
  SimPlugin& p = plugins_[static_cast<size_t>(step.place % kSources)];
  switch (step.kind) {
    case K::plugin_stops:
      return stop_plugin(p, "stops");
    case K::plugin_starts:
      return start_plugin(p);
    case K::plugin_lags:
      p.lag = step.amount * kMs;
      return say(source_name(p.source), fmt::format("lags by {} ms", step.amount));
    default:
      p.misdeeds.push_back(static_cast<Misdeed>(step.option));
  }
}

void Stage::play_daemon(const Step& step) {
  switch (step.kind) {
    case K::kill:
      if (static_cast<Crash>(step.option) == Crash::none)
        return stop_daemon(step.amount * kMs, "kill -9");
      restart_after_ = step.amount * kMs;
      return daemon_.crash_at_next_group(static_cast<Crash>(step.option));
    case K::reboot:
      say("machine", "reboots");
      for (SimPlugin& p : plugins_) stop_plugin(p, "stops");
      if (daemon_.up()) stop_daemon(step.amount * kMs, "stops");
      world_.reboot();
      for (SimPlugin& p : plugins_) p.ring.clear();
      for (size_t i = 0; i < world_.leafs.size(); ++i) watch_.touched(static_cast<int>(i), now_);
      for (SimPlugin& p : plugins_) start_plugin(p);
      return;
    case K::clock_jumps:
      wall_offset_ += step.amount * kSec;
      if (step.amount < 0) watch_.clock_set_back();
      return say("clock", fmt::format("jumps by {} s", step.amount));
    case K::lose_database:
      return play_loss(step);
    default:
      if (daemon_.up()) daemon_.retention();
      say("fmd", "forgets what was resolved long ago");
  }
}

}  // namespace fmd::histories
