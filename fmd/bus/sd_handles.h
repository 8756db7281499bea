// Owning handles for sd-bus and sd-event objects.
#pragma once
#include <systemd/sd-bus.h>
#include <systemd/sd-event.h>

#include <memory>

namespace fmd::bus {

struct HandleDeleter {
  void operator()(sd_bus* bus) const { sd_bus_close_unref(bus); }
  void operator()(sd_bus_slot* slot) const { sd_bus_slot_unref(slot); }
  void operator()(sd_bus_message* message) const { sd_bus_message_unref(message); }
  void operator()(sd_event* event) const { sd_event_unref(event); }
  void operator()(sd_event_source* source) const { sd_event_source_disable_unref(source); }
};

using BusPtr = std::unique_ptr<sd_bus, HandleDeleter>;
using SlotPtr = std::unique_ptr<sd_bus_slot, HandleDeleter>;
using MessagePtr = std::unique_ptr<sd_bus_message, HandleDeleter>;
using EventPtr = std::unique_ptr<sd_event, HandleDeleter>;
using SourcePtr = std::unique_ptr<sd_event_source, HandleDeleter>;

// For a property: each change is signalled with its value.
inline constexpr uint64_t kEmits = SD_BUS_VTABLE_PROPERTY_EMITS_CHANGE;
// Each change is signalled without the value. For large properties: a listener that never reads
// then fills the bus more slowly.
inline constexpr uint64_t kInvalidates = SD_BUS_VTABLE_PROPERTY_EMITS_INVALIDATION;

// An sd_bus_error that frees itself.
struct BusError {
  sd_bus_error error = SD_BUS_ERROR_NULL;
  BusError() = default;
  BusError(const BusError&) = delete;
  BusError& operator=(const BusError&) = delete;
  ~BusError() { sd_bus_error_free(&error); }
  const char* text() const { return error.message ? error.message : "no reason given"; }
};

}  // namespace fmd::bus
