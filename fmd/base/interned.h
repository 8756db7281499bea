// Interned: a short text shared by many objects, such as the class of an event. Eight bytes; stores
// its hash. Equal texts of a thread mostly share one copy, so comparisons mostly compare pointers.
// Copies may be used in several threads.
#pragma once
#include <cstddef>
#include <functional>
#include <ostream>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>

#include "fmd/base/shared.h"
#include "fmd/base/text_hash.h"

namespace fmd {

class Interned {
 public:
  Interned() = default;             // ""
  Interned(std::string_view text);  // not explicit: converts like a text
  Interned(const std::string& text) : Interned(std::string_view(text)) {}
  Interned(const char* text) : Interned(std::string_view(text)) {}
  Interned(const Interned& other) = default;
  Interned(Interned&& other) noexcept = default;  // leaves ""
  Interned& operator=(const Interned& other) {
    if (!text_.is_that_of(other.text_)) text_ = other.text_;  // cheaper than counting holders
    return *this;
  }
  Interned& operator=(Interned&& other) noexcept = default;

  const std::string& str() const { return text_.is_none() ? kNothing : text_->text; }
  operator std::string_view() const { return str(); }
  operator const std::string&() const { return str(); }
  bool empty() const { return text_.is_none(); }
  uint32_t holders() const { return text_.holders(); }
  void clear() { text_ = Shared<Text>::none(); }
  size_t hash() const { return empty() ? TextHash()({}) : text_->hash; }

  bool operator==(const Interned& other) const {
    return text_.is_that_of(other.text_) || (hash() == other.hash() && str() == other.str());
  }
  bool operator==(std::string_view other) const { return str() == other; }
  bool operator==(const std::string& other) const { return str() == other; }
  bool operator==(const char* other) const { return str() == other; }
  friend std::ostream& operator<<(std::ostream& out, const Interned& text) {
    return out << text.str();
  }
  // fmt up to version 9 (Debian 12) formats types that convert to text; from 10 on it needs this.
  friend std::string_view format_as(const Interned& text) { return text.str(); }

 private:
  struct Text {
    std::string text;  // not ""
    size_t hash;       // as computed by TextHash
  };
  static const std::string kNothing;

  Shared<Text> text_ = Shared<Text>::none();
};

// For unordered containers with Interned keys and look-ups by other text types.
struct InternedHash {
  using is_transparent = void;
  size_t operator()(const Interned& text) const { return text.hash(); }
  size_t operator()(std::string_view text) const { return TextHash()(text); }
  size_t operator()(const std::string& text) const { return TextHash()(text); }
};

// The texts in use, and unused ones: no more than those in use, or than `spare`. One thread.
class InternedTexts {
 public:
  static constexpr size_t kLongest = 256;  // bytes; texts from devices may have any length

  static InternedTexts& of_thread();  // has every text made in this thread
  explicit InternedTexts(size_t spare) : InternedTexts(spare, 2) {}  // besides of_thread()

  // nullptr if absent. Valid until the next change.
  const Interned* find(std::string_view text) const {
    if (text.size() > kLongest) return nullptr;
    const auto at = texts_.find(text);
    return at == texts_.end() ? nullptr : &*at;
  }
  void keep(const Interned& text);  // ignores "" and texts that are too long
  void forget_unused();
  size_t size() const { return texts_.size(); }

 private:
  InternedTexts(size_t spare, uint32_t unused) : spare_(spare), most_(spare), unused_(unused) {}

  size_t spare_, most_;
  uint32_t unused_;  // holders of an unused text: the tables that contain it
  std::unordered_set<Interned, InternedHash, std::equal_to<>> texts_;
};

}  // namespace fmd
