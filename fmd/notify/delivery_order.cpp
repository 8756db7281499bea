#include "fmd/notify/delivery_order.h"

#include <algorithm>

namespace fmd {

void DeliveryOrder::add(const Place& place, std::string channel, std::set<std::string> cases) {
  Queue& queue = queues_[channel];
  const Message& added =
      messages_.insert_or_assign(place, Message{std::move(channel), std::move(cases)})
          .first->second;
  for (const std::string& uuid : added.cases) enter(queue, place, uuid);
}

void DeliveryOrder::add_case(const Place& place, const std::string& uuid) {
  Message& message = messages_.at(place);
  if (message.cases.insert(uuid).second) enter(queues_.at(message.channel), place, uuid);
}

void DeliveryOrder::enter(Queue& queue, const Place& place, const std::string& uuid) {
  std::set<Place>& of_case = queue.by_case[uuid];
  of_case.insert(place);
  // The previously first message may now be behind this one.
  for (auto at = of_case.begin(); at != of_case.end() && at != std::next(of_case.begin(), 2); ++at)
    look(*at);
}

void DeliveryOrder::release(const Place& place, int64_t not_before_ns) {
  Message& message = messages_.at(place);
  set_state(message, State::released);
  message.not_before_ns = not_before_ns;
  if (not_before_ns > now_ns_)
    later_.emplace(not_before_ns, place);
  else
    look(place);
}

void DeliveryOrder::remove(const Place& place) {
  const auto at = messages_.find(place);
  if (at == messages_.end()) return;
  Message& message = at->second;
  set_state(message, State::resting);
  later_.erase({message.not_before_ns, place});
  Queue& queue = queues_.at(message.channel);
  queue.ready.erase(place);
  for (const std::string& uuid : message.cases) {
    const auto of_case = queue.by_case.find(uuid);
    of_case->second.erase(place);
    if (of_case->second.empty())
      queue.by_case.erase(of_case);
    else
      look(*of_case->second.begin());
  }
  if (queue.by_case.empty()) queues_.erase(message.channel);
  messages_.erase(at);
}

void DeliveryOrder::advance(int64_t now_ns) {
  now_ns_ = now_ns;
  while (!later_.empty() && later_.begin()->first <= now_ns)
    look(later_.extract(later_.begin()).value().second);
}

std::optional<DeliveryOrder::Place> DeliveryOrder::take(std::string_view channel) {
  const auto queue = queues_.find(channel);
  if (queue == queues_.end() || queue->second.ready.empty()) return {};
  if (queue->second.taken >= kMostTaken) return {};
  Place first = queue->second.ready.extract(queue->second.ready.begin()).value();
  set_state(messages_.at(first), State::taken);
  return first;
}

std::optional<int64_t> DeliveryOrder::next_ns() const {
  if (later_.empty()) return {};
  return later_.begin()->first;
}

std::set<std::string, std::less<>> DeliveryOrder::channels() const {
  std::set<std::string, std::less<>> out;
  for (const auto& [channel, queue] : queues_) out.insert(channel);
  return out;
}

bool DeliveryOrder::is_first(const Queue& queue, const Place& place, const Message& message) {
  return std::all_of(message.cases.begin(), message.cases.end(), [&](const std::string& uuid) {
    return *queue.by_case.at(uuid).begin() == place;
  });
}

// While add() enters a message case by case, it is resting, so is_first() is not called.
void DeliveryOrder::look(const Place& place) {
  const Message& message = messages_.at(place);
  Queue& queue = queues_.at(message.channel);
  if (message.state == State::released && !later_.contains({message.not_before_ns, place}) &&
      is_first(queue, place, message))
    queue.ready.insert(place);
  else
    queue.ready.erase(place);
}

void DeliveryOrder::set_state(Message& message, State state) {
  size_t& taken = queues_.at(message.channel).taken;
  if (message.state == State::taken) --taken;
  if (state == State::taken) ++taken;
  message.state = state;
}

}  // namespace fmd
