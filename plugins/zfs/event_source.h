// EventSource: reads zfs's events from fmd's cursor on and passes them on.
//
//   start() ─▶ `zpool events -v` (the ring as it is: which epoch is this?) ─▶ `zpool events -v -f`
//                  ▲                                                              │ ended
//                  └───────────────────── back-off 1 s .. 60 s ◀──────────────────┘
//
// Events are passed on in batches every 20 ms. Missing numbers become
// ereport.fmd.plugin.events_lost. If a number was already used, the event is text inside another
// event's string (user properties may contain newlines): it is dropped, with the events after it in
// the batch.
//
// vdev_clear and vdev_online wait until their cause is known, and later events wait behind them:
// this keeps order and cursor correct, and a restarted plugin reads them again. Single thread, on
// the loop.
#pragma once
#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "plugins/sdk/host.h"
#include "plugins/sdk/messages.h"
#include "plugins/sdk/plugin.h"
#include "plugins/sdk/timer.h"
#include "plugins/zfs/eid_tracker.h"
#include "plugins/zfs/event_convert.h"
#include "plugins/zfs/zpool_events.h"

namespace fmd::zfs {

class EventSource {
 public:
  struct Sinks {
    std::function<void(std::vector<sdk::OutEvent>, std::string cursor)> send;
    std::function<size_t()> unacked;
    // Every event of the ring and the stream, also those already sent, to learn from. fresh: not
    // sent before.
    std::function<void(const ZpoolEvent&, bool fresh)> seen;
    std::function<bool(const ZpoolEvent&)> own_echo;  // caused by a command of ours: omitted
    // Finds its cause; call answer() with the value of "by" from the loop, in bounded time.
    std::function<void(const ZpoolEvent&, std::function<void(std::string_view)> answer)> cause;
    std::function<void()> lost;                       // events were lost: look at everything again
    std::function<void(const std::string&)> trouble;  // "": over
    std::function<void()> settled;  // everything is sent, no event waits for its cause
  };

  EventSource(sd_event* loop, sdk::Host& host, EventContext context, Sinks sinks);
  // fmd's cursor after each connection. Continues if it is where the reading is; otherwise stops,
  // and start() begins again from the cursor.
  void connected(const std::string& cursor);
  void start();         // no effect if it is reading
  bool asking() const;  // an event waits for its cause
  // Adds an event that ZFS does not post.
  void add(sdk::OutEvent event);

 private:
  struct Pending {
    uint64_t eid;
    sdk::OutEvent event;
    std::string cursor;
    bool open = false;  // its cause is not known yet
  };
  void stop();
  void read_ring();
  void follow();
  void take(ZpoolEvent event);
  void caused(uint64_t eid, std::string_view by);
  void drop_from(uint64_t eid);
  void report_lost();
  void flush();
  void throttle();
  void retry(const std::string& why);

  sdk::Host& host_;
  EventContext context_;
  Sinks sinks_;
  ZpoolEventParser parser_;
  EidTracker tracker_;
  std::shared_ptr<sdk::Host::Stream> stream_;
  std::vector<Pending> batch_;
  std::string sent_cursor_;
  bool started_ = false, paused_ = false;
  uint64_t damaged_told_ = 0;
  uint64_t generation_ = 0;  // of the reading; answers to an earlier one are dropped
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
  std::chrono::milliseconds wait_;
  sdk::Timer flush_, gaps_, resume_, retry_;
};

}  // namespace fmd::zfs
