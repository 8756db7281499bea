// EventList: events on their way from a source to the journal. They stay in place; only small
// handles are passed on. In a storm each event is passed on four times, and its memory is reused.
#pragma once
#include <cstddef>
#include <initializer_list>
#include <iterator>
#include <memory>
#include <utility>
#include <vector>

#include "fmd/model/event.h"

namespace fmd {

using EventPtr = std::unique_ptr<Event>;  // never none

class EventList {
  template <class At, class One>
  struct Iterator {
    At at;
    One& operator*() const { return **at; }
    Iterator& operator++() {
      ++at;
      return *this;
    }
    bool operator==(const Iterator&) const = default;
  };
  using Events = std::vector<EventPtr>;

 public:
  EventList() = default;
  EventList(std::vector<Event> events) {
    reserve(events.size());
    for (Event& event : events) push_back(std::move(event));
  }
  EventList(std::initializer_list<Event> events) : EventList(std::vector<Event>(events)) {}

  size_t size() const { return events_.size(); }
  bool empty() const { return events_.empty(); }
  void reserve(size_t count) { events_.reserve(count); }
  void add(EventPtr event) { events_.push_back(std::move(event)); }
  void push_back(Event event) { add(std::make_unique<Event>(std::move(event))); }
  void append(EventList from) {
    if (empty()) return std::swap(events_, from.events_);
    events_.insert(events_.end(), std::make_move_iterator(from.events_.begin()),
                   std::make_move_iterator(from.events_.end()));
  }
  // Empties its place, which must not be read again.
  EventPtr take(size_t at) { return std::move(events_[at]); }

  Event& operator[](size_t at) { return *events_[at]; }
  const Event& operator[](size_t at) const { return *events_[at]; }
  auto begin() { return Iterator<Events::iterator, Event>{events_.begin()}; }
  auto end() { return Iterator<Events::iterator, Event>{events_.end()}; }
  auto begin() const { return Iterator<Events::const_iterator, const Event>{events_.begin()}; }
  auto end() const { return Iterator<Events::const_iterator, const Event>{events_.end()}; }

 private:
  Events events_;
};

}  // namespace fmd
