#include "machine.h"

#include <string>
#include <vector>

#include "signs.h"

namespace fmd::score {
namespace {

void over_its_limit(Play& play, const std::string& sensor, int64_t from, int64_t to) {
  play.at(from, [&play, sensor] {
    play.host.set(Teller::enclosure, sensor, "reason", text("over its limit"));
  });
  play.set(from, Teller::enclosure, sensor, "status", text("failed"));
  play.at(to, [&play, sensor] { play.host.set(Teller::enclosure, sensor, "reason", text("")); });
  play.set(to, Teller::enclosure, sensor, "status", text("ok"));
}

}  // namespace

Value text(const char* value) {
  return Value(std::string(value));
}

Scenario begin(Play& play) {
  Scenario s;
  s.onset = play.begin + play.chance.below(60'000) * kMs;
  s.until = s.onset + 30 * kMin;
  return s;
}

Scenario supply(Play& play) {
  Scenario s = begin(play);
  const std::string& psu = play.host.supplies[static_cast<size_t>(
      play.chance.below(static_cast<int>(play.host.supplies.size())))];
  play.set(s.onset, Teller::enclosure, psu, "status", text("critical"));
  s.broken = {{{psu}, {"fault.chassis.device.psu.fail"}}};
  return s;
}

// One supply of each shelf without input, as one feed's loss is: each is named, since no rule looks at them together.
Scenario feed(Play& play) {
  Scenario s = begin(play);
  for (const std::string& psu : play.host.supplies) {
    if (psu.ends_with("psu=1")) continue;
    const int64_t at = s.onset + play.chance.below(12'000) * kMs;
    play.at(at, [&play, psu] { play.host.set(Teller::enclosure, psu, "ac", text("lost")); });
    play.set(at, Teller::enclosure, psu, "status", text("critical"));
    s.broken.push_back({{psu}, {"fault.chassis.device.psu.ac-fail"}});
  }
  return s;
}

Scenario fan(Play& play) {
  Scenario s = begin(play);
  const std::string& fan =
      play.host
          .fans[static_cast<size_t>(play.chance.below(static_cast<int>(play.host.fans.size())))];
  play.set(s.onset, Teller::enclosure, fan, "status", text("critical"));
  s.broken = {{{fan}, {"fault.chassis.device.fan.fail"}}};
  return s;
}

Scenario memory(Play& play) {
  Scenario s = begin(play);
  const std::string& module = play.host.modules[static_cast<size_t>(
      play.chance.below(static_cast<int>(play.host.modules.size())))];
  for (int i = 1; i <= 6; ++i)
    play.reading(s.onset + i * kMin, Teller::system, module, "ce_count",
                 i * play.chance.between(3, 30));
  s.broken = {{{module}, {"fault.memory.dimm-ce"}}};
  return s;
}

// Two modules a channel: both have errors, each by itself a module's fault.
Scenario channel(Play& play) {
  Scenario s = begin(play);
  const int at = play.chance.below(static_cast<int>(play.host.channels.size()));
  for (int n = 0; n < 2; ++n)
    for (int i = 1; i <= 6; ++i)
      play.reading(s.onset + i * kMin + play.chance.below(20'000) * kMs, Teller::system,
                   play.host.modules[static_cast<size_t>(2 * at + n)], "ce_count",
                   i * play.chance.between(3, 30));
  s.broken = {{{play.host.channels[static_cast<size_t>(at)]}, {"fault.memory.channel-common"}}};
  return s;
}

Scenario cache(Play& play) {
  Scenario s = begin(play);
  const std::string& core =
      play.host
          .cores[static_cast<size_t>(play.chance.below(static_cast<int>(play.host.cores.size())))];
  for (int i = 0; i < play.chance.between(6, 12); ++i)
    play.event(
        s.onset + i * kMin, Teller::cpu, "ereport.cpu.cache", core,
        {{"level", text("L2")}, {"severity", text("corrected")}, {"text", text("L2 cache")}});
  s.broken = {{{core}, {"fault.cpu.cache"}}};
  s.may_go = {core};
  return s;
}

// Both supplies of a shelf lose their input; it tells so, and then it is off.
Scenario shelf_feed(Play& play) {
  const Host& host = play.host;
  const auto shelf = static_cast<size_t>(play.chance.below(static_cast<int>(host.shelves.size())));
  const std::string& box = host.shelves[shelf];
  Scenario s = begin(play);
  for (const std::string& psu : host.supplies) {
    if (!psu.starts_with(box + "/")) continue;
    play.at(s.onset, [&play, psu] { play.host.set(Teller::enclosure, psu, "feed", text("all")); });
    play.set(s.onset, Teller::enclosure, psu, "ac", text("lost"));
  }
  play.set(s.onset, Teller::enclosure, box, "input", text("none"));
  const int64_t off = s.onset + play.chance.between(8, 40) * kSec;
  for (const Disk& d : host.disks)
    if (d.bay.starts_with(box + "/")) signs::leaves(play, d, off + play.chance.below(3000) * kMs);
  play.event(off + 6 * kSec, Teller::enclosure, "ereport.enclosure.gone", box,
             {{"label", text("Shelf")}});
  s.broken = {{{box}, {"upset.chassis.power.input", "fault.chassis.gone"}}};
  return s;
}

// The air is warm for all shelves: each is too hot, and no fan is at fault.
Scenario hot_room(Play& play) {
  Scenario s = begin(play);
  for (const std::string& sensor : play.host.sensors)
    over_its_limit(play, sensor, s.onset + play.chance.below(90'000) * kMs, s.until);
  for (const std::string& box : play.host.shelves)
    s.broken.push_back({{box}, {"fault.chassis.env.temp.shared"}});
  return s;
}

// What a processor of a shelf says for seconds, and takes back.
Scenario shelf_lies(Play& play) {
  Scenario s = begin(play);
  for (int i = 0; i < play.chance.between(2, 6); ++i) {
    const int64_t at = s.onset + i * 3 * kMin;
    const auto one = [&](const std::vector<std::string>& of) {
      return of[static_cast<size_t>(play.chance.below(static_cast<int>(of.size())))];
    };
    over_its_limit(play, one(play.host.sensors), at, at + play.chance.between(10, 90) * kSec);
    const std::string part =
        play.chance.percent(50) ? one(play.host.fans) : one(play.host.supplies);
    play.set(at, Teller::enclosure, part, "status", text("critical"));
    play.set(at + play.chance.between(5, 25) * kSec, Teller::enclosure, part, "status", text("OK"));
  }
  return s;
}

}  // namespace fmd::score
