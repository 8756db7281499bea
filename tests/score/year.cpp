#include "year.h"

#include <algorithm>
#include <map>
#include <string>

#include "signs.h"
#include "stage.h"

namespace fmd::score {
namespace {

constexpr int64_t kDay = 24 * kHour;
constexpr int kDays = 365;

// So many times in the year, in order.
std::vector<int64_t> moments(Play& play, int low, int high) {
  std::vector<int64_t> out;
  for (int n = play.chance.between(low, high); n > 0; --n)
    out.push_back(play.begin + play.chance.below(kDays) * kDay +
                  play.chance.below(86'400'000) * kMs);
  std::sort(out.begin(), out.end());
  return out;
}

const Disk& some_disk(Play& play) {
  const int data = static_cast<int>(play.host.disks.size()) - play.host.spec.spares;
  return play.host.disks[static_cast<size_t>(play.chance.below(data))];
}

// A scrub each month finds and repairs up to three old errors on a few disks.
void scrubs(Play& play) {
  for (int month = 1; month <= 12; ++month)
    for (int left = play.chance.below(4); left > 0; --left)
      signs::checksums(play, some_disk(play),
                       play.begin + month * 30 * kDay + play.chance.below(8 * 3600) * kSec,
                       play.chance.between(1, 3), kMin);
}

void disks(Play& play) {
  for (const int64_t at : moments(play, 20, 60)) signs::errors(play, some_disk(play), at, 1, false);
  for (const int64_t at : moments(play, 20, 60)) signs::transport(play, some_disk(play), at, 1, 0);
  for (const int64_t at : moments(play, 5, 20)) signs::times_out(play, some_disk(play), at);
  for (const int64_t at : moments(play, 1, 4))  // the controller resets its bus
    for (const Disk& d : play.host.disks) signs::reset(play, d, at + play.chance.below(2000) * kMs);
}

void board(Play& play) {
  std::map<std::string, int> counted;
  const auto& modules = play.host.modules;
  for (const int64_t at : moments(play, 5, 30)) {
    const auto& module =
        modules[static_cast<size_t>(play.chance.below(static_cast<int>(modules.size())))];
    play.reading(at, Teller::system, module, "ce_count", ++counted[module]);
  }
  for (const int64_t at : moments(play, 5, 30)) {
    const auto& phys = play.host.phys;
    const auto& phy = phys[static_cast<size_t>(play.chance.below(static_cast<int>(phys.size())))];
    play.reading(at, Teller::system, phy, "invalid_dword_count",
                 counted[phy] += play.chance.between(1, 20));
  }
}

// Plugins are updated, clocks are set.
void upkeep(Play& play) {
  for (const int64_t at : moments(play, 2, 12))
    play.restarts(Teller::zfs, at, at + play.chance.between(2, 30) * kSec);
  for (const int64_t at : moments(play, 2, 12))
    play.step_wall_clock(at, play.chance.between(-2000, 2000) * kMs);
}

}  // namespace

Year healthy_year(uint64_t seed, const Rules& rules) {
  const auto spec = std::find_if(shapes().begin(), shapes().end(), [](const ShapeSpec& s) {
    return std::string_view(s.name) == "60 disks";
  });
  Host host(*spec);
  histories::Chance chance(seed * 1'000'003 + 365);
  Play play(host, rules, chance);
  scrubs(play);
  disks(play);
  board(play);
  upkeep(play);
  const Outcome outcome = play.run(play.begin + kDays * kDay);
  Year out;
  std::set<std::string> major;
  for (const Blamed& b : outcome.blamed)
    if (b.severity != "Minor") major.insert(b.uuid);
  out.major = static_cast<int>(major.size());
  out.minor_messages =
      static_cast<int>(std::count_if(outcome.told.begin(), outcome.told.end(),
                                     [&](const Told& told) { return !major.contains(told.uuid); }));
  out.acted = static_cast<int>(outcome.retired.size() + outcome.spared.size() + outcome.lit.size());
  return out;
}

}  // namespace fmd::score
