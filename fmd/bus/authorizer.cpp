#include "fmd/bus/authorizer.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "fmd/base/text.h"

namespace fmd::bus {
namespace {

constexpr size_t kMaxPending = 64;                  // polkit requests, in total
constexpr ptrdiff_t kMaxPendingOfUser = 8;          // so that one user cannot take them all
constexpr uint64_t kPolkitTimeoutUs = 300'000'000;  // a person may be typing a password
constexpr uint32_t kAllowInteraction = 1;           // polkit's CheckAuthorizationFlags

// Length of the UTF-8 sequence at the start of text; 0 if it is invalid.
size_t utf8_length(std::string_view text) {
  auto byte = [&](size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned lead = byte(0);
  if (lead < 0x80) return lead == 0 ? 0 : 1;
  const size_t length = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
  if (lead < 0xC2 || lead > 0xF4 || text.size() < length) return 0;
  char32_t code = lead & (0x7Fu >> length);
  for (size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xC0u) != 0x80u) return 0;
    code = code << 6 | (byte(i) & 0x3Fu);
  }
  const bool surrogate = code >= 0xD800 && code <= 0xDFFF;
  const bool overlong = (length == 3 && code < 0x800) || (length == 4 && code < 0x10000);
  return surrogate || overlong || code > 0x10FFFF ? 0 : length;
}

std::string name_of(uint32_t uid) {
  return uid == 0 ? "root" : "uid " + std::to_string(uid);
}

}  // namespace

std::string wire_text(std::string_view raw) {
  for (size_t at = 0; at < raw.size();) {
    const size_t length = utf8_length(raw.substr(at));
    if (length == 0) return display(raw, raw.size());
    at += length;
  }
  return std::string(raw);
}

struct Authorizer::Request {
  Authorizer* owner;
  MessagePtr message;
  uint32_t uid;
  std::string action;
  Granted granted;
  SlotPtr slot;  // polkit request
};

Authorizer::Authorizer(Callers& callers, std::set<uint32_t> privileged_uids)
    : callers_(callers), privileged_(std::move(privileged_uids)) {}
Authorizer::~Authorizer() = default;

void Authorizer::cancel_all() {
  requests_.clear();
}

void Authorizer::drop(const Request& request) {
  requests_.remove_if([&](const Request& other) { return &other == &request; });
}

void Authorizer::refuse(Request& request, const char* name, const std::string& text) {
  sd_bus_reply_method_errorf(request.message.get(), name, "Access denied: %s",
                             wire_text(text).c_str());
  drop(request);
}

void Authorizer::grant(Request& request) {
  // Removed first: the callee may do anything, even lose the connection.
  const MessagePtr message = std::move(request.message);
  const Granted granted = std::move(request.granted);
  const std::string who = name_of(request.uid);
  drop(request);
  granted(message.get(), who);
}

int Authorizer::authorize(sd_bus_message* message, std::string_view action, Granted granted,
                          std::function<Details()> details) {
  return callers_.learn(
      message, [this, action = std::string(action), granted = std::move(granted),
                details = std::move(details)](sd_bus_message* m, std::optional<uint32_t> uid) {
        if (!uid)
          sd_bus_reply_method_errorf(m, SD_BUS_ERROR_ACCESS_DENIED,
                                     "Access denied: the bus does not say whose request this is");
        else if (privileged(*uid))
          granted(m, name_of(*uid));
        else
          ask_polkit(m, *uid, action, granted, details);
      });
}

void Authorizer::ask_polkit(sd_bus_message* message, uint32_t uid, std::string_view action,
                            Granted granted, const std::function<Details()>& details) {
  const auto same = std::count_if(requests_.begin(), requests_.end(),
                                  [&](const Request& r) { return r.uid == uid; });
  if (requests_.size() >= kMaxPending || same >= kMaxPendingOfUser) {
    sd_bus_reply_method_errorf(
        message, SD_BUS_ERROR_LIMITS_EXCEEDED,
        "Too many requests are waiting for authorization; answer those first");
    return;
  }
  Request& request = requests_.emplace_back(Request{this,
                                                    MessagePtr(sd_bus_message_ref(message)),
                                                    uid,
                                                    std::string(action),
                                                    std::move(granted),
                                                    {}});
  if (ask_polkit(request, details ? details() : Details{}) < 0)
    refuse(request, SD_BUS_ERROR_ACCESS_DENIED, "polkit could not be asked; do this as root");
}

int Authorizer::ask_polkit(Request& request, const Details& details) {
  sd_bus_message* call = nullptr;
  sd_bus* bus = sd_bus_message_get_bus(request.message.get());
  int r = sd_bus_message_new_method_call(
      bus, &call, "org.freedesktop.PolicyKit1", "/org/freedesktop/PolicyKit1/Authority",
      "org.freedesktop.PolicyKit1.Authority", "CheckAuthorization");
  const MessagePtr owned(call);
  if (r < 0) return r;
  const bool ask = sd_bus_message_get_allow_interactive_authorization(request.message.get()) > 0;
  r = sd_bus_message_append(call, "(sa{sv})s", "system-bus-name", 1, "name", "s",
                            sd_bus_message_get_sender(request.message.get()),
                            request.action.c_str());
  if (r >= 0) r = sd_bus_message_open_container(call, 'a', "{ss}");
  for (const auto& [key, value] : details)
    if (r >= 0)
      r = sd_bus_message_append(call, "{ss}", wire_text(key).c_str(), wire_text(value).c_str());
  if (r >= 0) r = sd_bus_message_close_container(call);
  if (r >= 0) r = sd_bus_message_append(call, "us", ask ? kAllowInteraction : 0u, "");
  if (r < 0) return r;
  sd_bus_slot* slot = nullptr;
  r = sd_bus_call_async(bus, &slot, call, on_polkit, &request, kPolkitTimeoutUs);
  request.slot.reset(slot);
  return r;
}

int Authorizer::on_polkit(sd_bus_message* reply, void* userdata, sd_bus_error*) {
  auto& request = *static_cast<Request*>(userdata);
  Authorizer& self = *request.owner;
  const SlotPtr finished = std::move(request.slot);
  int authorized = 0, challenge = 0;
  if (const sd_bus_error* error = sd_bus_message_get_error(reply)) {
    self.refuse(request, SD_BUS_ERROR_ACCESS_DENIED,
                "polkit, which decides on " + request.action + ", does not answer (" +
                    (error->message ? error->message : "no reason given") + "); do this as root");
  } else if (sd_bus_message_enter_container(reply, 'r', "bba{ss}") < 0 ||
             sd_bus_message_read(reply, "bb", &authorized, &challenge) < 0) {
    self.refuse(request, SD_BUS_ERROR_ACCESS_DENIED,
                "polkit's answer cannot be read; do this as root");
  } else if (authorized) {
    self.grant(request);
  } else if (challenge) {
    self.refuse(request, SD_BUS_ERROR_INTERACTIVE_AUTHORIZATION_REQUIRED,
                request.action +
                    " needs an administrator's password, and there is no polkit agent "
                    "to ask for it; do this as root");
  } else {
    self.refuse(request, SD_BUS_ERROR_ACCESS_DENIED,
                "polkit does not allow you " + request.action + "; do this as root");
  }
  return 0;
}

}  // namespace fmd::bus
