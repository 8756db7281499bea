// Generators of independent failures of single disks.
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

// Several disks fail one after the other, independently.
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
    const bool medium = stage.word("sense") == "medium";
    signs::unreadable(stage.play, d, at, times, stage.time("over"), medium);
  });
}

void dies(Stage& s) {
  each(s, [](Stage& stage, const Disk& d, int64_t at) { signs::leaves(stage.play, d, at); });
}

// The paths report it first. That is acceptable because the disk is behind each of them.
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

// The disk's own state, from its SMART data.
void says(Stage& s) {
  each(s, [](Stage& stage, const Disk& d, int64_t at) {
    const std::string what = stage.word("what");
    const auto set = [&](const char* property, Value value) {
      stage.play.set(at, Teller::smart, d.fmri, property, std::move(value));
    };
    if (what == "failure predicted")
      d.nvme ? set("smart.critical_warning.reliability_degraded", Value(true))
             : set("smart.exception", text("failure-predicted"));
    if (what == "status failed") set("smart.status", text("failed"));
    if (what == "self-test failed") set("smart.self_test", text("failed"));
    if (what == "spare low") set("smart.critical_warning.spare_below_threshold", Value(true));
    if (what == "read-only") set("smart.critical_warning.media_read_only", Value(true));
    if (what == "worn out") set("wear_percent", number(100));
    if (what == "no answer") set("smart.state", text("hung"));
    if (what == "defects grow")
      for (int i = 0; i <= 6; ++i)
        stage.play.reading(at + i * 3 * kMin, Teller::smart, d.fmri,
                           d.nvme ? "smart.media_errors" : "smart.grown_defects",
                           i * stage.count("each"));
  });
}

// Requests time out now and then, but the kernel keeps the disk.
void times_out(Stage& s) {
  each(s, [](Stage& stage, const Disk& d, int64_t at) {
    const int times = stage.count("times");
    for (int i = 0; i < times; ++i) signs::times_out(stage.play, d, at + i * stage.time("every"));
    stage.cast.roles["disk"].back().fmris.insert(d.paths.begin(), d.paths.end());
  });
}

// A bad contact or cable of one disk: transfers are corrupted and repeated, nothing is lost.
void contact(Stage& s) {
  const Disk& d = s.disk();
  const int times = s.count("times");
  const auto way = static_cast<size_t>(s.chance().below(static_cast<int>(d.paths.size())));
  for (int i = 0; i < times; ++i)
    signs::transport(s.play, d, s.cast.onset + i * s.time("every"), 1, way);
  s.is("path", {d.paths.at(way), d.bay}, s.cast.onset);
}

// One path of a multipath disk fails, or all of them: then the disk is at fault.
void ways(Stage& s) {
  const Disk& d = s.disk();
  const bool all = s.word("which") == "all";
  const auto one = static_cast<size_t>(s.chance().below(static_cast<int>(d.paths.size())));
  for (size_t way = 0; way < d.paths.size(); ++way) {
    if (!all && way != one) continue;
    const int64_t at = s.cast.onset + static_cast<int64_t>(way) * s.time("apart");
    s.word("how") == "fails" ? signs::way_fails(s.play, d, at, way)
                             : signs::way_vanishes(s.play, d, at, way);
  }
  if (!all) return s.is("way", {d.paths.at(one), d.map}, s.cast.onset);
  signs::no_way(s.play, d, s.cast.onset + 2 * kSec);
  std::set<std::string> parts{d.fmri, d.vdev, d.bay, d.map};
  parts.insert(d.paths.begin(), d.paths.end());
  s.is("disk", std::move(parts), s.cast.onset);
}

bool several_ways(const Host& host) {
  return host.spec.multipath;
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
      {"disk unreadable",
       {"disk"},
       with({count("times", 12, 30), eight, word("sense", {"medium", "hardware"})}),
       any,
       unreadable},
      {"disk dies", {"disk"}, with({}), any, dies},
      {"disk hangs", {"disk"}, with({}), one_way, hangs},
      {"disk flaps",
       {"disk"},
       with({count("times", 4, 4), time("every", 5 * kMin, 5 * kMin),
             time("away", 20 * kSec, 20 * kSec)}),
       one_way,
       flaps},
      {"disk says",
       {"disk"},
       with({word("what", {"failure predicted", "status failed", "self-test failed", "spare low",
                           "read-only", "worn out", "no answer", "defects grow"}),
             count("each", 3, 8)}),
       any,
       says},
      {"disk times out",
       {"disk"},
       with({count("times", 5, 8), time("every", 20 * kSec, 4 * kMin)}),
       one_way,
       times_out},
      {"contact",
       {"path"},
       {count("times", 16, 30), time("every", 10 * kSec, 60 * kSec)},
       any,
       contact},
      {"ways",
       {"way", "disk"},
       {word("which", {"one", "all"}), word("how", {"fails", "vanishes"}), time("apart", 0, kSec)},
       several_ways,
       ways},
  };
}

}  // namespace fmd::score
