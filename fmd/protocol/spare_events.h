// SpareEvents: written events whose buffers are reused for the next messages, so that a storm
// allocates no memory. It keeps as many as the last commits had, without long ones, and frees them
// after the storm.
#pragma once
#include <cstddef>
#include <vector>

#include "fmd/model/event_list.h"

namespace fmd::protocol {

class SpareEvents {
 public:
  static constexpr size_t kMost = 16000;
  static constexpr size_t kLongest = 4096;  // bytes of a payload
  static constexpr size_t kWidest = 32;     // members that it has room for

  EventPtr take();  // an empty one
  void give(EventList used);
  size_t count() const { return spare_.size(); }

 private:
  std::vector<EventPtr> spare_;
  size_t usual_ = 0;  // of a commit, falling slowly
};

// This thread's.
SpareEvents& spare_events();

}  // namespace fmd::protocol
