#include "ui/client/connection.h"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <thread>
#include <utility>

#include "fmd/base/bounded_json.h"
#include "fmd/base/json.h"
#include "ui/client/absence.h"
#include "ui/client/ssh_address.h"

namespace fmd::ui {
namespace {

constexpr std::chrono::seconds kReturnsWithin{5};
constexpr std::chrono::milliseconds kAskAgain{200};

std::string bus_words(const Target& target) {
  if (!target.host.empty()) return "the system bus of " + target.host;
  if (target.bus.empty() || target.bus == "system") return "the system bus";
  if (target.bus == "session") return "the session bus";
  return "the bus " + target.bus;
}

// Errors of the transport, as opposed to fmd's own.
bool is_away(const sd_bus_error& error, int r) {
  if (!error.name || r == -ECONNRESET || r == -ENOTCONN) return true;
  for (const char* name : {SD_BUS_ERROR_SERVICE_UNKNOWN, SD_BUS_ERROR_NAME_HAS_NO_OWNER,
                           SD_BUS_ERROR_NO_REPLY, SD_BUS_ERROR_TIMEOUT, SD_BUS_ERROR_DISCONNECTED})
    if (sd_bus_error_has_name(&error, name)) return true;
  return false;
}

Result<nlohmann::json> document(const Result<MessagePtr>& reply) {
  if (!reply) return tl::unexpected(reply.error());
  const char* text = nullptr;
  if (sd_bus_message_read(reply->get(), "s", &text) < 0)
    return fail("fmd's answer is not what this program expects; are their versions the same?");
  return parse_answer(text);
}

}  // namespace

// Limits the nesting, which could overflow the stack: fmd may run on another, untrusted machine.
Result<nlohmann::json> parse_answer(std::string_view text) {
  auto doc = parse_bounded_json(text, {kJsonLimits.nesting, SIZE_MAX});
  if (!doc) return fail("fmd's answer " + doc.error().message + "; are their versions the same?");
  return doc;
}

Result<void> Connection::open() {
  ahead_.clear();
  const int r = start();
  return r < 0 ? fail("Cannot reach " + bus_words(target) + ": " + strerror(-r)) : Result<void>();
}

int Connection::start() {
  sd_bus* raw = nullptr;
  int r = 0;
  const bool remote = !target.host.empty();
  if (!remote && (target.bus.empty() || target.bus == "system")) {
    r = sd_bus_open_system(&raw);
  } else if (!remote && target.bus == "session") {
    r = sd_bus_open_user(&raw);
  } else {
    r = sd_bus_new(&raw);
    bus.reset(raw);
    if (r >= 0 && remote && target.desktop) {
      auto started = SshLine::start(target.host);
      if (!started) return -EAGAIN;
      line = std::move(*started);
      const int descriptor = line.take_descriptor();  // owned by the bus from now on
      r = sd_bus_set_fd(raw, descriptor, descriptor);
    } else if (r >= 0) {
      r = sd_bus_set_address(raw, remote ? ssh_address(target.host).c_str() : target.bus.c_str());
    }
    if (r >= 0) r = sd_bus_set_bus_client(raw, 1);
    if (r >= 0) r = sd_bus_start(raw);
    return r;
  }
  bus.reset(raw);
  return r;
}

Error Connection::explain(const sd_bus_error& error, int r) const {
  auto is = [&](const char* name) { return sd_bus_error_has_name(&error, name) != 0; };
  const std::string why = error.message ? error.message : strerror(-r);
  if (is(SD_BUS_ERROR_SERVICE_UNKNOWN) || is(SD_BUS_ERROR_NAME_HAS_NO_OWNER))
    return {absence_words(ask_fmd_unit(bus.get()), bus_words(target)), {}, 0};
  if (is(SD_BUS_ERROR_NO_REPLY) || is(SD_BUS_ERROR_TIMEOUT) || r == -ETIMEDOUT)
    return {"fmd does not answer; see: systemctl status fmd, journalctl -u fmd", {}, 0};
  if (is(SD_BUS_ERROR_UNKNOWN_METHOD) || is(SD_BUS_ERROR_UNKNOWN_OBJECT))
    return {"The fmd that is running is of another version (" + why +
                "); restart it with: systemctl restart fmd",
            {},
            0};
  const bool cut =
      !error.name || r == -ECONNRESET || r == -ENOTCONN || is(SD_BUS_ERROR_DISCONNECTED);
  if (const std::string said = line.words(); cut && !said.empty())
    return {"The connection to " + bus_words(target) + " failed. ssh: " + said, {}, 0};
  if (cut) return {"The connection to " + bus_words(target) + " failed: " + why, {}, 0};
  return {why, {}, 0};
}

Result<MessagePtr> Connection::new_call(const std::string& method) const {
  sd_bus_message* raw = nullptr;
  const int r =
      sd_bus_message_new_method_call(bus.get(), &raw, kName, kPath, kName, method.c_str());
  away = r < 0;
  if (r < 0) return fail("The connection to " + bus_words(target) + " failed: " + strerror(-r));
  sd_bus_message_set_auto_start(raw, 0);
  return MessagePtr(raw);
}

Result<MessagePtr> Connection::call(const MessagePtr& message, uint64_t timeout_us) const {
  // Answers fmd's pending Pings first: fmd may otherwise treat this client as one that does not
  // read (fmd/bus/unread.h).
  while (sd_bus_process(bus.get(), nullptr) > 0) continue;
  sd_bus_error error = SD_BUS_ERROR_NULL;
  sd_bus_message* reply = nullptr;
  const int r = sd_bus_call(bus.get(), message.get(), timeout_us, &error, &reply);
  away = r < 0 && is_away(error, r);
  has_left = r < 0 && sd_bus_error_has_name(&error, SD_BUS_ERROR_NO_REPLY) && r != -ETIMEDOUT;
  if (r >= 0) return MessagePtr(reply);
  Error explained = explain(error, r);
  sd_bus_error_free(&error);
  return tl::unexpected(std::move(explained));
}

std::unique_ptr<Connection::Asked> Connection::ask(const MessagePtr& message,
                                                   uint64_t timeout_us) const {
  const auto keep = [](sd_bus_message* answer, void* to, sd_bus_error*) {
    static_cast<MessagePtr*>(to)->reset(sd_bus_message_ref(answer));
    return 0;
  };
  auto asked = std::make_unique<Asked>();
  sd_bus_slot* raw = nullptr;
  asked->sent = sd_bus_call_async(bus.get(), &raw, message.get(), keep, &asked->reply, timeout_us);
  asked->slot.reset(raw);
  return asked;
}

Result<MessagePtr> Connection::await(Asked& asked,
                                     const std::function<void(int64_t seconds)>& waiting) const {
  using Clock = std::chrono::steady_clock;
  int r = asked.sent;
  const auto begun = Clock::now();
  for (int64_t told = 0; r >= 0 && !asked.reply;) {
    r = sd_bus_process(bus.get(), nullptr);
    if (r != 0) continue;
    r = sd_bus_wait(bus.get(), 1'000'000);
    if (r == -EINTR) r = 0;  // after the process was stopped and continued
    const auto passed = std::chrono::duration_cast<std::chrono::seconds>(Clock::now() - begun);
    if (waiting && passed.count() > told) waiting(told = passed.count());
  }
  const sd_bus_error none = SD_BUS_ERROR_NULL;
  const sd_bus_error* error = asked.reply ? sd_bus_message_get_error(asked.reply.get()) : &none;
  away = error && is_away(*error, r);
  has_left = asked.reply && error && sd_bus_error_has_name(error, SD_BUS_ERROR_NO_REPLY) &&
             sd_bus_message_get_sender(asked.reply.get()) != nullptr;
  if (error) return tl::unexpected(explain(*error, r));
  return std::move(asked.reply);
}

Result<MessagePtr> Connection::new_call(const Question& question) const {
  auto message = new_call(question.method);
  if (!message) return message;
  for (const std::string& text : question.arguments)
    sd_bus_message_append(message->get(), "s", text.c_str());
  return message;
}

// fmd may leave the bus with a query unanswered: it is restarted, or the bus accepted no messages from
// it. A query is then asked once more as soon as fmd is back.
Result<nlohmann::json> Connection::answer(const Question& question) {
  using Clock = std::chrono::steady_clock;
  has_left = false;
  auto told = answer_once(question);
  if (!has_left) return told;
  const auto until = Clock::now() + kReturnsWithin;
  do {
    std::this_thread::sleep_for(kAskAgain);
    told = answer_once(question);
  } while (!told && away && Clock::now() < until);
  return told;
}

Result<nlohmann::json> Connection::answer_once(const Question& question) {
  const auto at = std::find_if(ahead_.begin(), ahead_.end(),
                               [&](const auto& asked) { return asked->question == question; });
  if (at != ahead_.end()) {
    const std::unique_ptr<Asked> asked = std::move(*at);
    ahead_.erase(at);
    return document(await(*asked, {}));
  }
  auto message = new_call(question);
  if (!message) return tl::unexpected(message.error());
  return document(call(*message, patience_us));
}

void Connection::ask_ahead(Question question) {
  auto message = new_call(question);
  if (!message) return;
  ahead_.push_back(ask(*message, patience_us));
  ahead_.back()->question = std::move(question);
}

}  // namespace fmd::ui
