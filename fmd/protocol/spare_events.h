// SpareEvents: written events whose buffers are reused, so that a storm allocates no memory. Keeps
// as many as recent commits had, without long ones, and frees them after the storm.
#pragma once
#include <cstddef>
#include <vector>

#include "fmd/model/event_list.h"

namespace fmd::protocol {

class SpareEvents {
 public:
  static constexpr size_t kMost = 16000;
  static constexpr size_t kLongest = 4096;  // bytes of a payload
  static constexpr size_t kWidest = 32;     // members that it has capacity for

  EventPtr take();  // an empty event
  void give(EventList used);
  size_t count() const { return spare_.size(); }

 private:
  std::vector<EventPtr> spare_;
  size_t usual_ = 0;  // events of a commit; falls slowly
};

// This thread's spare events.
SpareEvents& spare_events();

}  // namespace fmd::protocol
