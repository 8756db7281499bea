#include "plugins/cpu/episode.h"

#include <algorithm>
#include <utility>

#include "plugins/sdk/messages.h"

namespace fmd::cpu {
namespace {

using nlohmann::json;

std::string text_in(const json& payload, const char* name) {
  const auto at = payload.find(name);
  return at != payload.end() && at->is_string() ? at->get<std::string>() : "";
}

bool may_be_echo(const sdk::OutEvent& event) {
  return event.event_class == "ereport.cpu.bus" &&
         text_in(event.payload, "severity") == severity_name(ErrorSeverity::corrected);
}

sdk::OutEvent finished(sdk::OutEvent event, uint64_t times) {
  event.payload["times"] = times;
  return event;
}

}  // namespace

void Episode::add(sdk::OutEvent event, const std::string& socket) {
  const uint64_t counted = event.payload.value("counted", uint64_t{1});
  event.payload.erase("counted");
  const bool is_health = event.event_class == "ereport.memory.device";
  if (event.event_class.starts_with("ereport.memory.") && !is_health) memory_.insert(socket);
  // For a channel, count which of its modules reported the error.
  const std::string whose = event.event_class == "ereport.memory.shared"
                                ? text_in(event.payload, "module")
                                : text_in(event.payload, "health");
  const std::string key =
      event.event_class + "|" + event.resource + "|" + text_in(event.payload, "severity") + "|" +
      text_in(event.payload, "level") + "|" + text_in(event.payload, "word") + "|" + whose;
  Fold& fold = folds_.try_emplace(key, Fold{std::move(event), socket, 0, 0}).first->second;
  ++fold.times;
  fold.counted += counted;
}

void Episode::explain(Fold& fold, const Sockets& with_memory_errors) {
  // EDAC names no processor: its errors may explain those of any.
  const bool nobody_named = with_memory_errors == Sockets{""};
  if (nobody_named || with_memory_errors.contains(fold.socket))
    fold.event.payload["explained"] = "memory";
}

std::vector<sdk::OutEvent> Episode::take() {
  std::vector<sdk::OutEvent> out;
  const Sockets memory = std::exchange(memory_, {});
  for (Fold& fold : std::exchange(waiting_, {})) {
    explain(fold, memory_before_[1]);
    explain(fold, memory_before_[0]);
    explain(fold, memory);
    out.push_back(finished(std::move(fold.event), std::max(fold.times, fold.counted)));
  }
  for (auto& [key, fold] : std::exchange(folds_, {}))
    if (may_be_echo(fold.event))
      waiting_.push_back(std::move(fold));
    else
      out.push_back(finished(std::move(fold.event), std::max(fold.times, fold.counted)));
  memory_before_ = {memory, std::move(memory_before_[0])};
  return out;
}

bool Episode::goes_on() const {
  return !folds_.empty() || !waiting_.empty() || !memory_before_[0].empty() ||
         !memory_before_[1].empty();
}

void Storm::add(const TraceRecord& record, const std::string& socket) {
  if (const auto* mce = std::get_if<MceRecord>(&record.what)) {
    const auto error = decode(*mce);
    if (!error || error->severity != ErrorSeverity::corrected) return;
    by_socket_[socket] += error->count;
    if (error->kind == ErrorKind::memory) memory_ += error->count;
  } else if (const auto* memory = std::get_if<MemoryRecord>(&record.what)) {
    if (memory->severity == ErrorSeverity::corrected) other_ += memory->count;
  } else if (const auto* cxl = std::get_if<CxlMemoryRecord>(&record.what)) {
    if (cxl->severity == ErrorSeverity::corrected) ++other_;
  } else if (const auto* other = std::get_if<OtherRecord>(&record.what)) {
    if (other->severity == ErrorSeverity::corrected) ++other_;
  }
}

std::map<std::string, uint64_t> Storm::take() {
  auto out = std::exchange(by_socket_, {});
  const uint64_t told = std::exchange(memory_, 0), other = std::exchange(other_, 0);
  if (other > told) out[socket_fmri(0)] += other - told;
  return out;
}

}  // namespace fmd::cpu
