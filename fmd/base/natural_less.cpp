#include "fmd/base/natural_less.h"

#include <algorithm>
#include <cctype>

namespace fmd {

bool natural_less(std::string_view a, std::string_view b) {
  constexpr size_t kLongestNumber = 9;  // longer ones are treated as text: ids, often hexadecimal
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  const auto id_length = [](std::string_view text) {
    size_t end = 0;
    while (end < text.size() && std::isalnum(static_cast<unsigned char>(text[end]))) ++end;
    return end;
  };
  const auto number_at = [&](std::string_view text) {
    size_t end = 0;
    while (end < text.size() && is_digit(text[end])) ++end;
    const std::string_view digits = text.substr(0, end);
    return digits.substr(std::min(digits.find_first_not_of('0'), digits.size()));
  };
  const std::string_view whole_a = a, whole_b = b;
  while (!a.empty() && !b.empty()) {
    if (is_digit(a.front()) && is_digit(b.front())) {
      const std::string_view x = number_at(a), y = number_at(b);
      const bool both_ids = std::min(x.size(), y.size()) > kLongestNumber;
      if (both_ids) {
        const std::string_view id_a = a.substr(0, id_length(a)), id_b = b.substr(0, id_length(b));
        if (id_a != id_b) return id_a < id_b;
        a.remove_prefix(id_a.size());
        b.remove_prefix(id_b.size());
        continue;
      }
      if (x.size() != y.size()) return x.size() < y.size();
      if (x != y) return x < y;
      while (!a.empty() && is_digit(a.front())) a.remove_prefix(1);
      while (!b.empty() && is_digit(b.front())) b.remove_prefix(1);
    } else if (a.front() != b.front()) {
      return a.front() < b.front();
    } else {
      a.remove_prefix(1);
      b.remove_prefix(1);
    }
  }
  if (a.empty() != b.empty()) return a.empty();
  return whole_a < whole_b;  // for texts such as "03" and "3"
}

}  // namespace fmd
