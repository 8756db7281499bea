#include "fmd/bus/answers.h"

#include <memory>
#include <optional>
#include <string_view>
#include <utility>

namespace fmd::bus {
namespace {

// dbus-daemon's default limit per message on the system bus is 32 MiB; a larger one would cost fmd
// its connection.
constexpr size_t kMaxReply = 30u << 20;
constexpr size_t kMaxManaged = 4000;  // objects; some 4 MiB

// Without values that only root may read.
Result<std::string> public_part(Manager& manager, const Result<std::string>& answer) {
  if (!manager.private_ids) manager.private_ids = PrivateIds::of(manager.control.engine());
  if (answer) return manager.private_ids->taken_out_of_json(*answer);
  Error error = answer.error();
  error.message = manager.private_ids->taken_out_of(error.message);
  return tl::unexpected(std::move(error));
}

}  // namespace

int reply_error(sd_bus_message* message, const char* name, const std::string& text) {
  return sd_bus_reply_method_errorf(message, name, "%s", wire_text(text).c_str());
}

int reply_text(sd_bus_message* message, const Result<std::string>& result) {
  if (!result) return reply_error(message, kErrorFailed, result.error().text());
  if (result->size() > kMaxReply)
    return reply_error(message, SD_BUS_ERROR_LIMITS_EXCEEDED,
                       "The answer would be " + std::to_string(result->size() >> 20) +
                           " MiB, more than a D-Bus message may hold; ask for less");
  return sd_bus_reply_method_return(message, "s", wire_text(*result).c_str());
}

int reply_list(sd_bus_message* message, const std::vector<std::string>& list) {
  sd_bus_message* raw = nullptr;
  int r = sd_bus_message_new_method_return(message, &raw);
  const MessagePtr reply(raw);
  if (r >= 0) r = sd_bus_message_open_container(raw, 'a', "s");
  for (const std::string& text : list)
    if (r >= 0) r = sd_bus_message_append(raw, "s", wire_text(text).c_str());
  if (r >= 0) r = sd_bus_message_close_container(raw);
  return r < 0 ? r : sd_bus_send(nullptr, raw, nullptr);
}

int reply_done(sd_bus_message* message, const Result<void>& result) {
  if (!result) return reply_error(message, kErrorFailed, result.error().text());
  return sd_bus_reply_method_return(message, nullptr);
}

static void answer_now(Manager& manager, sd_bus_message* message, std::optional<uint32_t> uid,
                       const std::function<void(Control::Ordered)>& query,
                       const Turns::Answered& answered) {
  const bool privileged = uid && manager.authorizer.privileged(*uid);
  const uint32_t user = uid.value_or(kNobody);
  if (!privileged && !manager.unread.room(sd_bus_message_get_bus(message), user)) {
    reply_error(message, SD_BUS_ERROR_LIMITS_EXCEEDED,
                "Too many answers to this user have not been read yet; read them, then ask again");
    return answered();
  }
  const std::shared_ptr<sd_bus_message> kept(sd_bus_message_ref(message), sd_bus_message_unref);
  const bool knows = uid && manager.may_know(*uid);
  query([&manager, kept, privileged, knows, user, answered](const Result<std::string>& told) {
    const Result<std::string> answer = knows ? told : public_part(manager, told);
    reply_text(kept.get(), answer);
    if (!privileged)
      manager.unread.sent(kept.get(), user, answer ? answer->size() : answer.error().text().size());
    answered();
  });
}

int answer_query(Manager& manager, Turns& turns, sd_bus_message* message,
                 std::function<void(Control::Ordered)> query) {
  if (sd_bus_message_get_expect_reply(message) <= 0) return 1;  // no reply wanted
  return manager.callers.learn(message, [&manager, &turns, query = std::move(query)](
                                            sd_bus_message* m, std::optional<uint32_t> uid) {
    const std::shared_ptr<sd_bus_message> kept(sd_bus_message_ref(m), sd_bus_message_unref);
    const bool taken = turns.add(uid.value_or(kNobody), uid && manager.authorizer.privileged(*uid),
                                 [&manager, kept, uid, query](const Turns::Answered& answered) {
                                   answer_now(manager, kept.get(), uid, query, answered);
                                 });
    if (!taken)
      reply_error(m, SD_BUS_ERROR_LIMITS_EXCEEDED,
                  "Too many questions wait for their answers; wait for some, then ask again");
  });
}

// Replies that sd-bus generates itself. They are checked beforehand, with an estimated size.
static int on_standard_call(Manager& manager, sd_bus_message* message, bool privileged,
                            uint32_t user) {
  constexpr size_t kObjectBytes = 1024, kNodeBytes = 128, kSmall = 16384;
  const char* interface = sd_bus_message_get_interface(message);
  if (!interface || !std::string_view(interface).starts_with("org.freedesktop.DBus.")) return 0;
  if (sd_bus_message_get_expect_reply(message) <= 0) return 1;  // no reply wanted: saves making one
  const Engine& engine = manager.control.engine();
  const size_t objects = engine.cases().size() + engine.inventory().all().size();
  size_t bytes = kSmall;
  bool dear = false;
  if (sd_bus_message_is_method_call(message, nullptr, "GetManagedObjects") > 0) {
    if (objects > kMaxManaged)
      return reply_error(message, SD_BUS_ERROR_LIMITS_EXCEEDED,
                         "There are more than " + std::to_string(kMaxManaged) +
                             " cases and resources; use ListPage");
    bytes = objects * kObjectBytes;
    dear = true;
  } else if (sd_bus_message_is_method_call(message, nullptr, "Introspect") > 0) {
    bytes = kSmall + objects * kNodeBytes;
    dear = true;
  }
  if (privileged) return 0;
  if (dear && !manager.allowances.take(user, bytes))
    return reply_error(message, SD_BUS_ERROR_LIMITS_EXCEEDED,
                       "This user asks for all objects too often; wait a little");
  if (!manager.unread.room(sd_bus_message_get_bus(message), user))
    return reply_error(message, SD_BUS_ERROR_LIMITS_EXCEEDED,
                       "Too many answers have not been read yet; read them, then ask again");
  manager.unread.sent(message, user, bytes);
  return 0;
}

int on_call(sd_bus_message* message, void* userdata, sd_bus_error*) {
  Manager& manager = *static_cast<Manager*>(userdata);
  if (sd_bus_message_is_method_call(message, nullptr, nullptr) <= 0) return 0;
  const std::optional<uint32_t> uid = manager.callers.known(message);
  const bool privileged = uid && manager.authorizer.privileged(*uid);
  if (!privileged && !manager.unread.room_for_least(message, uid)) return 1;
  return on_standard_call(manager, message, privileged, uid.value_or(kNobody));
}

}  // namespace fmd::bus
