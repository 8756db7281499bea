#include "family.h"

#include <algorithm>

#include "machine.h"
#include "signs.h"

namespace fmd::score {
namespace {

using signs::errors;

bool any(const Host&) {
  return true;
}
bool has_hub(const Host& host) {
  return host.disks.size() > 4;
}
bool has_expander(const Host& host) {
  return host.spec.chain > 0;
}

const Disk& some_disk(Play& play) {
  const int data = static_cast<int>(play.host.disks.size()) - play.host.spec.spares;
  return play.host.disks[static_cast<size_t>(play.chance.below(data))];
}

Truth disk_is(const Disk& disk, std::set<std::string> classes) {
  return {{disk.fmri, disk.vdev, disk.bay}, std::move(classes)};
}

const std::set<std::string> kDead = {"fault.fs.zfs.vdev.io", "fault.fs.zfs.device",
                                     "fault.fs.zfs.vdev.died", "fault.io.disk.offline",
                                     "fault.io.path.timeouts"};

// --- One disk

Scenario disk_errors(Play& play) {
  Scenario s = begin(play);
  const Disk& d = some_disk(play);
  errors(play, d, s.onset, play.chance.between(11, 40), play.chance.percent(70));
  s.broken = {disk_is(d, {"fault.fs.zfs.vdev.io", "fault.fs.zfs.device"})};
  s.may_go = {d.vdev};
  return s;
}

Scenario disk_checksums(Play& play) {
  Scenario s = begin(play);
  const Disk& d = some_disk(play);
  signs::checksums(play, d, s.onset, play.chance.between(14, 60), 8 * kMin);
  s.broken = {disk_is(d, {"fault.fs.zfs.vdev.checksum"})};
  s.may_go = {d.vdev};
  return s;
}

Scenario disk_unreadable(Play& play) {
  Scenario s = begin(play);
  const Disk& d = some_disk(play);
  signs::unreadable(play, d, s.onset, play.chance.between(12, 30), 8 * kMin);
  s.broken = {
      disk_is(d, {"fault.io.disk.failing", "fault.fs.zfs.vdev.io", "fault.io.disk.unreadable"})};
  s.may_go = {d.vdev};
  return s;
}

Scenario disk_dies(Play& play) {
  Scenario s = begin(play);
  const Disk& d = some_disk(play);
  signs::leaves(play, d, s.onset);
  s.broken = {disk_is(d, kDead)};
  s.may_go = {d.vdev};
  return s;
}

Scenario disk_hangs(Play& play) {
  Scenario s = begin(play);
  const Disk& d = some_disk(play);
  signs::hangs(play, d, s.onset);
  s.broken = {disk_is(d, kDead)};
  for (const std::string& path : d.paths) s.broken.front().parts.insert(path);
  s.may_go = {d.vdev};
  return s;
}

Scenario disk_foretells(Play& play) {
  Scenario s = begin(play);
  const Disk& d = some_disk(play);
  if (d.nvme)
    play.set(s.onset, Teller::smart, d.fmri, "smart.critical_warning.reliability_degraded",
             Value(true));
  else
    play.set(s.onset, Teller::smart, d.fmri, "smart.exception", text("failure-predicted"));
  s.broken = {disk_is(d, {"fault.io.disk.predictive-failure"})};
  s.may_go = {d.vdev};
  return s;
}

Scenario disk_flaps(Play& play) {
  Scenario s = begin(play);
  const Disk& d = some_disk(play);
  for (int i = 0; i < 4; ++i) {
    signs::leaves(play, d, s.onset + i * 5 * kMin);
    if (i < 3) signs::comes_back(play, d, s.onset + i * 5 * kMin + 20 * kSec);
  }
  s.broken = {disk_is(
      d, {"fault.fs.zfs.vdev.flapping", "fault.io.disk.flapping", "fault.fs.zfs.vdev.died"})};
  s.may_go = {d.vdev};
  s.until += 20 * kMin;
  return s;
}

// Minutes apart, and on a path in common: two faults all the same.
Scenario two_disks(Play& play) {
  Scenario s = begin(play);
  const Disk& a = some_disk(play);
  const Disk* b = &a;
  while (b == &a) b = &some_disk(play);
  int64_t at = s.onset;
  for (const Disk* d : {&a, b}) {
    errors(play, *d, at, play.chance.between(11, 30), true);
    s.broken.push_back(disk_is(*d, {"fault.fs.zfs.vdev.io", "fault.fs.zfs.device"}));
    s.may_go.insert(d->vdev);
    at += play.chance.between(3, 12) * kMin;
  }
  return s;
}

// --- What several disks hang on

// hub, and all on its way with the very same disks, which nothing can tell from it. What is on the other way is
// well, and wrong, unless the disks fail themselves (Ways::both): then nothing tells the ways apart.
enum class Ways { own, both };
Truth hub_is(const Host& host, const Hub& hub, Ways ways = Ways::own) {
  Truth t{{hub.fmri}, {"fault.io.path.shared"}};
  for (const Hub& other : host.hubs)
    if (other.disks == hub.disks && (ways == Ways::both || other.way == hub.way))
      t.parts.insert(other.fmri);
  return t;
}

const Hub& some_hub(Play& play, bool root) {
  std::vector<const Hub*> fit;
  for (const Hub& hub : play.host.hubs)
    if ((hub.above < 0) == root && hub.disks.size() > 1) fit.push_back(&hub);
  return *fit[static_cast<size_t>(play.chance.below(static_cast<int>(fit.size())))];
}

using Sign = void (*)(Play&, const Disk&, int64_t);

// Each as it is next used: within half a minute.
Scenario all_of(Play& play, const Hub& hub, Sign sign) {
  Scenario s = begin(play);
  const auto way_goes = play.chance.percent(50) ? signs::way_fails : signs::way_vanishes;
  for (const int at : hub.disks) {
    const Disk& d = play.host.disks[static_cast<size_t>(at)];
    const int64_t when = s.onset + play.chance.below(30'000) * kMs;
    if (play.host.spec.multipath)
      way_goes(play, d, when, static_cast<size_t>(hub.way));
    else
      sign(play, d, when);
  }
  s.broken = {hub_is(play.host, hub)};
  return s;
}

Scenario cable(Play& play) {
  return all_of(play, some_hub(play, play.host.spec.chain == 0),
                [](Play& p, const Disk& d, int64_t at) {
                  signs::transport(p, d, at, p.chance.between(1, 4));
                  errors(p, d, at + kSec, p.chance.between(2, 30), true);
                });
}

Scenario expander_dies(Play& play) {
  return all_of(play, some_hub(play, false),
                [](Play& p, const Disk& d, int64_t at) { signs::leaves(p, d, at); });
}

Scenario controller_hangs(Play& play) {
  return all_of(play, some_hub(play, true),
                [](Play& p, const Disk& d, int64_t at) { signs::hangs(p, d, at); });
}

Scenario controller_dies(Play& play) {
  return all_of(play, some_hub(play, true),
                [](Play& p, const Disk& d, int64_t at) { signs::leaves(p, d, at); });
}

// Once, and all goes on: nobody is to be accused.
Scenario controller_resets(Play& play) {
  Scenario s = begin(play);
  for (const int at : some_hub(play, true).disks) {
    const Disk& d = play.host.disks[static_cast<size_t>(at)];
    const int64_t when = s.onset + play.chance.below(3000) * kMs;
    signs::reset(play, d, when);
    if (play.chance.percent(50))
      errors(play, d, when + 200 * kMs, play.chance.between(1, 3), false);
  }
  return s;
}

// What is plugged in behind its expanders goes with it.
Scenario shelf_without_power(Play& play) {
  const Host& host = play.host;
  const auto shelf = static_cast<size_t>(play.chance.below(static_cast<int>(host.shelves.size())));
  const std::string& box = host.shelves[shelf];
  Scenario s = begin(play);
  const auto first = std::find_if(host.disks.begin(), host.disks.end(),
                                  [&](const Disk& d) { return d.bay.starts_with(box + "/"); });
  const Hub& own = host.hubs[static_cast<size_t>(first->hubs.front())];
  for (const int at : own.disks)
    signs::leaves(play, host.disks[static_cast<size_t>(at)],
                  s.onset + play.chance.below(5000) * kMs);
  play.event(s.onset + 6 * kSec, Teller::enclosure, "ereport.enclosure.gone", box,
             {{"label", text("Shelf")}});
  s.broken = {hub_is(host, own, Ways::both)};
  s.broken.front().parts.insert(box);
  s.broken.front().classes.insert("fault.chassis.gone");
  return s;
}

// A person takes a shelf down and up again within two minutes.
Scenario shelf_restarts(Play& play) {
  const Hub& hub = some_hub(play, play.host.spec.chain == 0);
  Scenario s = begin(play);
  for (const int at : hub.disks) {
    const Disk& d = play.host.disks[static_cast<size_t>(at)];
    signs::leaves(play, d, s.onset + play.chance.below(2000) * kMs);
    signs::comes_back(play, d, s.onset + 90 * kSec + play.chance.below(20'000) * kMs);
  }
  s.broken = {hub_is(play.host, hub)};  // while it lasts that is so
  return s;
}

Scenario phy_errors(Play& play) {
  Scenario s = begin(play);
  const std::string& phy =
      play.host
          .phys[static_cast<size_t>(play.chance.below(static_cast<int>(play.host.phys.size())))];
  for (int i = 1; i <= 6; ++i)
    play.reading(s.onset + i * kMin, Teller::system, phy, "invalid_dword_count",
                 i * play.chance.between(300, 3000));
  s.broken = {{{phy, phy.substr(0, phy.find("/phy="))}, {"fault.io.sas.link"}}};
  return s;
}

Scenario pci_link(Play& play) {
  Scenario s = begin(play);
  const Hub& hub = some_hub(play, true);
  for (int i = 0; i < play.chance.between(9, 20); ++i)
    play.event(s.onset + i * kMin, Teller::cpu, "ereport.io.pci.link", hub.fmri,
               {{"device", text("0000:01:00.0")},
                {"port", text("0000:00:01.0")},
                {"severity", text("corrected")},
                {"text", text("bad TLP")}});
  s.broken = {{{hub.fmri, "dev://pci=0000:00:01.0"}, {"fault.io.pci.link"}}};
  return s;
}

// --- People, gaps, noise

Scenario person_pulls(Play& play) {
  Scenario s = begin(play);
  const Disk& d = some_disk(play);
  signs::leaves(play, d, s.onset, true);
  signs::comes_back(play, d, s.onset + play.chance.between(30, 240) * kSec);
  return s;
}

Scenario noise(Play& play) {
  Scenario s = begin(play);
  for (int i = 0; i < play.chance.between(3, 12); ++i) {
    const int64_t at = s.onset + play.chance.below(20 * 60'000) * kMs;
    errors(play, some_disk(play), at, play.chance.between(1, 2), false);
  }
  return s;
}

Scenario gap(Play& play) {
  Scenario s = disk_errors(play);
  play.silence(Teller::zfs, s.onset + 200 * kMs, s.onset + play.chance.between(20, 200) * kSec);
  return s;
}

Scenario clock_jumps(Play& play) {
  Scenario s = cable(play);
  play.step_wall_clock(s.onset + play.chance.below(20'000) * kMs,
                       (play.chance.percent(50) ? 1 : -1) * play.chance.between(1, 48) * kHour);
  return s;
}

// One that goes on failing when its cable is good again.
Scenario cable_and_disk(Play& play) {
  const Hub& hub = some_hub(play, play.host.spec.chain == 0);
  Scenario s = begin(play);
  const size_t bad = static_cast<size_t>(play.chance.below(static_cast<int>(hub.disks.size())));
  for (size_t i = 0; i < hub.disks.size(); ++i) {
    const Disk& d = play.host.disks[static_cast<size_t>(hub.disks[i])];
    signs::leaves(play, d, s.onset + play.chance.below(5000) * kMs);
    if (i != bad) signs::comes_back(play, d, s.onset + 5 * kMin + play.chance.below(20'000) * kMs);
  }
  const Disk& d = play.host.disks[static_cast<size_t>(hub.disks[bad])];
  s.broken = {hub_is(play.host, hub), disk_is(d, kDead)};
  s.may_go = {d.vdev};
  s.until += 30 * kMin;
  return s;
}

// Only what is used fails: of the disks behind it some have nothing to do.
Scenario sparse_cable(Play& play) {
  const Host& host = play.host;
  const Hub& hub = some_hub(play, host.spec.chain == 0);
  Scenario s = begin(play);
  const int idle = play.chance.between(10, 40);
  for (const int at : hub.disks) {
    if (play.chance.percent(idle)) continue;
    const Disk& d = host.disks[static_cast<size_t>(at)];
    const int64_t when = s.onset + play.chance.below(20'000) * kMs;
    if (host.spec.multipath)
      signs::way_fails(play, d, when, static_cast<size_t>(hub.way));
    else
      errors(play, d, when, play.chance.between(11, 30), true);
  }
  s.broken = {hub_is(host, hub)};
  return s;
}

// Two disks of one controller that cannot read what is on them, in the same minutes.
Scenario two_media(Play& play) {
  Scenario s = begin(play);
  const Disk& a = some_disk(play);
  const Disk* b = &a;
  while (b == &a) b = &some_disk(play);
  for (const Disk* d : {&a, b}) {
    signs::unreadable(play, *d, s.onset, play.chance.between(12, 30), 8 * kMin);
    s.broken.push_back(
        disk_is(*d, {"fault.io.disk.failing", "fault.fs.zfs.vdev.io", "fault.io.disk.unreadable"}));
    s.may_go.insert(d->vdev);
  }
  return s;
}

// Its processors restart with new firmware: what hangs on it is away for less than a minute.
Scenario shelf_firmware(Play& play) {
  const Hub& hub = some_hub(play, play.host.spec.chain == 0);
  Scenario s = begin(play);
  for (const int at : hub.disks) {
    const Disk& d = play.host.disks[static_cast<size_t>(at)];
    signs::leaves(play, d, s.onset + play.chance.below(2000) * kMs);
    signs::comes_back(play, d, s.onset + 25 * kSec + play.chance.below(20'000) * kMs);
  }
  return s;
}

// A person takes several disks out at once, cleans the bays and puts them back.
Scenario maintenance(Play& play) {
  Scenario s = begin(play);
  std::set<const Disk*> pulled;
  for (int i = play.chance.between(2, 4); i > 0; --i) pulled.insert(&some_disk(play));
  for (const Disk* d : pulled) {
    const int64_t when = s.onset + play.chance.below(20'000) * kMs;
    signs::leaves(play, *d, when, true);
    signs::comes_back(play, *d, when + play.chance.between(60, 240) * kSec);
  }
  return s;
}

bool one_way(const Host& host) {
  return has_hub(host) && !host.spec.multipath;
}
bool one_way_expander(const Host& host) {
  return has_expander(host) && !host.spec.multipath;
}
bool has_phys(const Host& host) {
  return !host.phys.empty();
}

}  // namespace

const std::vector<Family>& families() {
  static const std::vector<Family> all = {
      {"disk: errors", any, disk_errors},
      {"disk: checksums", any, disk_checksums},
      {"disk: unreadable", any, disk_unreadable},
      {"disk: dies", any, disk_dies},
      {"disk: hangs", one_way, disk_hangs},
      {"disk: foretold", any, disk_foretells},
      {"disk: flaps", one_way, disk_flaps},
      {"two disks", any, two_disks},
      {"cable", has_hub, cable},
      {"expander", has_expander, expander_dies},
      {"controller hangs", has_hub, controller_hangs},
      {"controller dies", has_hub, controller_dies},
      {"controller resets", has_hub, controller_resets},
      {"shelf without power", has_hub, shelf_without_power},
      {"shelf restarts", one_way, shelf_restarts},
      {"cable, then a disk", one_way_expander, cable_and_disk},
      {"phy", has_phys, phy_errors},
      {"PCIe link", any, pci_link},
      {"supply", any, supply},
      {"feed", any, feed},
      {"fan", any, fan},
      {"memory", any, memory},
      {"processor cache", any, cache},
      {"person pulls", any, person_pulls},
      {"noise", any, noise},
      {"monitoring gap", any, gap},
      {"clock jump", has_hub, clock_jumps},
      {"cable, some idle", has_hub, sparse_cable},
      {"two media", any, two_media},
      {"feed of a shelf", has_hub, shelf_feed},
      {"hot room", any, hot_room},
      {"shelf lies", any, shelf_lies},
      {"shelf's firmware", one_way, shelf_firmware},
      {"maintenance", any, maintenance},
      {"memory channel", any, channel},
  };
  return all;
}

}  // namespace fmd::score
