// Parses plugins' messages: the `params` of inventory, events and readings
// (schemas/plugin-protocol.md). Used by the daemon and the replay. Input may be hostile: an Error
// means a malformed message (the sender is disconnected); a rejected event means that only this
// event is wrong. Pure; each thread has its own buffers.
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

inline constexpr size_t kMaxEvents = 1000;      // per batch
inline constexpr size_t kMaxFmri = 2048;        // bytes
inline constexpr size_t kMaxClass = 128;        // bytes
inline constexpr size_t kMaxResources = 10000;  // per inventory message
inline constexpr size_t kMaxProperties = 1000;  // per resource and message
inline constexpr size_t kMaxProperty = 4096;    // bytes of a property's text
inline constexpr size_t kMaxUnit = 32;  // bytes of a reading's unit; a longer one is omitted

struct EventsMessage {
  // With the index in the batch. Each Event has class, resource (canonical), time, ena and payload.
  std::vector<std::pair<size_t, EventPtr>> events;
  struct Rejected {
    size_t index;
    std::string reason;
    std::string event_class;  // as given; "" if the class itself is wrong
    std::string raw;          // the event as received
  };
  std::vector<Rejected> rejected;
  // Those of `events` that the schema refuses: index and reason, ascending.
  std::vector<std::pair<size_t, std::string>> unfit;
  std::optional<std::string> cursor;
};

// A parsed event in the form in which a plugin would send it.
std::string raw_event(const Event& event);

// How to process events. The schema finds unfit events (null: no check); only payload members with
// these names become values (null: all). Both must outlive the call.
struct EventInterest {
  const EventSchema* schema = nullptr;
  const MemberNames* members = nullptr;
};

// The hot path (simdjson).
Result<EventsMessage> parse_events(std::string_view params, const EventInterest& interest = {});
// The caller sets `source`.
Result<InventoryUpdate> parse_inventory(std::string_view params);
struct ReadingsMessage {
  // Readings as properties, with merge set: added to the source's earlier properties.
  InventoryUpdate update;
  std::vector<Reading> readings;  // as received, for the history
};
Result<ReadingsMessage> parse_readings(std::string_view params);

}  // namespace fmd::protocol
