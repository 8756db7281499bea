#include "fmd/daemon/tail.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include "fmd/base/json.h"
#include "fmd/base/json_value.h"
#include "fmd/protocol/parse.h"

namespace fmd {
namespace {

constexpr const char* kMoment = "moment";

// 0: it is none.
uint64_t first_of(const StateRow& row) {
  uint64_t number = 0;
  const char* end = row.key.data() + row.key.size();
  if (row.kind != kMoment) return 0;
  const auto [at, error] = std::from_chars(row.key.data(), end, number);
  return error == std::errc() && at == end ? number : 0;
}

// The journal keeps the payload's text; rules look at its members.
void parse_payload(Event& event) {
  auto parsed = protocol::parse_events("{\"events\":[" + protocol::raw_event(event) + "]}");
  if (parsed && !parsed->events.empty())
    event.payload = std::move(parsed->events.front().second->payload);
}

}  // namespace

Engine::Journal Tail::read(const Store& store, const std::vector<StateRow>& rows, Error& error) {
  std::map<uint64_t, int64_t> moments;
  for (const StateRow& row : rows) {
    const uint64_t first = first_of(row);
    if (first == 0) continue;
    const auto doc = nlohmann::json::parse(row.doc, nullptr, false);
    if (doc.is_object()) moments[first] = json_int(doc, "steady");
  }
  const auto each = [&store, &error, moments](uint64_t after, const Engine::Journal::Each& fn) {
    // What has no moment was written with all its rows.
    if (moments.empty()) return;
    EventQuery query;
    query.after_seq = std::max(after, moments.begin()->first - 1);
    const auto outcome = store.each_event(query, [&](const Event& stored) {
      Event event = stored;
      parse_payload(event);
      fn(event, {event.received_ns, std::prev(moments.upper_bound(event.seq))->second});
      return true;
    });
    if (!outcome) error = outcome.error();
  };
  return {store.last_seq(), each};
}

void Tail::restore(const std::vector<StateRow>& rows) {
  for (const StateRow& row : rows)
    if (const uint64_t first = first_of(row); first > 0) written_.push_back(first);
  if (!written_.empty()) settle();
}

void Tail::took(uint64_t first_seq, uint64_t events, Moment now) {
  if (events == 0) return;
  if (events_ == 0 && written_.empty() && checkpoint_ns_ < now.steady_ns - limits_.ns)
    checkpoint_ns_ = now.steady_ns;  // a first event needs none at once
  fresh_.emplace(first_seq, now.steady_ns);
  events_ += events;
}

bool Tail::is_due(const Engine& engine, int64_t now_ns) const {
  if (settle_ || engine.must_checkpoint()) return true;
  if (events_ == 0) return false;
  return engine.uncounted() <= limits_.rows || events_ >= limits_.events ||
         now_ns >= add_times(checkpoint_ns_, limits_.ns);
}

std::optional<int64_t> Tail::next_deadline_ns() const {
  if (!waits()) return {};
  return add_times(checkpoint_ns_, limits_.ns);
}

void Tail::take_rows(bool checkpoint, int64_t now_ns, std::vector<StateRow>& rows) {
  if (checkpoint) {
    for (const uint64_t seq : std::exchange(written_, {}))
      rows.push_back({kMoment, std::to_string(seq), ""});
    fresh_.clear();
    events_ = 0;
    checkpoint_ns_ = now_ns;
    settle_ = false;
    return;
  }
  for (const auto& [seq, steady_ns] : std::exchange(fresh_, {})) {
    rows.push_back({kMoment, std::to_string(seq), dump_json({{"steady", steady_ns}})});
    written_.push_back(seq);
  }
}

}  // namespace fmd
