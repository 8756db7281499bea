// Documents: the daemon's answers (schemas/dbus/README.md) as values. Strings are raw and cleaned
// when shown. Members of an unexpected type are ignored.
#pragma once
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "fmd/base/result.h"
#include "fmd/model/case.h"
#include "ui/client/advice.h"
#include "ui/client/client.h"

namespace fmd::ui {

// The time in which a disk was in a bay. Times: ns since the epoch; to_ns 0: still there. An end
// that is not exact is when fmd first noticed it; the real time is earlier.
struct Stay {
  std::string bay, label, disk, serial, model;
  int64_t from_ns = 0, to_ns = 0;
  bool from_exact = false, to_exact = false;
};

struct SeriesPoint {
  int64_t time_ns = 0;
  double value = 0, least = 0, greatest = 0;
};
struct Series {
  std::string name, unit;
  double last = 0, least = 0, greatest = 0, mean = 0;
  std::vector<SeriesPoint> points;
};
struct Readings {
  std::string resource, label, serial;
  int64_t from_ns = 0, to_ns = 0;
  std::vector<Series> series;
  std::string damage;  // which part of the store is unreadable; "" none
};
struct ReadingsQuery {
  std::string part;                // FMRI, label, serial number or device
  std::vector<std::string> names;  // names or globs; empty: all
  int64_t from_ns = 0, to_ns = 0;  // 0: from the beginning, until now
  size_t points = 0;               // maximum per series; 0: sums only
};

struct LoggedEvent {
  uint64_t seq = 0;
  int64_t time_ns = 0;
  std::string event_class, resource, source;
  std::string payload;  // indented JSON; "" if none
};
struct EventsQuery {
  uint64_t after = 0;  // only events with a greater seq
  std::string class_glob, uuid;
  int64_t from_ns = 0, to_ns = 0;
  size_t limit = 1000;
};
struct EventsPage {
  std::vector<LoggedEvent> events;  // oldest first
  uint64_t next = 0;
  bool more = false;
  std::string damage;
};

std::vector<Stay> stays_in(const nlohmann::json& list);
Readings readings_in(const nlohmann::json& document);

// filter: schemas/dbus/README.md, "case". advice: gets the cases' "say", unless null.
Result<std::vector<Case>> fetch_cases(Client& client, const nlohmann::json& filter,
                                      AdviceByCase* advice = nullptr);
// part: "" all bays.
Result<std::vector<Stay>> fetch_stays(Client& client, const std::string& part);
Result<Readings> fetch_readings(Client& client, const ReadingsQuery& query);
Result<EventsPage> fetch_events(Client& client, const EventsQuery& query);
// The seq of the newest event in the journal; 0: it is empty.
Result<uint64_t> fetch_last_seq(Client& client);

}  // namespace fmd::ui
