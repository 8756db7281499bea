// ExpectedShape: which of the recent shapes of its class a payload has, as far as it has been read.
// An expected key (without escapes) is neither copied nor compared again. Internal to the protocol.
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
    at_ = 0;
    forget();
  }

  // Reads a payload of one of the shapes and returns its end; nullptr if the parser must read it.
  const char* read(const char* begin) {
    for (size_t tried = 0; shapes_ && tried < shapes_->size(); ++tried, next())
      if (const char* end = read_plain(begin, shape().keys, members_)) return end;
    forget();  // its shape may replace this one
    return nullptr;
  }
  const EventClass::Shape& shape() const { return (*shapes_)[at_ % shapes_->size()]; }
  const std::vector<Interned>& names() const { return shape().names; }
  const std::vector<PlainMember>& members() const { return members_; }
  // Indexes of the members whose names are in `among` (nullptr: all).
  const std::vector<size_t>& asked_for(const MemberNames* among) {
    if (std::exchange(known_, true)) return asked_for_;
    for (size_t i = 0; i < names().size(); ++i)
      if (!among || among->contains(names()[i])) asked_for_.push_back(i);
    return asked_for_;
  }

  // The name at that place if it equals the key.
  const Interned* name(size_t place, simdjson::ondemand::raw_json_string key) {
    if (!shapes_) return nullptr;
    for (size_t tried = 0; tried < shapes_->size(); ++tried, next())
      if (place < names().size() && is_key(names()[place].str(), key.raw())) return &names()[place];
    return nullptr;
  }

 private:
  void next() {
    at_ = (at_ + 1) % shapes_->size();
    forget();
  }
  void forget() {
    asked_for_.clear();
    known_ = false;
  }

  // After a key, SIMDJSON_PADDING bytes can be read.
  static bool is_key(const std::string& name, const char* raw) {
    return name.size() < simdjson::SIMDJSON_PADDING && raw[name.size()] == '"' &&
           std::memcmp(raw, name.data(), name.size()) == 0;
  }

  const EventClass* class_ = nullptr;
  const std::vector<EventClass::Shape>* shapes_ = nullptr;
  size_t at_ = 0;
  std::vector<PlainMember> members_;
  std::vector<size_t> asked_for_;
  bool known_ = false;
};

}  // namespace fmd::protocol
