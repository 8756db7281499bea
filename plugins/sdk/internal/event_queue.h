// EventQueue: a plugin's events from send_events() to the core's ack. Pure: no socket, no clock.
//
// queued ──take()──▶ in flight ──acked()──▶ gone
//    ▲                   │ reconnected(): what the core has not committed goes back, in order
//    └───────────────────┘
//
// Batches that the core has in memory while its disk accepts nothing, kept(), stay in flight and do
// not block other batches. The core commits a cursor with each batch. After a reconnect the queue
// thus knows which batches without an ack were committed: nothing is lost and nothing sent twice. A
// batch without a cursor of the source gets one from the SDK: the source's last one + "#sdk-" +
// instance + "-" + number.
#pragma once
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <vector>

namespace fmd::sdk {

struct OutEvent;

class EventQueue {
 public:
  static constexpr size_t kMaxBatches = 8;             // on their way at once
  static constexpr size_t kMaxEvents = 1000;           // a batch
  static constexpr size_t kMaxBytes = 512 << 10;       // a batch, far enough below the longest line
  static constexpr size_t kMaxEventBytes = 256 << 10;  // a bigger one loses its payload

  // instance: distinguishes this process's own cursors from an earlier one's.
  explicit EventQueue(std::string instance) : instance_(std::move(instance)) {}

  // cursor: of the source after the last of these events; "" when it has none.
  void push(const std::vector<OutEvent>& events, const std::string& cursor);
  // The next batch as a whole request line with this id; nothing when there is none or 8 are in
  // flight.
  std::optional<std::string> take(uint64_t request_id);
  // The core has that request in memory and cannot write now: the next may go.
  void kept(uint64_t request_id);
  // How many events that ack was for.
  std::optional<size_t> acked(uint64_t request_id);
  // All up to that cursor is on disk: of what was sent over a connection before.
  void written(const std::string& cursor);
  // After a (re)connection: the core's cursors, on disk and in its memory ("" nothing). What is on disk is dropped, what is
  // in its memory waits, the rest is queued again. Returns the source's cursor behind everything the core has or will get
  // from the queue; nothing when the core has lost what this process began behind: the source is to be read again.
  std::optional<std::string> reconnected(const std::string& committed, const std::string& kept);
  size_t size() const { return size_; }  // events queued and in flight

 private:
  struct Item {
    std::string json;    // empty: only a cursor
    std::string cursor;  // of the source, after this event; "" unknown
  };
  struct Batch {
    uint64_t request_id;
    std::string cursor;  // as sent
    std::vector<Item> items;
    bool kept = false;  // by the core
  };
  using Batches = std::deque<Batch>;
  Batches::iterator of_cursor(const std::string& cursor);
  size_t drop(Batches::iterator first, Batches::iterator end);  // how many events
  std::string own_cursor(const std::string& after);

  std::string instance_;
  std::deque<Item> queued_;
  Batches in_flight_;
  bool been_there_ = false;
  std::string
      began_behind_;  // what only the core's memory had when this process came; "" all is on disk since
  std::string sent_cursor_;  // the source's cursor as of the last batch sent
  uint64_t own_number_ = 0;
  size_t size_ = 0;
};

}  // namespace fmd::sdk
