#include "plugins/hardware/fmris_in_text.h"

#include <cctype>

namespace fmd::hardware {
namespace {

bool belongs_to_word(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) ||
         std::string_view("-_./:@+=%").find(c) != std::string_view::npos;
}

}  // namespace

std::string with_fmris(std::string_view text, const std::map<std::string, std::string>& words) {
  std::string out;
  for (size_t at = 0; at < text.size();) {
    size_t end = at;
    while (end < text.size() && belongs_to_word(text[end])) ++end;
    if (end == at) {
      out += text[at++];
      continue;
    }
    std::string_view word = text.substr(at, end - at);
    while (!word.empty() && (word.back() == '.' || word.back() == ':')) word.remove_suffix(1);
    const auto known = words.find(std::string(word));
    out += known == words.end() ? word : std::string_view(known->second);
    out += text.substr(at + word.size(), end - at - word.size());
    at = end;
  }
  return out;
}

}  // namespace fmd::hardware
