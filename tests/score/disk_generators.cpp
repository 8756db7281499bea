// Generators of what single disks do when they fail, each disk by itself.
#include <algorithm>

#include "signs.h"
#include "stage.h"

namespace fmd::score {
namespace {

using Fail = void (*)(Stage& stage, const Disk& disk, int64_t at);

bool together(const Stage& stage, const Disk& a, const Disk& b) {
  const auto index = [&](const Disk& d) { return &d - stage.play.host.disks.data(); };
  const std::string& where = stage.word("second");
  if (where == "same shelf")
    return a.bay.substr(0, a.bay.find("/bay=")) == b.bay.substr(0, b.bay.find("/bay="));
  if (where == "same group")
    return index(a) / stage.play.host.spec.group == index(b) / stage.play.host.spec.group;
  if (where == "other controller") return a.hubs.back() != b.hubs.back();
  return true;
}

// So many of them, one after the other, on their own: none explains another.
void each(Stage& s, Fail fail) {
  std::vector<const Disk*> taken;
  int64_t at = s.cast.onset;
  for (int left = s.count("disks"); left > 0; --left) {
    const Disk* d = &s.disk();
    while (std::find(taken.begin(), taken.end(), d) != taken.end() ||
           (!taken.empty() && !together(s, *taken.front(), *d)))
      d = &s.disk();
    taken.push_back(d);
    s.is("disk", {d->fmri, d->vdev, d->bay}, at);
    fail(s, *d, at);
    at += s.time("apart");
  }
}

void errors(Stage& s) {
  each(s, [](Stage& stage, const Disk& d, int64_t at) {
    const int times = stage.count("times");
    signs::errors(stage.play, d, at, times, stage.chance().percent(stage.count("probe")));
  });
}

void checksums(Stage& s) {
  each(s, [](Stage& stage, const Disk& d, int64_t at) {
    const int times = stage.count("times");
    signs::checksums(stage.play, d, at, times, stage.time("over"));
  });
}

void unreadable(Stage& s) {
  each(s, [](Stage& stage, const Disk& d, int64_t at) {
    const int times = stage.count("times");
    signs::unreadable(stage.play, d, at, times, stage.time("over"));
  });
}

void dies(Stage& s) {
  each(s, [](Stage& stage, const Disk& d, int64_t at) { signs::leaves(stage.play, d, at); });
}

// Its ways say so first, and are right: the disk is behind each of them.
void hangs(Stage& s) {
  each(s, [](Stage& stage, const Disk& d, int64_t at) {
    signs::hangs(stage.play, d, at);
    stage.cast.roles["disk"].back().fmris.insert(d.paths.begin(), d.paths.end());
  });
}

void flaps(Stage& s) {
  each(s, [](Stage& stage, const Disk& d, int64_t at) {
    const int times = stage.count("times");
    const int64_t every = stage.time("every"), away = stage.time("away");
    for (int i = 0; i < times; ++i) {
      signs::leaves(stage.play, d, at + i * every);
      if (i + 1 < times) signs::comes_back(stage.play, d, at + i * every + away);
    }
    stage.cast.until = std::max(stage.cast.until, at + times * every + 30 * kMin);
  });
}

// What the disk itself says of its end.
void foretold(Stage& s) {
  each(s, [](Stage& stage, const Disk& d, int64_t at) {
    Play& play = stage.play;
    if (d.nvme)
      play.set(at, Teller::smart, d.fmri, "smart.critical_warning.reliability_degraded",
               Value(true));
    else
      play.set(at, Teller::smart, d.fmri, "smart.exception", text("failure-predicted"));
  });
}

}  // namespace

std::vector<Generator> disk_generators() {
  const auto with = [](std::vector<Knob> own) {
    own.push_back(count("disks", 1, 1));
    own.push_back(time("apart", 0, 0));
    own.push_back(word("second", {"anywhere", "same shelf", "same group", "other controller"}));
    return own;
  };
  const Knob eight = time("over", 8 * kMin, 8 * kMin);
  return {
      {"disk errors",
       {"disk"},
       with({count("times", 11, 40), count("probe", 70, 70)}),
       any,
       errors},
      {"disk checksums", {"disk"}, with({count("times", 14, 60), eight}), any, checksums},
      {"disk unreadable", {"disk"}, with({count("times", 12, 30), eight}), any, unreadable},
      {"disk dies", {"disk"}, with({}), any, dies},
      {"disk hangs", {"disk"}, with({}), one_way, hangs},
      {"disk foretold", {"disk"}, with({}), any, foretold},
      {"disk flaps",
       {"disk"},
       with({count("times", 4, 4), time("every", 5 * kMin, 5 * kMin),
             time("away", 20 * kSec, 20 * kSec)}),
       one_way,
       flaps},
  };
}

}  // namespace fmd::score
