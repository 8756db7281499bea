// Shape: the state of a world before its history begins. Drawn from a seed; simplified when a
// failing history is shrunk.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace fmd::histories {

using Ns = int64_t;
constexpr Ns kMs = 1000000, kSec = 1000 * kMs, kMin = 60 * kSec, kHour = 60 * kMin;

enum class Source { zfs, disk, enclosure, smart };
constexpr int kSources = 4;
const char* source_name(Source source);

struct TopShape {
  enum class Type { mirror, raidz, single };
  Type type = Type::mirror;
  int parity = 1;  // raidz1, 2, 3
  int slots = 2;
};

struct PoolShape {
  std::vector<TopShape> tops;
  int spares = 0;
  int resilver_s = 60;  // for a new disk
};

enum class LedShape { works, none, cannot_drive };

struct Shape {
  std::vector<PoolShape> pools;
  int blank_disks = 3, used_disks = 1, small_disks = 1;  // in the drawer
  int empty_bays = 1;
  std::vector<bool> bay_known;          // by bay; false if no plugin describes it
  std::vector<LedShape> leds;           // by bay
  std::array<int, kSources> late_ms{};  // from fmd's start to hello
  std::array<int, kSources> lag_ms{};   // from a look to the arrival of its message
  bool kernel_unspares = true;          // `zpool clear` detaches the spare, as the kernel does
  bool zed = false;                     // ZED brings returning disks online
  int max_retired = 2;
  bool auto_replace = true;

  int slots() const;  // in all pools
  int spares() const;
  int disks() const;  // slots, spares, drawer
  int bays() const;   // one per slot and spare, and the empty ones
};

std::string words(const Shape& shape);  // "tank: raidz2 of S000 … S004, spare S005; ..."
Shape draw_shape(uint64_t seed);
// Simpler shapes to try when shrinking; each differs in one value.
std::vector<Shape> simpler(const Shape& shape);

}  // namespace fmd::histories
