#include "fmd/bus/tests/mock_polkit.h"

#include <cstring>
#include <stdexcept>

namespace fmd::test {

using bus::MessagePtr;

int MockPolkit::on_check(sd_bus_message* message, void* self, sd_bus_error* error) {
  auto& mock = *static_cast<MockPolkit*>(self);
  const char *kind = nullptr, *key = nullptr, *subject = nullptr, *action = nullptr, *id = nullptr;
  uint32_t flags = 0;
  int r = sd_bus_message_enter_container(message, 'r', "sa{sv}");
  if (r >= 0) r = sd_bus_message_read(message, "s", &kind);
  if (r >= 0) r = sd_bus_message_read(message, "a{sv}", 1, &key, "s", &subject);
  if (r >= 0) r = sd_bus_message_exit_container(message);
  if (r >= 0) r = sd_bus_message_read(message, "s", &action);
  std::map<std::string, std::string> details;
  if (r >= 0) r = sd_bus_message_enter_container(message, 'a', "{ss}");
  const char *name = nullptr, *value = nullptr;
  while (r >= 0 && (r = sd_bus_message_read(message, "{ss}", &name, &value)) > 0)
    details[name] = value;
  if (r >= 0) r = sd_bus_message_exit_container(message);
  if (r >= 0) r = sd_bus_message_read(message, "us", &flags, &id);
  if (r < 0) return r;
  const bool right_kind = strcmp(kind, "system-bus-name") == 0 && strcmp(key, "name") == 0;
  mock.details.push_back(std::move(details));
  mock.asked.push_back(std::string(action) + " by " + (right_kind ? subject : "?") +
                       (flags & 1 ? " interactive" : ""));
  switch (mock.answer) {
    case Answer::allow:
      return sd_bus_reply_method_return(message, "(bba{ss})", 1, 0, 0);
    case Answer::refuse:
      return sd_bus_reply_method_return(message, "(bba{ss})", 0, 0, 0);
    case Answer::challenge:
      return sd_bus_reply_method_return(message, "(bba{ss})", 0, 1, 0);
    case Answer::error:
      return sd_bus_error_set(error, "org.freedesktop.PolicyKit1.Error.Failed", "out of order");
    case Answer::silent:
      mock.waiting_.emplace_back(sd_bus_message_ref(message));
      return 1;
  }
  return 0;
}

void MockPolkit::release() {
  for (const MessagePtr& message : waiting_)
    sd_bus_reply_method_return(message.get(), "(bba{ss})", 1, 0, 0);
  waiting_.clear();
}

MockPolkit::MockPolkit(sd_event* event, const std::string& address, Answer a) : answer(a) {
  static const sd_bus_vtable vtable[] = {
      SD_BUS_VTABLE_START(0),
      SD_BUS_METHOD("CheckAuthorization", "(sa{sv})sa{ss}us", "(bba{ss})", on_check,
                    SD_BUS_VTABLE_UNPRIVILEGED),
      SD_BUS_VTABLE_END};
  sd_bus* raw = nullptr;
  int r = sd_bus_new(&raw);
  bus_.reset(raw);
  if (r >= 0) r = sd_bus_set_address(raw, address.c_str());
  if (r >= 0) r = sd_bus_set_bus_client(raw, 1);
  if (r >= 0) r = sd_bus_start(raw);
  if (r >= 0)
    r = sd_bus_add_object_vtable(raw, nullptr, "/org/freedesktop/PolicyKit1/Authority",
                                 "org.freedesktop.PolicyKit1.Authority", vtable, this);
  if (r >= 0) r = sd_bus_request_name(raw, "org.freedesktop.PolicyKit1", 0);
  if (r >= 0) r = sd_bus_attach_event(raw, event, SD_EVENT_PRIORITY_NORMAL);
  if (r < 0) throw std::runtime_error(std::string("mock polkit: ") + strerror(-r));
}

}  // namespace fmd::test
