// EventQueue: a plugin's events from send_events() to the core's ack. Pure: no socket, no clock.
//
// queued ──take()──▶ in flight ──acked()──▶ gone
//    ▲                   │ reconnected(): batches that the core does not have, in order
//    └───────────────────┘
//
// Batches that the core has in memory while its disk accepts nothing, kept(), stay in flight and do
// not block other batches. The core commits a cursor with each batch, so that after a reconnect the
// queue knows which batches without an ack were committed: nothing is lost and nothing sent twice.
// A batch without a cursor of the source gets one from the SDK: the source's last one + "#sdk-" +
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
  static constexpr size_t kMaxBatches = 8;              // in flight
  static constexpr size_t kMaxEvents = 1000;            // per batch
  static constexpr size_t kMaxBytes = 512 << 10;        // per batch, well below the longest line
  static constexpr size_t kMaxEventBytes = 256 << 10;   // a larger event loses its payload
  static constexpr size_t kMaxCursorBytes = 384 << 10;  // each batch has one

  // instance: distinguishes this process's own cursors from those of earlier processes.
  explicit EventQueue(std::string instance) : instance_(std::move(instance)) {}

  // cursor: the source's, after the last of these events; "" if it has none.
  void push(const std::vector<OutEvent>& events, const std::string& cursor);
  // The next batch as a complete request line with this id; nothing if none is queued or 8 are in
  // flight.
  std::optional<std::string> take(uint64_t request_id);
  // The core has that request in memory but cannot write it now; it no longer counts as in flight.
  void kept(uint64_t request_id);
  // Returns the number of events in the acknowledged batch.
  std::optional<size_t> acked(uint64_t request_id);
  // Everything up to that cursor is on disk; for batches sent over an earlier connection.
  void written(const std::string& cursor);
  // After a (re)connection: the core's cursors, on disk and in its memory ("" none). Batches on
  // disk are dropped, those in its memory wait, the rest is queued again. Returns the source's
  // cursor after all events that the core has or will get from the queue; nothing if the core has
  // lost events on which this process's start cursor relied: read the source again.
  std::optional<std::string> reconnected(const std::string& committed, const std::string& kept);
  size_t size() const { return size_; }  // events queued and in flight

 private:
  struct Item {
    std::string json;    // empty: only a cursor
    std::string cursor;  // the source's, after this event; "" unknown
  };
  struct Batch {
    uint64_t request_id;
    std::string cursor;  // as sent
    std::vector<Item> items;
    bool kept = false;  // in the core's memory
  };
  using Batches = std::deque<Batch>;
  Batches::iterator of_cursor(const std::string& cursor);
  size_t drop(Batches::iterator first, Batches::iterator end);  // returns the number of events
  std::string own_cursor(const std::string& after);

  std::string instance_;
  std::deque<Item> queued_;
  Batches in_flight_;
  bool been_there_ = false;
  std::string began_behind_;  // start cursor that was only in the core's memory; "" once on disk
  std::string sent_cursor_;   // the source's cursor in the last batch sent
  uint64_t own_number_ = 0;
  size_t size_ = 0;
};

}  // namespace fmd::sdk
