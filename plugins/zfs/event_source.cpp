#include "plugins/zfs/event_source.h"

#include <fmt/format.h>
#include <syslog.h>

#include <algorithm>

#include "fmd/base/json.h"
#include "fmd/base/text.h"
#include "plugins/sdk/messages.h"
#include "plugins/zfs/observer.h"

namespace fmd::zfs {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kFirstWait{1000}, kLongestWait{60000}, kBatch{20}, kGapCheck{1100},
    kResumeCheck{50};
constexpr milliseconds kRingDeadline{20000};
constexpr size_t kMaxBatch = 500;
constexpr size_t kPauseAbove = 8000, kResumeBelow = 4000;
constexpr std::string_view kBootId = "/proc/sys/kernel/random/boot_id";

bool wants_cause(const ZpoolEvent& event) {
  return event.event_class == "sysevent.fs.zfs.vdev_clear" ||
         event.event_class == "sysevent.fs.zfs.vdev_online";
}

}  // namespace

EventSource::EventSource(sd_event* loop, sdk::Host& host, EventContext context, Sinks sinks)
    : host_(host),
      context_(std::move(context)),
      sinks_(std::move(sinks)),
      wait_(kFirstWait),
      flush_(loop),
      gaps_(loop),
      resume_(loop),
      retry_(loop) {}

void EventSource::connected(const std::string& cursor) {
  if (started_ && cursor == sent_cursor_) return;
  stop();
  started_ = false;
  sent_cursor_ = cursor;
  batch_.clear();
}

void EventSource::start() {
  if (!std::exchange(started_, true)) read_ring();
}

void EventSource::stop() {
  ++generation_;
  stream_.reset();
  for (sdk::Timer* timer : {&retry_, &gaps_, &flush_, &resume_}) timer->stop();
  paused_ = false;
}

void EventSource::read_ring() {
  stop();
  batch_.clear();  // its events are after the cursor and will be read again
  const uint64_t generation = generation_;
  host_.run({"zpool", "events", "-v"}, kRingDeadline,
            [this, generation](const sdk::CommandOutput& output) {
              if (generation != generation_) return;
              if (!output.ok()) return retry(output.explain("zpool events"));
              std::vector<std::pair<uint64_t, int64_t>> ring;
              for (const ZpoolEvent& event : parse_zpool_events(output.out)) {
                ring.emplace_back(event.eid, event.time_ns);
                sinks_.seen(event, false);
              }
              auto boot = host_.read(kBootId);
              tracker_.begin(EventCursor::parse(sent_cursor_), boot ? *boot : "unknown", ring);
              follow();
            });
}

void EventSource::follow() {
  parser_.reset();
  auto line = [this](std::string_view text) {
    if (auto event = parser_.line(text)) take(std::move(*event));
  };
  auto ended = [this](const sdk::CommandOutput& output) {
    retry(output.explain("zpool events -f"));
  };
  stream_ = host_.stream({"zpool", "events", "-v", "-f"}, line, ended);
  if (sinks_.trouble) sinks_.trouble("");
}

void EventSource::retry(const std::string& why) {
  flush();
  if (sinks_.trouble) sinks_.trouble(why);
  const auto wait = wait_;
  wait_ = std::min(wait_ * 2, kLongestWait);
  // Deferred: read_ring() destroys the stream whose callback this is.
  retry_.start(wait, [this] { read_ring(); });
}

void EventSource::take(ZpoolEvent event) {
  wait_ = kFirstWait;
  const int64_t now_ns = wall_clock_ns();
  switch (tracker_.take(event.eid, event.time_ns, now_ns)) {
    case EidTracker::Verdict::old:
      return;
    case EidTracker::Verdict::foreign:
      return drop_from(event.eid);
    case EidTracker::Verdict::fresh:
      break;
  }
  if (tracker_.waiting() && !gaps_.running()) gaps_.start(kGapCheck, [this] { report_lost(); });
  sinks_.seen(event, true);
  auto out = to_event(event, context_);
  if (!out || (sinks_.own_echo && sinks_.own_echo(event))) return;
  const bool open = sinks_.cause && wants_cause(event);
  batch_.push_back({event.eid, std::move(*out), tracker_.cursor().str(), open});
  if (open) {
    auto alive = std::weak_ptr<bool>(alive_);
    sinks_.cause(event,
                 [this, alive, generation = generation_, eid = event.eid](std::string_view by) {
                   if (!alive.expired() && generation == generation_) caused(eid, by);
                 });
  }
  if (batch_.size() >= kMaxBatch) return flush();
  if (!flush_.running()) flush_.start(kBatch, [this] { flush(); });
}

void EventSource::add(sdk::OutEvent event) {
  batch_.push_back({0, std::move(event), tracker_.cursor().str()});
  if (!flush_.running()) flush_.start(kBatch, [this] { flush(); });
}

bool EventSource::asking() const {
  return std::any_of(batch_.begin(), batch_.end(), [](const Pending& p) { return p.open; });
}

void EventSource::caused(uint64_t eid, std::string_view by) {
  for (Pending& pending : batch_) {
    if (!pending.open || pending.eid != eid) continue;
    pending.event.payload["by"] = by;
    pending.open = false;
  }
  flush();
}

void EventSource::drop_from(uint64_t eid) {
  const auto forged =
      std::find_if(batch_.begin(), batch_.end(), [&](const Pending& p) { return p.eid >= eid; });
  sdk::log(LOG_WARNING,
           fmt::format(
               "zpool events: number {} came twice: a string that looks like an event; {} dropped",
               eid, std::distance(forged, batch_.end()) + 1));
  batch_.erase(forged, batch_.end());
  tracker_.rewind(eid);
}

void EventSource::report_lost() {
  const int64_t now_ns = wall_clock_ns();
  bool any = false;
  for (const EidTracker::Gap& gap : tracker_.lost(now_ns)) {
    any = true;
    sdk::OutEvent event;
    event.event_class = "ereport.fmd.plugin.events_lost";
    event.resource = "fmd://plugin=zfs";
    event.time_ns = now_ns;
    event.payload = {{"from", gap.from}, {"to", gap.to}, {"count", gap.to - gap.from + 1}};
    batch_.push_back({0, std::move(event), tracker_.cursor().str()});
  }
  if (tracker_.waiting()) gaps_.start(kGapCheck, [this] { report_lost(); });
  if (!any) return;
  flush();
  if (sinks_.lost) sinks_.lost();
}

void EventSource::flush() {
  flush_.stop();
  if (const uint64_t damaged = parser_.damaged(); damaged != std::exchange(damaged_told_, damaged))
    sdk::log(LOG_WARNING, fmt::format("zpool events: {} blocks not understood so far", damaged));
  while (!batch_.empty() && !batch_.front().open) {
    std::vector<sdk::OutEvent> events;
    auto pending = batch_.begin();
    for (; pending != batch_.end() && !pending->open && events.size() < kMaxBatch; ++pending) {
      events.push_back(std::move(pending->event));
      sent_cursor_ = std::move(pending->cursor);
    }
    batch_.erase(batch_.begin(), pending);
    sinks_.send(std::move(events), sent_cursor_);
  }
  if (batch_.empty() && sinks_.settled) sinks_.settled();
  throttle();
}

void EventSource::throttle() {
  const size_t unacked = batch_.size() + (sinks_.unacked ? sinks_.unacked() : 0);
  const bool pause = unacked > (paused_ ? kResumeBelow : kPauseAbove);
  if (stream_ && pause != paused_) stream_->pause(pause);
  paused_ = pause;
  if (paused_) resume_.start(kResumeCheck, [this] { throttle(); });
}

}  // namespace fmd::zfs
