// Why a new disk is not used as a replacement.
#pragma once
#include <array>
#include <cstddef>
#include <optional>
#include <string_view>

namespace fmd {

// sector_size: it would be slow; larger_blocks: it cannot hold what ZFS writes there.
enum class Unfit {
  none,
  in_use,
  too_small,
  sector_size,
  larger_blocks,
  other_kind,
  disputed,
  unread,
  not_blank
};

inline constexpr std::array<std::string_view, 9> kUnfitNames{
    "",           "in-use",   "too-small", "sector-size", "larger-blocks",
    "other-kind", "disputed", "unread",    "not-blank"};

constexpr std::string_view unfit_name(Unfit unfit) {
  return kUnfitNames[static_cast<size_t>(unfit)];
}

constexpr std::optional<Unfit> parse_unfit(std::string_view name) {
  for (size_t i = 0; i < kUnfitNames.size(); ++i)
    if (kUnfitNames[i] == name) return static_cast<Unfit>(i);
  return {};
}

}  // namespace fmd
