// ExpectedShape: which of the shapes that its class has had lately a payload has, as far as it is
// read. A key that is the expected one (of which none has anything to be escaped) need not be copied
// out of the text, nor its name be compared again. Inside the protocol only.
#pragma once
#include <cstddef>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "fmd/base/on_demand.h"
#include "fmd/model/event_schema.h"
#include "fmd/model/member_names.h"
#include "fmd/protocol/plain_payload.h"

namespace fmd::protocol {

class ExpectedShape {
 public:
  void begin(const EventClass* of) {
    shapes_ = of ? &of->shapes : nullptr;
    if (std::exchange(class_, of) == of) return;
    asked_for_.clear();
    at_ = 0;
  }

  // Reads a payload that has it, and how long that is; 0: it is for the parser.
  size_t read(const char* begin) {
    const size_t size = shapes_ && !shapes_->empty() ? read_plain(begin, names(), members_) : 0;
    if (size == 0) asked_for_.clear();  // what it is may become a shape in the place of this one
    return size;
  }
  const std::vector<std::string>& names() const { return (*shapes_)[at_ % shapes_->size()].names; }
  const std::vector<PlainMember>& members() const { return members_; }
  // Of its names, which are among these (none: all).
  const std::vector<bool>& asked_for(const MemberNames* among) {
    if (asked_for_.empty())
      for (const std::string& name : names()) asked_for_.push_back(!among || among->contains(name));
    return asked_for_;
  }

  // The name at that place, when it is that key.
  const std::string* name(size_t place, simdjson::ondemand::raw_json_string key) {
    if (!shapes_) return nullptr;
    for (size_t tried = 0; tried < shapes_->size(); ++tried, at_ = (at_ + 1) % shapes_->size()) {
      const std::vector<std::string>& names = (*shapes_)[at_ % shapes_->size()].names;
      if (place < names.size() && is_key(names[place], key.raw())) return &names[place];
    }
    return nullptr;
  }

 private:
  // Behind a key as many bytes as simdjson asks for can be read.
  static bool is_key(const std::string& name, const char* raw) {
    return name.size() < simdjson::SIMDJSON_PADDING && raw[name.size()] == '"' &&
           std::memcmp(raw, name.data(), name.size()) == 0;
  }

  const EventClass* class_ = nullptr;
  const std::vector<EventClass::Shape>* shapes_ = nullptr;
  size_t at_ = 0;
  std::vector<PlainMember> members_;
  std::vector<bool> asked_for_;
};

}  // namespace fmd::protocol
