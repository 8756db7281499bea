// Event: one report from a source plugin that has passed the checks of schemas/events/. Terms as in
// illumos FMA: class (dotted name), ENA (connects the ereports of one underlying error).
#pragma once
#include <algorithm>
#include <concepts>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "fmd/base/interned.h"
#include "fmd/base/value.h"

namespace fmd {

// Scalar members by name, in arrival order; arrays and objects are kept only in Event::payload_json.
// Few members: linear search is the fast way.
class Payload {
 public:
  using Member = std::pair<Interned, Value>;
  static constexpr size_t kKeptText = 64;  // bytes

  void set(const Interned& name, Value value);
  // Without looking for an earlier one of that name: find() gives the later one then. Returns where its
  // value goes; something of before may stand there.
  Value& append(const Interned& name) {
    if (used_ == members_.size()) members_.emplace_back();
    Member& next = members_[used_++];
    next.first = name;
    return next.second;
  }
  void append(const Interned& name, Value value) { append(name) = std::move(value); }
  // The room stays, that of short texts, too: long ones of many events would be very much.
  void clear() {
    for (size_t i = 0; i < used_; ++i) {
      Value& value = members_[i].second;
      if (const auto* text = std::get_if<std::string>(&value); text && text->capacity() > kKeptText)
        value = Value();
    }
    used_ = 0;
  }
  size_t room() const { return members_.size(); }  // members
  // nullptr: absent. Valid until the next set().
  const Value* find(std::string_view name) const { return last_of(name); }
  template <std::same_as<Interned> Name>
  const Value* find(const Name& name) const {
    return last_of(name);
  }
  std::span<const Member> members() const { return {members_.data(), used_}; }
  bool operator==(const Payload& other) const {
    return std::ranges::equal(members(), other.members());
  }

 private:
  template <class Name>
  const Value* last_of(const Name& name) const {
    for (size_t at = used_; at-- > 0;)
      if (members_[at].first == name) return &members_[at].second;
    return nullptr;
  }

  std::vector<Member> members_;
  size_t used_ = 0;
};

// Members by name, each with the values that are meant.
using MemberValues = std::vector<std::pair<Interned, std::vector<Value>>>;
// True when the payload has the member and it is one of these.
bool is_among(const Payload& payload, const Interned& member, const std::vector<Value>& values);

struct Event {
  uint64_t seq = 0;          // journal number, 1.., given by the daemon when it accepts the event
  Interned event_class;      // "ereport.fs.zfs.checksum"
  Interned resource;         // FMRI of what reported or suffered it
  int64_t time_ns = 0;       // event time, ns since the epoch, by the source's clock
  int64_t received_ns = 0;   // when the daemon took it in, ns since the epoch
  uint64_t ena = 0;          // 0: none
  std::string source;        // plugin name
  Payload payload;           // scalar members
  std::string payload_json;  // the whole payload as it came, one JSON object

  // Uses the existing capacity, or no more than needed: a string would double it.
  void keep_payload(std::string_view json);
};

}  // namespace fmd
