#include "plugins/ipmi/news.h"

#include "plugins/ipmi/parts.h"

namespace fmd::ipmi {
namespace {

// What can be read is judged by its reading: an entry of the log may be old, or never taken back.
bool is_read(const Sensor* sensor, const Watch& watch) {
  if (!sensor || sensor->event_only) return false;
  const Reading* now = watch.confirmed(sensor->number);
  return now && now->available;
}

}  // namespace

std::vector<sdk::OutEvent> News::of(const SelEntry& entry, const Around& around) {
  std::vector<sdk::OutEvent> events;
  if (!entry.is_event()) return events;
  const Sensor* sensor = entry.from_bmc ? around.sdr.find(entry.sensor) : nullptr;
  const State state = around.meaning.of(entry.reading_type, entry.sensor_type, entry.offset);
  const bool read = is_read(sensor, around.watch);
  sdk::OutEvent event;
  event.resource = around.owners.of(sensor, entry, around.sdr);
  if (event.resource.empty())
    event.resource = sensor ? sensor_fmri(around.system, entry.sensor) : bmc_fmri(around.system);
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
      {"data2", entry.data2},
      {"data3", entry.data3}};
  event.event_class = "sysevent.ipmi.entry";
  const bool bad = is_bad(state.verdict);
  if (!entry.deasserted && bad && !state.condition.empty()) {
    event.event_class = "ereport.ipmi." + state.condition;
  } else if (!entry.deasserted && bad && !read) {
    event.event_class = "ereport.ipmi.state";
    asserted[entry.sensor].insert(entry.offset);
  } else if (const auto at = asserted.find(entry.sensor); at != asserted.end()) {
    if (entry.deasserted) at->second.erase(entry.offset);
    // A state that is well takes back the others of that sensor.
    if (!entry.deasserted && state.verdict == Verdict::nominal) at->second.clear();
    if (at->second.empty()) {
      asserted.erase(at);
      event.event_class = "sysevent.ipmi.cleared";
    }
  }
  events.push_back(std::move(event));
  return events;
}

std::vector<sdk::OutEvent> News::of_readable_again(const Around& around) {
  std::vector<sdk::OutEvent> events;
  for (auto at = asserted.begin(); at != asserted.end();) {
    const Sensor* sensor = around.sdr.find(at->first);
    if (!is_read(sensor, around.watch)) {
      ++at;
      continue;
    }
    sdk::OutEvent event;
    event.event_class = "sysevent.ipmi.cleared";
    SelEntry entry;
    entry.sensor_type = sensor->type;
    event.resource = around.owners.of(sensor, entry, around.sdr);
    if (event.resource.empty()) event.resource = sensor_fmri(around.system, at->first);
    event.time_ns = around.now_ns;
    event.payload = {{"sensor", sensor->name},
                     {"sensor_type", around.meaning.type_name(sensor->type)},
                     {"offset", *at->second.begin()},
                     {"text", "its reading tells again"},
                     {"verdict", verdict_name(Verdict::nominal)},
                     {"deasserted", true},
                     {"record", 0}};
    events.push_back(std::move(event));
    at = asserted.erase(at);
  }
  return events;
}

}  // namespace fmd::ipmi
