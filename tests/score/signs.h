// Signs: how what breaks shows in the telemetry. Each is what the kernel and OpenZFS do and the plugins tell.
#pragma once
#include "play.h"

namespace fmd::score::signs {

// Reads and writes fail; ZFS counts them, probes the disk and takes it for faulted.
void errors(Play& play, const Disk& disk, int64_t from, int times, bool probe);
void checksums(Play& play, const Disk& disk, int64_t from, int times, int64_t within);
// medium: it cannot read what is there; else its electronics or mechanics fail (sense 4h).
void unreadable(Play& play, const Disk& disk, int64_t from, int times, int64_t within,
                bool medium = true);
// It leaves its bus: the kernel drops it, ZFS says REMOVED. pulled: its bay is empty, too.
void leaves(Play& play, const Disk& disk, int64_t when, bool pulled = false);
void comes_back(Play& play, const Disk& disk, int64_t when);
// Nothing is answered: time-outs, then the kernel gives it up.
void times_out(Play& play, const Disk& disk, int64_t when);
void hangs(Play& play, const Disk& disk, int64_t from);
// Transfers fail on one way to it.
void transport(Play& play, const Disk& disk, int64_t from, int times, size_t way = 0);
void reset(Play& play, const Disk& disk, int64_t when);
// One of several ways to it fails, or its device vanishes; the multipath map goes on with the others.
void way_fails(Play& play, const Disk& disk, int64_t when, size_t way);
void way_vanishes(Play& play, const Disk& disk, int64_t when, size_t way);
void no_way(Play& play, const Disk& disk, int64_t when);   // is left of several
void cleared(Play& play, const Disk& disk, int64_t when);  // "zpool clear" by an administrator

}  // namespace fmd::score::signs
