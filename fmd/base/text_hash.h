// TextHash: for unordered containers with std::string keys and std::string_view look-ups.
#pragma once
#include <functional>
#include <string_view>

namespace fmd {

struct TextHash {
  using is_transparent = void;
  size_t operator()(std::string_view text) const { return std::hash<std::string_view>{}(text); }
};

}  // namespace fmd
