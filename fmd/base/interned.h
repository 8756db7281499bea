// Interned: a short text that is shared by many objects, such as the class of an event. Eight
// bytes, with its hash. Equal texts of a thread mostly share one copy, so most comparisons compare
// pointers. Copies may be used in several threads.
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
  Interned(std::string_view text);  // not explicit: it is a text
  Interned(const std::string& text) : Interned(std::string_view(text)) {}
  Interned(const char* text) : Interned(std::string_view(text)) {}
  Interned(const Interned& other) = default;
  Interned(Interned&& other) noexcept = default;  // "" stays
  Interned& operator=(const Interned& other) {
    if (!text_.is_that_of(other.text_)) text_ = other.text_;  // to count holders takes longer
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
  // fmt takes what turns into a text by itself up to version 9 (Debian 12); from 10 on it asks for this.
  friend std::string_view format_as(const Interned& text) { return text.str(); }

 private:
  struct Text {
    std::string text;  // not ""
    size_t hash;       // as TextHash has it
  };
  static const std::string kNothing;

  Shared<Text> text_ = Shared<Text>::none();
};

// For unordered containers keyed by them that are asked by other texts, too.
struct InternedHash {
  using is_transparent = void;
  size_t operator()(const Interned& text) const { return text.hash(); }
  size_t operator()(std::string_view text) const { return TextHash()(text); }
  size_t operator()(const std::string& text) const { return TextHash()(text); }
};

// Those that somebody has, and some that nobody has any more: no more than of the others, or than `spare`. For one thread.
class InternedTexts {
 public:
  static constexpr size_t kLongest = 256;  // bytes: what devices send may be of any length

  static InternedTexts& of_thread();  // in which each is that this thread has made
  explicit InternedTexts(size_t spare) : InternedTexts(spare, 2) {}  // beside that: of those, some

  // nullptr: none is kept. Valid until the next change.
  const Interned* find(std::string_view text) const {
    if (text.size() > kLongest) return nullptr;
    const auto at = texts_.find(text);
    return at == texts_.end() ? nullptr : &*at;
  }
  void keep(const Interned& text);  // unless it is "" or longer
  void forget_unused();
  size_t size() const { return texts_.size(); }

 private:
  InternedTexts(size_t spare, uint32_t unused) : spare_(spare), most_(spare), unused_(unused) {}

  size_t spare_, most_;
  uint32_t unused_;  // holders of one that nobody has: the tables it is in
  std::unordered_set<Interned, InternedHash, std::equal_to<>> texts_;
};

}  // namespace fmd
