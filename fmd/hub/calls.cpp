#include "fmd/hub/calls.h"

#include <fmt/format.h>

#include <algorithm>

#include "fmd/base/duration.h"

namespace fmd {
namespace {

constexpr size_t kMostLate = 256;  // the oldest are given up

}  // namespace

PluginCalls::PluginCalls(sd_event* loop) {
  sd_event_add_defer(loop, &settle_, on_settle, this);
  sd_event_source_set_enabled(settle_, SD_EVENT_OFF);
}

PluginCalls::~PluginCalls() {
  sd_event_source_disable_unref(settle_);
}

uint64_t PluginCalls::begin(PeerId peer, const std::string& plugin, int64_t deadline_ms,
                            int64_t boot_ns, Done done, bool late_too) {
  const uint64_t id = next_call_++;
  calls_[id] = {peer,
                plugin,
                fmt::format("no answer in {}s", (deadline_ms + 999) / 1000),
                boot_ns + deadline_ms * kMsNs,
                late_too,
                std::move(done)};
  return id;
}

std::optional<PluginCalls::Done> PluginCalls::finish(uint64_t id, PeerId peer) {
  for (auto* calls : {&calls_, &late_}) {
    const auto found = calls->find(id);
    if (found == calls->end() || found->second.peer != peer) continue;
    Done done = std::move(found->second.done);
    calls->erase(found);
    return done;
  }
  return {};
}

void PluginCalls::fail_calls_of(PeerId peer, const std::string& reason) {
  for (auto at = calls_.begin(); at != calls_.end();) {
    if (at->second.peer != peer) {
      ++at;
      continue;
    }
    settle_later(std::move(at->second.done), {"failed", reason, "{}", true});
    at = calls_.erase(at);
  }
  std::erase_if(late_, [peer](const auto& call) { return call.second.peer == peer; });
}

std::vector<std::string> PluginCalls::fail_late(int64_t boot_ns) {
  std::vector<std::string> plugins;
  for (auto at = calls_.begin(); at != calls_.end();) {
    if (at->second.deadline_ns > boot_ns) {
      ++at;
      continue;
    }
    plugins.push_back(at->second.plugin);
    settle_later(at->second.done, {"failed", at->second.late, "{}", true});
    if (at->second.late_too) late_.insert_or_assign(at->first, std::move(at->second));
    if (late_.size() > kMostLate) late_.erase(late_.begin());
    at = calls_.erase(at);
  }
  return plugins;
}

std::optional<int64_t> PluginCalls::next_deadline_ns() const {
  std::optional<int64_t> next;
  for (const auto& [id, pending] : calls_)
    next = next ? std::min(*next, pending.deadline_ns) : pending.deadline_ns;
  return next;
}

void PluginCalls::settle_later(Done done, PluginAnswer answer) {
  settled_.emplace_back(std::move(done), std::move(answer));
  sd_event_source_set_enabled(settle_, SD_EVENT_ONESHOT);
}

int PluginCalls::on_settle(sd_event_source*, void* self) {
  auto* calls = static_cast<PluginCalls*>(self);
  for (auto& [done, answer] : std::exchange(calls->settled_, {})) done(std::move(answer));
  return 0;
}

}  // namespace fmd
