#include "fmd/base/interned.h"

#include <algorithm>

namespace fmd {

constinit const std::string Interned::kNothing;

Interned::Interned(std::string_view text) {
  if (text.empty()) return;
  InternedTexts& all = InternedTexts::of_thread();
  if (const Interned* known = all.find(text)) {
    *this = *known;
    return;
  }
  text_ = Shared<Text>({std::string(text), TextHash()(text)});
  all.keep(*this);
}

InternedTexts& InternedTexts::of_thread() {
  constexpr size_t kSpare = 8192;
  static thread_local InternedTexts all(kSpare, 1);
  return all;
}

void InternedTexts::keep(const Interned& text) {
  if (text.empty() || text.str().size() > kLongest) return;
  if (texts_.size() >= most_) {
    forget_unused();
    most_ = std::max(spare_, 2 * texts_.size());
  }
  texts_.insert(text);
}

void InternedTexts::forget_unused() {
  std::erase_if(texts_, [this](const Interned& text) { return text.holders() <= unused_; });
  texts_.rehash(0);
}

}  // namespace fmd
