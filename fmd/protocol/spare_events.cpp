#include "fmd/protocol/spare_events.h"

#include <algorithm>
#include <utility>

namespace fmd::protocol {

void SpareEvents::take(Event& into) {
  if (spare_.empty()) {
    into = Event();
    return;
  }
  into = std::move(spare_.back());
  spare_.pop_back();
  into.seq = 0;
  into.event_class.clear();
  into.resource.clear();
  into.time_ns = into.received_ns = 0;
  into.ena = 0;
  into.source.clear();
  into.payload.clear();
  into.payload_json.clear();
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
    if (event.payload_json.capacity() <= kLongest && event.payload.room() <= kWidest)
      spare_.push_back(std::move(event));
  }
}

SpareEvents& spare_events() {
  thread_local SpareEvents events;
  return events;
}

}  // namespace fmd::protocol
