// TextHash: for unordered containers keyed by std::string that are asked by std::string_view.
#pragma once
#include <functional>
#include <string_view>

namespace fmd {

struct TextHash {
  using is_transparent = void;
  size_t operator()(std::string_view text) const { return std::hash<std::string_view>{}(text); }
};

}  // namespace fmd
