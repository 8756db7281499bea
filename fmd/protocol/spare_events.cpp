#include "fmd/protocol/spare_events.h"

#include <algorithm>
#include <utility>

namespace fmd::protocol {

Event SpareEvents::take() {
  if (spare_.empty()) return {};
  Event event = std::move(spare_.back());
  spare_.pop_back();
  event.seq = 0;
  event.event_class.clear();
  event.resource.clear();
  event.time_ns = event.received_ns = 0;
  event.ena = 0;
  event.source.clear();
  event.payload.clear();
  event.payload_json.clear();
  return event;
}

void SpareEvents::give(std::vector<Event> used) {
  usual_ = std::max(used.size(), usual_ - (usual_ + 7) / 8);
  // One commit's events are being read while another's are written.
  const size_t most = std::min(kMost, 2 * usual_);
  if (spare_.size() > most) {
    spare_.resize(most);
    spare_.shrink_to_fit();
  }
  for (Event& event : used) {
    if (spare_.size() >= most) return;
    if (event.payload_json.capacity() <= kLongest && event.payload.members().capacity() <= kWidest)
      spare_.push_back(std::move(event));
  }
}

SpareEvents& spare_events() {
  thread_local SpareEvents events;
  return events;
}

}  // namespace fmd::protocol
