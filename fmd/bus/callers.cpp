#include "fmd/bus/callers.h"

#include <cerrno>
#include <utility>

namespace fmd::bus {
namespace {

constexpr size_t kMaxWaiting = 16;  // per connection, until its uid is known
constexpr size_t kMaxKnown = 1024;
constexpr uint64_t kUidTimeoutUs = 25'000'000;

}  // namespace

int Callers::learn(sd_bus_message* message, Learned learned) {
  const char* sender = sd_bus_message_get_sender(message);
  if (!sender)
    return sd_bus_reply_method_errorf(
        message, SD_BUS_ERROR_ACCESS_DENIED,
        "Access denied: fmd cannot tell who sent this; use a message bus");
  if (const auto known = known_.find(sender); known != known_.end()) {
    learned(message, known->second);
    return 1;
  }
  Question* asked = question(message, sender);
  if (!asked) return -ENOMEM;
  if (asked->waiting.size() >= kMaxWaiting)
    return sd_bus_reply_method_errorf(message, SD_BUS_ERROR_LIMITS_EXCEEDED,
                                      "Too many requests at once; wait for an answer");
  asked->waiting.push_back({MessagePtr(sd_bus_message_ref(message)), std::move(learned)});
  return 1;
}

std::optional<uint32_t> Callers::known(sd_bus_message* message) {
  const char* sender = sd_bus_message_get_sender(message);
  if (!sender) return {};
  if (const auto known = known_.find(sender); known != known_.end()) return known->second;
  (void)question(message, sender);
  return {};
}

// The pending query or a new one; nullptr if it cannot be sent.
Callers::Question* Callers::question(sd_bus_message* message, const char* sender) {
  const auto [at, fresh] = questions_.try_emplace(sender);
  if (!fresh) return at->second.get();
  at->second = std::make_unique<Question>(Question{this, sender, {}, {}});
  sd_bus_slot* slot = nullptr;
  const int r = sd_bus_call_method_async(
      sd_bus_message_get_bus(message), &slot, "org.freedesktop.DBus", "/org/freedesktop/DBus",
      "org.freedesktop.DBus", "GetConnectionUnixUser", on_uid, at->second.get(), "s", sender);
  if (r < 0) {
    questions_.erase(at);
    return nullptr;
  }
  at->second->slot.reset(slot);
  return at->second.get();
}

int Callers::on_uid(sd_bus_message* reply, void* userdata, sd_bus_error*) {
  auto& asked = *static_cast<Question*>(userdata);
  Callers& self = *asked.owner;
  // Removed first: callees may do anything, even lose the connection.
  const auto node = self.questions_.extract(asked.sender);
  Question& question = *node.mapped();
  std::optional<uint32_t> uid;
  uint32_t read = 0;
  if (!sd_bus_message_is_method_error(reply, nullptr) && sd_bus_message_read(reply, "u", &read) > 0)
    uid = read;
  if (self.known_.size() >= kMaxKnown) self.known_.clear();
  if (uid) self.known_[question.sender] = *uid;
  for (Waiting& one : question.waiting) one.learned(one.message.get(), uid);
  return 0;
}

void Callers::forget_all() {
  known_.clear();
  questions_.clear();
}

}  // namespace fmd::bus
