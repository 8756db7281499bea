// JsonMembers: writes a JSON object as text, member by member. Fast, since in a storm much of the
// loop's work is writing rows of cases. Same output as dump_json(), except for the order of
// members. Names are not escaped.
#pragma once
#include <concepts>
#include <string>
#include <string_view>

#include "fmd/base/json_value.h"

namespace fmd {

class JsonMembers {
 public:
  explicit JsonMembers(std::string& out) : out_(out) { out_ += '{'; }
  void end() { out_ += '}'; }

  std::string& named(std::string_view name) {
    if (out_.back() != '{') out_ += ',';
    out_ += '"';
    out_ += name;
    out_ += "\":";
    return out_;
  }
  void add(std::string_view name, std::string_view text) { append_json_text(text, named(name)); }
  void add(std::string_view name, const std::string& text) { add(name, std::string_view(text)); }
  void add(std::string_view name, const char* text) { add(name, std::string_view(text)); }
  void add(std::string_view name, bool is) { named(name) += is ? "true" : "false"; }
  template <std::integral Number>
  void add(std::string_view name, Number number) {
    append_json_number(number, named(name));
  }
  template <class Facts>
  void add_facts(std::string_view name, const Facts& facts) {
    JsonMembers members(named(name));
    for (const auto& [fact, value] : facts) {
      if (out_.back() != '{') out_ += ',';
      append_json_text(fact, out_);
      out_ += ':';
      append_json_text(value, out_);
    }
    members.end();
  }
  // write(element, out)
  template <class List, class Write>
  void add_list(std::string_view name, const List& list, Write write) {
    named(name) += '[';
    for (const auto& one : list) {
      if (out_.back() != '[') out_ += ',';
      write(one, out_);
    }
    out_ += ']';
  }
  template <class Texts>
  void add_texts(std::string_view name, const Texts& texts) {
    add_list(name, texts,
             [](std::string_view text, std::string& out) { append_json_text(text, out); });
  }
  void add_unless_empty(std::string_view name, const std::string& text) {
    if (!text.empty()) add(name, text);
  }

 private:
  std::string& out_;
};

}  // namespace fmd
