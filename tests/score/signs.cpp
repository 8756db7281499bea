#include "signs.h"

namespace fmd::score::signs {
namespace {

std::vector<std::pair<std::string, Value>> about(const Disk& disk, const char* what) {
  return {{"serial", Value(disk.serial)}, {"device", text("/dev/sdx")}, {"text", text(what)}};
}

void vdev_state(Play& play, const Disk& disk, int64_t when, const char* state,
                const char* service) {
  play.at(when, [&play, &disk, state, service] {
    play.host.set(Teller::zfs, disk.vdev, "state_by", text("zfs"));
    play.host.set(Teller::zfs, disk.vdev, "service", text(service));
  });
  play.set(when, Teller::zfs, disk.vdev, "state", text(state));
  play.event(when, Teller::zfs, "resource.fs.zfs.statechange", disk.vdev,
             {{"vdev_state", text(state)}, {"vdev_type", text("disk")}});
}

}  // namespace

void errors(Play& play, const Disk& disk, int64_t from, int times, bool probe) {
  int64_t at = from;
  for (int i = 0; i < times; ++i) {
    play.event(at, Teller::zfs, "ereport.fs.zfs.io", disk.vdev);
    at += play.chance.between(5, 200) * kMs;
  }
  if (!probe || disk.spare) return;
  play.event(at, Teller::zfs, "ereport.fs.zfs.probe_failure", disk.vdev);
  vdev_state(play, disk, at + 20 * kMs, "FAULTED", "out-of-service");
}

void checksums(Play& play, const Disk& disk, int64_t from, int times, int64_t within) {
  for (int i = 0; i < times; ++i)
    play.event(from + within * i / times, Teller::zfs, "ereport.fs.zfs.checksum", disk.vdev);
}

void unreadable(Play& play, const Disk& disk, int64_t from, int times, int64_t within,
                bool medium) {
  for (int i = 0; i < times; ++i) {
    const int64_t at = from + within * i / times;
    play.event(at, Teller::disk, medium ? "ereport.disk.io.medium" : "ereport.disk.io.hardware",
               disk.fmri, about(disk, medium ? "medium error" : "hardware error"));
    play.event(at + 10 * kMs, Teller::zfs, "ereport.fs.zfs.io", disk.vdev);
  }
}

void leaves(Play& play, const Disk& disk, int64_t when, bool pulled) {
  play.event(when, Teller::disk, "sysevent.disk.removed", disk.fmri,
             {{"serial", Value(disk.serial)}, {"transport", text(disk.nvme ? "nvme" : "sas")}});
  play.remove(when, Teller::disk, disk.fmri);
  for (const std::string& path : disk.paths) {
    play.event(when, Teller::disk, "sysevent.disk.path.removed", path);
    play.remove(when, Teller::disk, path);
  }
  play.remove(when + 50 * kMs, Teller::smart, disk.fmri);
  if (!disk.spare) {
    play.event(when + 100 * kMs, Teller::zfs, "resource.fs.zfs.removed", disk.vdev,
               {{"vdev_type", text("disk")}});
    vdev_state(play, disk, when + 150 * kMs, "REMOVED", "removed");
  }
  if (pulled)
    play.set(when + play.chance.between(1, 9) * kSec, Teller::enclosure, disk.bay, "occupied",
             Value(false));
}

void comes_back(Play& play, const Disk& disk, int64_t when) {
  play.set(when, Teller::enclosure, disk.bay, "occupied", Value(true));
  play.put_back(when, Teller::disk, disk.fmri);
  for (const std::string& path : disk.paths) play.put_back(when, Teller::disk, path);
  play.put_back(when, Teller::smart, disk.fmri);
  play.event(when, Teller::disk, "sysevent.disk.added", disk.fmri,
             {{"serial", Value(disk.serial)}});
  if (!disk.spare) vdev_state(play, disk, when + kSec, "ONLINE", "in-service");
}

void times_out(Play& play, const Disk& disk, int64_t when) {
  play.event(when, Teller::disk, "ereport.disk.path.timeout", disk.paths.front(),
             about(disk, "timed out"));
}

void hangs(Play& play, const Disk& disk, int64_t from) {
  for (int i = 0; i < 3; ++i) times_out(play, disk, from + i * 100 * kMs);
  play.set(from + 2 * kSec, Teller::disk, disk.fmri, "kernel_state",
           text(disk.nvme ? "dead" : "offline"));
  errors(play, disk, from + 2 * kSec, play.chance.between(2, 6), true);
}

void transport(Play& play, const Disk& disk, int64_t from, int times, size_t way) {
  for (int i = 0; i < times; ++i)
    play.event(from + i * 300 * kMs, Teller::disk, "ereport.disk.path.transport",
               disk.paths.at(way), about(disk, "DID_TRANSPORT_DISRUPTED"));
}

void reset(Play& play, const Disk& disk, int64_t when) {
  play.event(when, Teller::disk, "ereport.disk.path.reset", disk.paths.front(),
             about(disk, "bus reset"));
}

void way_fails(Play& play, const Disk& disk, int64_t when, size_t way) {
  transport(play, disk, when, play.chance.between(1, 3), way);
  play.set(when + 500 * kMs, Teller::disk, disk.paths.at(way), "multipath_state", text("failed"));
}

void way_vanishes(Play& play, const Disk& disk, int64_t when, size_t way) {
  play.event(when, Teller::disk, "sysevent.disk.path.removed", disk.paths.at(way));
  play.remove(when, Teller::disk, disk.paths.at(way));
  play.at(when,
          [&play, &disk] { play.host.set(Teller::disk, disk.map, "health", text("degraded")); });
  play.set(when + 500 * kMs, Teller::disk, disk.map, "paths_missing", Value(int64_t{1}));
}

void no_way(Play& play, const Disk& disk, int64_t when) {
  play.set(when, Teller::disk, disk.map, "health", text("failed"));
  errors(play, disk, when + 100 * kMs, play.chance.between(2, 6), true);
}

void cleared(Play& play, const Disk& disk, int64_t when) {
  play.event(when, Teller::zfs, "sysevent.fs.zfs.vdev_clear", disk.vdev,
             {{"by", text("administrator")}});
  play.at(when, [&play, &disk] { play.host.set(Teller::zfs, disk.vdev, "retired_by", text("")); });
  vdev_state(play, disk, when + 20 * kMs, "ONLINE", "in-service");
}

}  // namespace fmd::score::signs
