#include "plugins/ipmi/news.h"

#include <iterator>

#include "plugins/hardware/time_text.h"
#include "plugins/ipmi/parts.h"
#include "plugins/sdk/messages.h"

namespace fmd::ipmi {
namespace {

// A readable sensor is judged by its reading: a log entry may be old, and is not always cleared.
bool is_read(const Sensor* sensor, const Watch& watch) {
  if (!sensor || sensor->event_only || !sensor->ours) return false;
  const Reading* now = watch.confirmed(sensor->number);
  return now && now->available;
}

// Why an entry does not describe the present state; "" if it is evidence.
std::string doubt(const SelEntry& entry, const News::Around& around) {
  if (entry.may_be_old) return "logged at an unknown time, and perhaps read before";
  if (!is_dated(entry, around.bmc_now))
    return around.first_read ? "logged at an unknown time, before the BMC's clock was set" : "";
  return time_of(entry, around.bmc_now, around.now_ns) < around.too_old_ns
             ? "logged long before this boot"
             : "";
}

// The offsets that describe lasting states. An error that occurred never ends, so it must not delay
// the end of a state.
std::set<int> lasting(const std::set<int>& offsets, int reading_type, int sensor_type,
                      const Meaning& meaning) {
  std::set<int> out;
  for (const int offset : offsets)
    if (meaning.of(reading_type, sensor_type, offset).lasts) out.insert(offset);
  return out;
}

}  // namespace

// Ends states by the entry. Returns whether no lasting state that the log reported remains.
bool News::taken_back(const SelEntry& entry, const State& state, const Meaning& meaning) {
  const auto at = asserted.find({entry.owner, entry.sensor});
  if (at == asserted.end()) return false;
  bool any = false;
  if (entry.deasserted) {
    any = at->second.erase(entry.offset) > 0;
  } else if (state.verdict == Verdict::nominal) {  // ends the other states of that sensor
    for (const int offset : lasting(at->second, entry.reading_type, entry.sensor_type, meaning))
      any = at->second.erase(offset) > 0 || any;
  }
  const bool over =
      any && lasting(at->second, entry.reading_type, entry.sensor_type, meaning).empty();
  if (at->second.empty()) asserted.erase(at);
  return over;
}

std::vector<sdk::OutEvent> News::of(const SelEntry& entry, const Around& around) {
  std::vector<sdk::OutEvent> events;
  if (!entry.is_event()) return events;
  const Sensor* sensor = around.sdr.find(entry.owner, entry.sensor, entry.sensor_type);
  const State state = around.meaning.of(entry.reading_type, entry.sensor_type, entry.offset);
  const bool read = is_read(sensor, around.watch);
  sdk::OutEvent event;
  event.resource = around.owners.of(sensor, entry, around.sdr);
  if (event.resource.empty())
    event.resource = sensor ? sensor_fmri(around.system, *sensor) : bmc_fmri(around.system);
  event.time_ns = time_of(entry, around.bmc_now, around.now_ns);
  event.payload = {
      {"sensor", sensor && !sensor->name.empty() ? sensor->name
                                                 : around.meaning.type_name(entry.sensor_type)},
      {"sensor_type", around.meaning.type_name(entry.sensor_type)},
      {"offset", entry.offset},
      {"text", state.text},
      {"verdict", verdict_name(state.verdict)},
      {"deasserted", entry.deasserted},
      {"record", entry.id},
      {"logged",
       is_dated(entry, around.bmc_now) ? hardware::utc_text(event.time_ns) : "an unknown time"},
      {"data2", entry.data2},
      {"data3", entry.data3}};
  event.event_class = "sysevent.ipmi.entry";
  const std::string why = doubt(entry, around);
  const bool bad = !entry.deasserted && is_bad(state.verdict) && (!read || !state.lasts);
  if (bad && !why.empty()) {
    event.payload["why"] = why;
  } else if (bad) {
    event.event_class = "ereport.ipmi." + (state.condition.empty() ? "state" : state.condition);
    asserted[{entry.owner, entry.sensor}].insert(entry.offset);
  } else if (taken_back(entry, state, around.meaning)) {
    event.event_class = "sysevent.ipmi.cleared";
  }
  events.push_back(std::move(event));
  return events;
}

std::vector<sdk::OutEvent> News::of_readable_again(const Around& around) {
  std::vector<sdk::OutEvent> events;
  for (auto at = asserted.begin(); at != asserted.end();) {
    const auto& [owner, number] = at->first;
    const Sensor* sensor = around.sdr.find(number);
    const std::set<int> over =
        owner == owner::kBmc && is_read(sensor, around.watch)
            ? lasting(at->second, sensor->reading_type, sensor->type, around.meaning)
            : std::set<int>();
    if (over.empty()) {
      ++at;
      continue;
    }
    sdk::OutEvent event;
    event.event_class = "sysevent.ipmi.cleared";
    SelEntry entry;
    entry.sensor_type = sensor->type;
    event.resource = around.owners.of(sensor, entry, around.sdr);
    if (event.resource.empty()) event.resource = sensor_fmri(around.system, *sensor);
    event.time_ns = around.now_ns;
    event.payload = {{"sensor", sensor->name},
                     {"sensor_type", around.meaning.type_name(sensor->type)},
                     {"offset", *over.begin()},
                     {"text", "its reading tells again"},
                     {"verdict", verdict_name(Verdict::nominal)},
                     {"deasserted", true},
                     {"record", 0}};
    events.push_back(std::move(event));
    for (const int offset : over) at->second.erase(offset);
    at = at->second.empty() ? asserted.erase(at) : std::next(at);
  }
  return events;
}

}  // namespace fmd::ipmi
