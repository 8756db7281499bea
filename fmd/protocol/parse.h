// Parses plugins' messages: the `params` of inventory, events and readings
// (schemas/plugin-protocol.md). Used by the daemon and the replay. Hostile input: an Error means
// that the message is malformed (the sender is disconnected); a rejected event means that only this
// event is wrong. Pure; each thread for itself.
#pragma once
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "fmd/base/result.h"
#include "fmd/model/event_list.h"
#include "fmd/model/event_schema.h"
#include "fmd/model/inventory.h"
#include "fmd/model/member_names.h"
#include "fmd/model/reading.h"

namespace fmd::protocol {

inline constexpr size_t kMaxEvents = 1000;      // a batch
inline constexpr size_t kMaxFmri = 2048;        // bytes
inline constexpr size_t kMaxClass = 128;        // bytes
inline constexpr size_t kMaxResources = 10000;  // an inventory message
inline constexpr size_t kMaxProperties = 1000;  // of one resource, in a message
inline constexpr size_t kMaxProperty = 4096;    // bytes of one property's text
inline constexpr size_t kMaxUnit = 32;  // bytes of a reading's unit; a longer one is left out

struct EventsMessage {
  // With the index in the batch. Of an Event set are class, resource, time, ena, payload; the FMRI
  // is canonical.
  std::vector<std::pair<size_t, EventPtr>> events;
  struct Rejected {
    size_t index;
    std::string reason;
    std::string event_class;  // as it was given, "" when that is what is wrong
    std::string raw;          // the event as it came
  };
  std::vector<Rejected> rejected;
  // Of `events`, those that the schema refuses: index and why, ascending.
  std::vector<std::pair<size_t, std::string>> unfit;
  std::optional<std::string> cursor;
};

// An event that was parsed, as a plugin would send it.
std::string raw_event(const Event& event);

// What to do with the events on the way. The schema tells which are unfit (none: nobody asks); of a
// payload's members those of these names become values (none: all). Both outlive the call.
struct EventInterest {
  const EventSchema* schema = nullptr;
  const MemberNames* members = nullptr;
};

// The hot path (simdjson).
Result<EventsMessage> parse_events(std::string_view params, const EventInterest& interest = {});
// `source` is the caller's to set.
Result<InventoryUpdate> parse_inventory(std::string_view params);
struct ReadingsMessage {
  // Readings as properties, merge set: each is added to what that source said of the resource.
  InventoryUpdate update;
  std::vector<Reading> readings;  // as they came, for the history
};
Result<ReadingsMessage> parse_readings(std::string_view params);

}  // namespace fmd::protocol
