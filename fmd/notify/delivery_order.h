// DeliveryOrder: which waiting message is sent next. Messages to one channel about one case are
// sent in order of creation; a message about several cases (a digest) waits for the earlier ones
// about each of them. Costs do not depend on the number of waiting messages. Owned by the outbox.
// Pure, single thread; times are steady, in ns.
//
//   add ─▶ resting ─release▶ released ─take▶ taken ─remove▶ (gone)
//                               ▲              │
//                               └──release─────┘  it was refused, and is tried again later
#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>

namespace fmd {

class DeliveryOrder {
 public:
  // Order of creation, and a name for messages of equal order.
  using Place = std::pair<uint64_t, std::string>;
  static constexpr size_t kMostTaken = 4;  // per channel at a time

  void add(const Place& place, std::string channel, std::set<std::string> cases);
  void add_case(const Place& place, const std::string& uuid);
  void release(const Place& place, int64_t not_before_ns);
  void remove(const Place& place);

  void advance(int64_t now_ns);
  // The first message of the channel that may be sent now. Empty: none, or kMostTaken are taken.
  std::optional<Place> take(std::string_view channel);
  std::optional<int64_t> next_ns() const;               // next time to call advance()
  std::set<std::string, std::less<>> channels() const;  // with messages here
  bool any(std::string_view channel) const { return queues_.contains(channel); }

 private:
  enum class State { resting, released, taken };
  struct Message {
    std::string channel;
    std::set<std::string> cases;
    State state = State::resting;
    int64_t not_before_ns = 0;
  };
  struct Queue {  // of a channel; never empty
    std::map<std::string, std::set<Place>, std::less<>> by_case;
    std::set<Place> ready;  // released, due, and first in each of their cases
    size_t taken = 0;
  };

  static bool is_first(const Queue& queue, const Place& place, const Message& message);
  void enter(Queue& queue, const Place& place, const std::string& uuid);
  void look(const Place& place);
  void set_state(Message& message, State state);

  std::map<Place, Message> messages_;
  std::map<std::string, Queue, std::less<>> queues_;
  std::set<std::pair<int64_t, Place>> later_;  // by the time from which they may be sent
  int64_t now_ns_ = 0;                         // of the last advance()
};

}  // namespace fmd
