#include "plugins/sdk/internal/command_table.h"

#include "plugins/sdk/messages.h"

namespace fmd::sdk {

bool CommandTable::begin(const std::string& key, uint64_t request_id, uint64_t& ticket) {
  if (!key.empty()) {
    if (const auto found = finished_.find(key); found != finished_.end()) {
      deliver_(request_id, found->second);
      return false;
    }
    for (auto& [number, running] : running_) {
      if (running.key != key) continue;
      running.waiting.push_back(request_id);
      return false;
    }
  }
  ticket = ++next_ticket_;
  running_[ticket] = {key, {request_id}};
  return true;
}

void CommandTable::finish(uint64_t ticket, const CommandReply& reply, bool remember) {
  const auto found = running_.find(ticket);
  if (found == running_.end()) return;
  const Running running = std::move(found->second);
  running_.erase(found);
  if (remember && !running.key.empty()) {
    finished_[running.key] = reply;
    order_.push_back(running.key);
    if (order_.size() > kRemembered) {
      finished_.erase(order_.front());
      order_.pop_front();
    }
  }
  for (const uint64_t id : running.waiting) deliver_(id, reply);
}

void CommandTable::disconnected() {
  for (auto& [number, running] : running_) running.waiting.clear();
}

}  // namespace fmd::sdk
