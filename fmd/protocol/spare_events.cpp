#include "fmd/protocol/spare_events.h"

#include <algorithm>
#include <utility>

namespace fmd::protocol {

EventPtr SpareEvents::take() {
  if (spare_.empty()) return std::make_unique<Event>();
  EventPtr event = std::move(spare_.back());
  spare_.pop_back();
  event->seq = 0;
  event->event_class.clear();
  event->resource.clear();
  event->time_ns = event->received_ns = 0;
  event->ena = 0;
  event->source.clear();
  event->payload.clear();
  event->payload_json.clear();
  return event;
}

void SpareEvents::give(EventList used) {
  usual_ = std::max(used.size(), usual_ - (usual_ + 7) / 8);
  // While the events of one commit are written, the next ones are read.
  const size_t most = std::min(kMost, 2 * usual_);
  if (spare_.size() > most) {
    spare_.resize(most);
    spare_.shrink_to_fit();
  }
  for (size_t i = 0; i < used.size() && spare_.size() < most; ++i)
    if (used[i].payload_json.capacity() <= kLongest && used[i].payload.room() <= kWidest)
      spare_.push_back(used.take(i));
}

SpareEvents& spare_events() {
  thread_local SpareEvents events;
  return events;
}

}  // namespace fmd::protocol
