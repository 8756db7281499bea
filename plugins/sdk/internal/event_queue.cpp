#include "plugins/sdk/internal/event_queue.h"

#include <syslog.h>

#include <algorithm>
#include <iterator>

#include "fmd/base/json.h"
#include "plugins/sdk/messages.h"
#include "plugins/sdk/plugin.h"

namespace fmd::sdk {
namespace {

std::string dump(const nlohmann::json& value) {
  return value.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

std::string to_text(const OutEvent& event) {
  nlohmann::json document{{"class", event.event_class},
                          {"resource", event.resource},
                          {"time", event.time_ns},
                          {"ena", event.ena},
                          {"payload", event.payload}};
  std::string text = dump(document);
  if (text.size() <= EventQueue::kMaxEventBytes) return text;
  // Better an event without its details than none, or a line so long that fmd disconnects the
  // plugin.
  document["payload"] = {{"payload_dropped_bytes", text.size()}};
  return dump(document);
}

constexpr std::string_view kOwn = "#sdk-";
constexpr uint64_t kNoRequest = 0;  // the core got the batch over an earlier connection

// The source's part of a cursor, without the SDK's suffix.
std::string source_part(const std::string& cursor) {
  return cursor.substr(0, cursor.rfind(kOwn));
}

}  // namespace

void EventQueue::push(const std::vector<OutEvent>& events, const std::string& cursor) {
  for (const auto& event : events) queued_.push_back({to_text(event), {}});
  size_ += events.size();
  if (cursor.empty()) return;
  if (dump(cursor).size() > kMaxCursorBytes)
    return log(LOG_ERR, "too large a cursor, not kept: the source is read again after a restart");
  if (events.empty())
    queued_.push_back({{}, cursor});
  else
    queued_.back().cursor = cursor;
}

std::string EventQueue::own_cursor(const std::string& after) {
  return source_part(after) + std::string(kOwn) + instance_ + "-" + std::to_string(++own_number_);
}

// Assembled as text rather than by wire::request(): the events are already text, and this path is
// hot.
std::optional<std::string> EventQueue::take(uint64_t request_id) {
  const auto under_way = std::count_if(in_flight_.begin(), in_flight_.end(),
                                       [](const Batch& batch) { return !batch.kept; });
  if (queued_.empty() || static_cast<size_t>(under_way) >= kMaxBatches) return std::nullopt;
  Batch batch{request_id, {}, {}, false};
  std::string events;
  while (!queued_.empty() && batch.items.size() < kMaxEvents &&
         (events.empty() || events.size() + queued_.front().json.size() < kMaxBytes)) {
    Item item = std::move(queued_.front());
    queued_.pop_front();
    if (!item.json.empty()) events += (events.empty() ? "" : ",") + item.json;
    if (!item.cursor.empty()) sent_cursor_ = item.cursor;
    batch.items.push_back(std::move(item));
  }
  const std::string& last = batch.items.back().cursor;
  batch.cursor = last.empty() ? own_cursor(sent_cursor_) : last;
  std::string line = R"({"jsonrpc":"2.0","id":)" + std::to_string(request_id) +
                     R"(,"method":"events","params":{"cursor":)" + dump(batch.cursor) +
                     R"(,"events":[)" + events + "]}}\n";
  in_flight_.push_back(std::move(batch));
  return line;
}

void EventQueue::kept(uint64_t request_id) {
  for (Batch& batch : in_flight_)
    if (batch.request_id == request_id) batch.kept = true;
}

EventQueue::Batches::iterator EventQueue::of_cursor(const std::string& cursor) {
  return std::find_if(in_flight_.begin(), in_flight_.end(),
                      [&](const Batch& batch) { return batch.cursor == cursor; });
}

size_t EventQueue::drop(Batches::iterator first, Batches::iterator end) {
  size_t count = 0;
  for (auto batch = first; batch != end; ++batch)
    count +=
        static_cast<size_t>(std::count_if(batch->items.begin(), batch->items.end(),
                                          [](const Item& item) { return !item.json.empty(); }));
  in_flight_.erase(first, end);
  size_ -= count;
  return count;
}

std::optional<size_t> EventQueue::acked(uint64_t request_id) {
  const auto found = std::find_if(in_flight_.begin(), in_flight_.end(),
                                  [&](const Batch& b) { return b.request_id == request_id; });
  if (request_id == kNoRequest || found == in_flight_.end()) return std::nullopt;
  began_behind_.clear();  // the core writes in the order of arrival
  return drop(found, found + 1);
}

void EventQueue::written(const std::string& cursor) {
  if (cursor == began_behind_) began_behind_.clear();
  if (const auto last = of_cursor(cursor); last != in_flight_.end())
    drop(in_flight_.begin(), last + 1);
}

std::optional<std::string> EventQueue::reconnected(const std::string& committed,
                                                   const std::string& kept) {
  const auto on_disk = of_cursor(committed);
  const bool knows = on_disk != in_flight_.end() || committed == began_behind_ ||
                     kept == began_behind_ || of_cursor(kept) != in_flight_.end();
  if (!began_behind_.empty() && !knows) return std::nullopt;
  const bool has_them = on_disk != in_flight_.end();
  if (has_them) drop(in_flight_.begin(), on_disk + 1);
  if (has_them || committed == began_behind_) began_behind_.clear();
  const auto in_memory = of_cursor(kept);
  std::deque<Batch> waiting;
  if (in_memory != in_flight_.end()) {
    const auto end = in_memory + 1;
    waiting.assign(std::make_move_iterator(in_flight_.begin()), std::make_move_iterator(end));
    in_flight_.erase(in_flight_.begin(), end);
  } else if (!been_there_) {
    began_behind_ = kept;
  }
  been_there_ = true;
  std::string newest = source_part(began_behind_.empty() ? committed : began_behind_);
  for (Batch& batch : waiting) {
    batch.request_id = kNoRequest;
    batch.kept = true;
    newest = source_part(batch.cursor);
  }
  sent_cursor_ = newest;
  for (auto batch = in_flight_.rbegin(); batch != in_flight_.rend(); ++batch)
    queued_.insert(queued_.begin(), std::make_move_iterator(batch->items.begin()),
                   std::make_move_iterator(batch->items.end()));
  in_flight_ = std::move(waiting);
  for (const auto& item : queued_)
    if (!item.cursor.empty()) newest = item.cursor;
  return newest;
}

}  // namespace fmd::sdk
