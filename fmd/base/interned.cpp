#include "fmd/base/interned.h"

#include <functional>
#include <vector>

namespace fmd {
namespace {

constexpr size_t kRemembered = 64;    // texts asked for last
constexpr size_t kLongestText = 256;  // bytes of those: what devices send may be of any length

Shared<std::string> remembered_or_made(std::string_view text) {
  static thread_local std::vector<Shared<std::string>> remembered(kRemembered,
                                                                  Shared<std::string>());
  Shared<std::string>& known = remembered[std::hash<std::string_view>{}(text) % kRemembered];
  if (*known == text) return known;
  Shared<std::string> made{std::string(text)};
  if (text.size() <= kLongestText) known = made;
  return made;
}

}  // namespace

Interned::Interned(std::string_view text) : text_(remembered_or_made(text)) {}

}  // namespace fmd
