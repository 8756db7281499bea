// How much input is accepted from plugins.
#pragma once

namespace fmd {

enum class Flow {
  acked,  // so many requests of each; more when those are on disk
  ahead,  // nothing reaches the disk for now: each is told what is in memory, and goes on
  held,   // memory is full, too: nobody is told so, and each sends no more than it may unacked
};

}  // namespace fmd
