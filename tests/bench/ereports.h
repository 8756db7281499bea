// Ereports as fmd-zfs sends them, with the members, sizes and variety recorded from OpenZFS 2.1.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "fmd/model/event.h"

namespace fmd::bench {

inline constexpr uint64_t kPool = 18236742014345987236U;
inline constexpr uint64_t kVdevs = 1000;
inline constexpr int64_t kBegin = 1'795'229'321'000'000'000;  // ns since the epoch

// whole: with both histograms of bad bits, which ZFS adds if it has a good copy to compare with.
enum class Shape { plain, whole };

std::string vdev_fmri(uint64_t vdev);
std::vector<Event> make_ereports(uint64_t first_seq, uint64_t count, Shape shape);
// The events as params of the plugin protocol's `events`.
std::string as_message(const std::vector<Event>& events);

}  // namespace fmd::bench
