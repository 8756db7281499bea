// Converts ASCII capitals to small letters, independent of the locale; leaves other bytes.
#pragma once
#include <algorithm>
#include <string>
#include <string_view>

namespace fmd {

inline char lower_case(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

inline std::string lower_case(std::string_view text) {
  std::string out(text);
  std::transform(out.begin(), out.end(), out.begin(), [](char c) { return lower_case(c); });
  return out;
}

}  // namespace fmd
