// EventSource: reads zfs's events and hands them on, from where the core's cursor says.
//
//   start() ─▶ `zpool events -v` (the ring as it is: which epoch is this?) ─▶ `zpool events -v -f`
//                  ▲                                                              │ ended
//                  └───────────────────── back-off 1 s .. 60 s ◀──────────────────┘
//
// Events are handed on in batches, 20 ms apart. Numbers that are missing become
// ereport.fmd.plugin.events_lost. An event whose number was taken already is a text inside an
// event's string that only looks like one (user properties with line ends in them): it and what
// came behind its like in the batch is dropped.
//
// vdev_clear and vdev_online wait until it is known who caused them, and what comes after them waits
// behind them: order and cursor stay true, and a new run reads them again. Single thread, on the
// loop.
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
    // Each event of the ring and of the stream, also those sent before: to learn from. fresh: not
    // sent before.
    std::function<void(const ZpoolEvent&, bool fresh)> seen;
    std::function<bool(const ZpoolEvent&)> own_echo;  // caused by a command of ours: left out
    // Who caused it: answer with the word for the payload's "by", from the loop, in bounded time.
    std::function<void(const ZpoolEvent&, std::function<void(std::string_view)> answer)> cause;
    std::function<void()> lost;                       // look at everything anew
    std::function<void(const std::string&)> trouble;  // "" over
    std::function<void()> settled;  // sent what there was: no event waits for its cause
  };

  EventSource(sd_event* loop, sdk::Host& host, EventContext context, Sinks sinks);
  // The core's cursor after each connecting. Where the reading stands there it goes on; else it
  // stops, and start() begins anew from the cursor.
  void connected(const std::string& cursor);
  void start();         // nothing when it reads already
  bool asking() const;  // an event waits until it is known who caused it
  // One that ZFS has not posted, among the others.
  void add(sdk::OutEvent event);

 private:
  struct Pending {
    uint64_t eid;
    sdk::OutEvent event;
    std::string cursor;
    bool open = false;  // who caused it is not known yet
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
  uint64_t generation_ = 0;  // of the reading: an answer to an earlier one is dropped
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
  std::chrono::milliseconds wait_;
  sdk::Timer flush_, gaps_, resume_, retry_;
};

}  // namespace fmd::zfs
