// Interned: a short text that very many hold, such as the class of an event: eight bytes, and mostly kept once for all who
// have it. One that was made a while ago may be made again. Copies may be used in several threads.
#pragma once
#include <string>
#include <string_view>

#include "fmd/base/shared.h"

namespace fmd {

class Interned {
 public:
  Interned() : Interned(std::string_view()) {}
  Interned(std::string_view text);  // not explicit: it is a text
  Interned(const std::string& text) : Interned(std::string_view(text)) {}
  Interned(const char* text) : Interned(std::string_view(text)) {}

  operator std::string_view() const { return *text_; }
  bool operator==(const Interned& other) const {
    return text_.is_that_of(other.text_) || *text_ == *other.text_;
  }
  bool operator==(std::string_view other) const { return *text_ == other; }
  bool operator==(const char* other) const { return *text_ == other; }

 private:
  Shared<std::string> text_;
};

}  // namespace fmd
