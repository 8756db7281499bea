// Signs: how failures show in the telemetry of the kernel, OpenZFS and the plugins.
#pragma once
#include "play.h"

namespace fmd::score::signs {

// Reads and writes fail; ZFS counts them, probes the disk and marks it FAULTED.
void errors(Play& play, const Disk& disk, int64_t from, int times, bool probe);
void checksums(Play& play, const Disk& disk, int64_t from, int times, int64_t within);
// medium: unreadable sectors; otherwise its electronics or mechanics fail (sense key 4h).
void unreadable(Play& play, const Disk& disk, int64_t from, int times, int64_t within,
                bool medium = true);
// It leaves its bus: the kernel drops it, ZFS marks it REMOVED. pulled: its bay is also empty.
void leaves(Play& play, const Disk& disk, int64_t when, bool pulled = false);
void comes_back(Play& play, const Disk& disk, int64_t when);
// A request times out.
void times_out(Play& play, const Disk& disk, int64_t when);
void hangs(Play& play, const Disk& disk, int64_t from);
// Transfers fail on one of its paths.
void transport(Play& play, const Disk& disk, int64_t from, int times, size_t way = 0);
void reset(Play& play, const Disk& disk, int64_t when);
// One of several paths fails or its device vanishes; the multipath map continues with the others.
void way_fails(Play& play, const Disk& disk, int64_t when, size_t way);
void way_vanishes(Play& play, const Disk& disk, int64_t when, size_t way);
void no_way(Play& play, const Disk& disk, int64_t when);   // all of its paths are lost
void cleared(Play& play, const Disk& disk, int64_t when);  // "zpool clear" by an administrator

}  // namespace fmd::score::signs
