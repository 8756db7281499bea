#include "ui/client/client.h"

#include <systemd/sd-bus.h>
#include <unistd.h>

#include <chrono>
#include <cstring>
#include <deque>
#include <utility>

#include "fmd/base/json.h"
#include "ui/client/absence.h"
#include "ui/client/bus_wait.h"
#include "ui/client/pages.h"
#include "ui/client/polkit_agent.h"
#include "ui/client/ssh_address.h"
#include "ui/client/ssh_line.h"

namespace fmd::ui {
namespace {

constexpr const char* kName = "org.fmd.FaultManager1";
constexpr const char* kPath = "/org/fmd/FaultManager1";
constexpr uint64_t kQueryTimeoutUs = 60'000'000;
constexpr uint64_t kChangeTimeoutUs = 310'000'000;  // polkit may be waiting for a password

struct BusCloser {
  void operator()(sd_bus* bus) const { sd_bus_flush_close_unref(bus); }
};
struct SlotUnref {
  void operator()(sd_bus_slot* slot) const { sd_bus_slot_unref(slot); }
};
struct MessageUnref {
  void operator()(sd_bus_message* message) const { sd_bus_message_unref(message); }
};
using MessagePtr = std::unique_ptr<sd_bus_message, MessageUnref>;

// What has been asked, and is answered while something else is done. Stays where it is.
struct Asked {
  std::string method;
  MessagePtr reply;
  std::unique_ptr<sd_bus_slot, SlotUnref> slot;  // gone before the reply it fills
  int sent = 0;                                  // < 0: errno; it did not go out
};

std::string bus_words(const Target& target) {
  if (!target.host.empty()) return "the system bus of " + target.host;
  if (target.bus.empty() || target.bus == "system") return "the system bus";
  if (target.bus == "session") return "the session bus";
  return "the bus " + target.bus;
}

}  // namespace

struct Client::Impl {
  Target target;
  SshLine
      line;  // of a desktop, which has no terminal where ssh's words would be read; outlives the bus
  std::unique_ptr<sd_bus, BusCloser> bus;
  std::deque<News> news;
  bool subscribed = false;
  uint64_t patience_us = kQueryTimeoutUs;
  mutable bool away = false;     // the last call had no answer
  std::unique_ptr<Asked> ahead;  // gone before the bus

  int open();
  Error explain(const sd_bus_error& error, int r) const;
  static bool is_away(const sd_bus_error& error, int r);
  Result<MessagePtr> new_call(const char* method) const;
  Result<MessagePtr> call(const MessagePtr& message, uint64_t timeout_us) const;
  std::unique_ptr<Asked> ask(const MessagePtr& message, uint64_t timeout_us) const;
  Result<MessagePtr> await(Asked& asked, const Waiting& waiting) const;
  Result<MessagePtr> change(const MessagePtr& message, const Waiting& waiting = {}) const;
  Result<nlohmann::json> document(Result<MessagePtr> reply) const;
  Result<DiskAnswer> ask_disk(const MessagePtr& message) const;
  Result<std::string> order(const MessagePtr& message, const Waiting& waiting) const;
  static int on_signal(sd_bus_message* message, void* self, sd_bus_error*);
};

int Client::Impl::open() {
  ahead.reset();
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
      const int descriptor = line.take_descriptor();  // the bus' own from here on
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

Error Client::Impl::explain(const sd_bus_error& error, int r) const {
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
// Errors of the way there, and not fmd's own.
bool Client::Impl::is_away(const sd_bus_error& error, int r) {
  if (!error.name || r == -ECONNRESET || r == -ENOTCONN) return true;
  for (const char* name : {SD_BUS_ERROR_SERVICE_UNKNOWN, SD_BUS_ERROR_NAME_HAS_NO_OWNER,
                           SD_BUS_ERROR_NO_REPLY, SD_BUS_ERROR_TIMEOUT, SD_BUS_ERROR_DISCONNECTED})
    if (sd_bus_error_has_name(&error, name)) return true;
  return false;
}

Result<MessagePtr> Client::Impl::new_call(const char* method) const {
  sd_bus_message* raw = nullptr;
  const int r = sd_bus_message_new_method_call(bus.get(), &raw, kName, kPath, kName, method);
  away = r < 0;
  if (r < 0) return fail("The connection to " + bus_words(target) + " failed: " + strerror(-r));
  sd_bus_message_set_auto_start(raw, 0);
  return MessagePtr(raw);
}

Result<MessagePtr> Client::Impl::call(const MessagePtr& message, uint64_t timeout_us) const {
  // fmd's Pings among what came meanwhile: what was read makes room for more (fmd/bus/unread.h).
  while (sd_bus_process(bus.get(), nullptr) > 0) continue;
  sd_bus_error error = SD_BUS_ERROR_NULL;
  sd_bus_message* reply = nullptr;
  const int r = sd_bus_call(bus.get(), message.get(), timeout_us, &error, &reply);
  away = r < 0 && is_away(error, r);
  if (r >= 0) return MessagePtr(reply);
  Error explained = explain(error, r);
  sd_bus_error_free(&error);
  return tl::unexpected(std::move(explained));
}

std::unique_ptr<Asked> Client::Impl::ask(const MessagePtr& message, uint64_t timeout_us) const {
  const auto keep = [](sd_bus_message* answer, void* to, sd_bus_error*) {
    static_cast<MessagePtr*>(to)->reset(sd_bus_message_ref(answer));
    return 0;
  };
  auto asked = std::make_unique<Asked>();
  asked->method = sd_bus_message_get_member(message.get());
  sd_bus_slot* raw = nullptr;
  asked->sent = sd_bus_call_async(bus.get(), &raw, message.get(), keep, &asked->reply, timeout_us);
  asked->slot.reset(raw);
  return asked;
}

Result<MessagePtr> Client::Impl::await(Asked& asked, const Waiting& waiting) const {
  using Clock = std::chrono::steady_clock;
  int r = asked.sent;
  const auto begun = Clock::now();
  for (int64_t told = 0; r >= 0 && !asked.reply;) {
    r = sd_bus_process(bus.get(), nullptr);
    if (r != 0) continue;
    r = sd_bus_wait(bus.get(), 1'000'000);
    if (r == -EINTR) r = 0;  // stopped and continued
    const auto passed = std::chrono::duration_cast<std::chrono::seconds>(Clock::now() - begun);
    if (waiting && passed.count() > told) waiting(told = passed.count());
  }
  const sd_bus_error none = SD_BUS_ERROR_NULL;
  const sd_bus_error* error = asked.reply ? sd_bus_message_get_error(asked.reply.get()) : &none;
  away = error && is_away(*error, r);
  if (error) return tl::unexpected(explain(*error, r));
  return std::move(asked.reply);
}

Result<MessagePtr> Client::Impl::change(const MessagePtr& message, const Waiting& waiting) const {
  const bool local = target.host.empty();
  const bool terminal = !target.desktop && isatty(STDIN_FILENO) != 0;
  const bool ask = (target.desktop || terminal) && geteuid() != 0;
  if (ask) sd_bus_message_set_allow_interactive_authorization(message.get(), 1);
  const PolkitAgent agent(ask && terminal && local);
  if (!waiting || ask) return call(message, kChangeTimeoutUs);
  return await(*this->ask(message, kChangeTimeoutUs), waiting);
}

Result<std::string> Client::Impl::order(const MessagePtr& message, const Waiting& waiting) const {
  auto reply = change(message, waiting);
  if (!reply) return tl::unexpected(reply.error());
  const char* text = nullptr;
  if (sd_bus_message_read(reply->get(), "s", &text) < 0)
    return fail("fmd's answer is not what this program expects; are their versions the same?");
  return std::string(text);
}

Result<Client::DiskAnswer> Client::Impl::ask_disk(const MessagePtr& message) const {
  auto reply = change(message);
  if (!reply) return tl::unexpected(reply.error());
  const char *disk = nullptr, *note = nullptr;
  if (sd_bus_message_read(reply->get(), "ss", &disk, &note) < 0)
    return fail("fmd's answer is not what this program expects; are their versions the same?");
  return DiskAnswer{disk, note};
}

Result<nlohmann::json> Client::Impl::document(Result<MessagePtr> reply) const {
  if (!reply) return tl::unexpected(reply.error());
  const char* text = nullptr;
  if (sd_bus_message_read(reply->get(), "s", &text) < 0)
    return fail("fmd's answer is not what this program expects; are their versions the same?");
  auto doc = nlohmann::json::parse(text, nullptr, false);
  if (doc.is_discarded()) return fail("fmd's answer is not JSON; are their versions the same?");
  return doc;
}

Client::Client(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Client::Client(Client&&) noexcept = default;
Client& Client::operator=(Client&&) noexcept = default;
Client::~Client() = default;

Result<Client> Client::connect(const Target& target) {
  if (!target.host.empty() && !target.bus.empty())
    return fail("--host and --bus exclude each other");
  if (target.host.starts_with('-')) return fail("a host's name does not begin with \"-\"");
  auto impl = std::make_unique<Impl>();
  impl->target = target;
  if (const int r = impl->open(); r < 0)
    return fail("Cannot reach " + bus_words(target) + ": " + strerror(-r));
  return Client(std::move(impl));
}

void Client::set_patience(std::chrono::milliseconds patience) {
  impl_->patience_us = static_cast<uint64_t>(patience.count()) * 1000;
}

Result<nlohmann::json> Client::query(const char* method) {
  if (is_paged(method)) return query(method, nlohmann::json::object());
  if (impl_->ahead && impl_->ahead->method == method)
    return impl_->document(impl_->await(*std::exchange(impl_->ahead, nullptr), {}));
  auto message = impl_->new_call(method);
  if (!message) return tl::unexpected(message.error());
  return impl_->document(impl_->call(*message, impl_->patience_us));
}

void Client::ask_ahead(const char* method) {
  if (auto message = impl_->new_call(method))
    impl_->ahead = impl_->ask(*message, impl_->patience_us);
}

Result<nlohmann::json> Client::query(const char* method, const nlohmann::json& filter) {
  return whole_answer(method, filter,
                      [this](const char* call,
                             const std::vector<std::string>& arguments) -> Result<nlohmann::json> {
                        auto message = impl_->new_call(call);
                        if (!message) return tl::unexpected(message.error());
                        for (const std::string& text : arguments)
                          sd_bus_message_append(message->get(), "s", text.c_str());
                        return impl_->document(impl_->call(*message, impl_->patience_us));
                      });
}

namespace {

Result<std::vector<std::string>> read_list(sd_bus_message* reply) {
  std::vector<std::string> list;
  const char* text = nullptr;
  if (sd_bus_message_enter_container(reply, 'a', "s") < 0)
    return fail("fmd's answer is not what this program expects; are their versions the same?");
  while (sd_bus_message_read(reply, "s", &text) > 0) list.emplace_back(text);
  return list;
}

Error not_text() {
  return {"An argument is not valid UTF-8, which D-Bus cannot carry", {}, 0};
}

}  // namespace

Result<std::vector<std::string>> Client::judge(const std::string& verdict, const std::string& uuid,
                                               const std::string& part, bool force) {
  auto message = impl_->new_call("Judge");
  if (!message) return tl::unexpected(message.error());
  if (sd_bus_message_append(message->get(), "sssb", verdict.c_str(), uuid.c_str(), part.c_str(),
                            force ? 1 : 0) < 0)
    return tl::unexpected(not_text());
  auto reply = impl_->change(*message);
  if (!reply) return tl::unexpected(reply.error());
  return read_list(reply->get());
}

Result<void> Client::acknowledge(const std::string& uuid, const std::string& comment) {
  auto message = impl_->new_call("Acknowledge");
  if (!message) return tl::unexpected(message.error());
  if (sd_bus_message_append(message->get(), "ss", uuid.c_str(), comment.c_str()) < 0)
    return tl::unexpected(not_text());
  auto reply = impl_->change(*message);
  if (!reply) return tl::unexpected(reply.error());
  return {};
}

Result<std::string> Client::locate(const std::string& part, bool on) {
  auto message = impl_->new_call("Locate");
  if (!message) return tl::unexpected(message.error());
  if (sd_bus_message_append(message->get(), "sb", part.c_str(), on ? 1 : 0) < 0)
    return tl::unexpected(not_text());
  return impl_->order(*message, {});
}

Result<void> Client::hold_locate(const std::string& bay) {
  auto message = impl_->new_call("HoldLocate");
  if (!message) return tl::unexpected(message.error());
  if (sd_bus_message_append(message->get(), "s", bay.c_str()) < 0)
    return tl::unexpected(not_text());
  if (auto reply = impl_->change(*message); !reply) return tl::unexpected(reply.error());
  return {};
}

Result<void> Client::release_locate() {
  auto message = impl_->new_call("ReleaseLocate");
  if (!message) return tl::unexpected(message.error());
  if (auto reply = impl_->call(*message, kQueryTimeoutUs); !reply)
    return tl::unexpected(reply.error());
  return {};
}

Result<Client::DiskAnswer> Client::refresh_disk(const std::string& part) {
  auto message = impl_->new_call("RefreshDisk");
  if (!message) return tl::unexpected(message.error());
  if (sd_bus_message_append(message->get(), "s", part.c_str()) < 0)
    return tl::unexpected(not_text());
  return impl_->ask_disk(*message);
}

Result<Client::DiskAnswer> Client::self_test(const std::string& part, const std::string& type,
                                             bool force) {
  auto message = impl_->new_call("SelfTest");
  if (!message) return tl::unexpected(message.error());
  if (sd_bus_message_append(message->get(), "ssb", part.c_str(), type.c_str(), force ? 1 : 0) < 0)
    return tl::unexpected(not_text());
  return impl_->ask_disk(*message);
}

Result<std::string> Client::retire(const std::string& part, const std::string& level,
                                   const Waiting& waiting) {
  auto message = impl_->new_call("Retire");
  if (!message) return tl::unexpected(message.error());
  if (sd_bus_message_append(message->get(), "ss", part.c_str(), level.c_str()) < 0)
    return tl::unexpected(not_text());
  return impl_->order(*message, waiting);
}

Result<std::string> Client::restore(const std::string& part, const Waiting& waiting) {
  auto message = impl_->new_call("Restore");
  if (!message) return tl::unexpected(message.error());
  if (sd_bus_message_append(message->get(), "s", part.c_str()) < 0)
    return tl::unexpected(not_text());
  return impl_->order(*message, waiting);
}

Result<std::string> Client::replace(const std::string& part, const std::string& with, bool force,
                                    const Waiting& waiting) {
  auto message = impl_->new_call("Replace");
  if (!message) return tl::unexpected(message.error());
  if (sd_bus_message_append(message->get(), "ssb", part.c_str(), with.c_str(), force ? 1 : 0) < 0)
    return tl::unexpected(not_text());
  return impl_->order(*message, waiting);
}

Result<std::string> Client::add_maintenance(const nlohmann::json& window) {
  auto message = impl_->new_call("AddMaintenance");
  if (!message) return tl::unexpected(message.error());
  if (sd_bus_message_append(message->get(), "s", window.dump().c_str()) < 0)
    return tl::unexpected(not_text());
  return impl_->order(*message, {});
}

Result<void> Client::end_maintenance(const std::string& id) {
  auto message = impl_->new_call("EndMaintenance");
  if (!message) return tl::unexpected(message.error());
  if (sd_bus_message_append(message->get(), "s", id.c_str()) < 0) return tl::unexpected(not_text());
  auto reply = impl_->change(*message);
  if (!reply) return tl::unexpected(reply.error());
  return {};
}

Result<std::string> Client::test_notify(const std::string& channel) {
  auto message = impl_->new_call("TestNotify");
  if (!message) return tl::unexpected(message.error());
  if (sd_bus_message_append(message->get(), "s", channel.c_str()) < 0)
    return tl::unexpected(not_text());
  return impl_->order(*message, {});
}

Result<void> Client::set_dry_run(bool on) {
  auto message = impl_->new_call("SetDryRun");
  if (!message) return tl::unexpected(message.error());
  sd_bus_message_append(message->get(), "b", on ? 1 : 0);
  auto reply = impl_->change(*message);
  if (!reply) return tl::unexpected(reply.error());
  return {};
}

Result<std::vector<std::string>> Client::reload() {
  auto message = impl_->new_call("Reload");
  if (!message) return tl::unexpected(message.error());
  auto reply = impl_->change(*message);
  if (!reply) return tl::unexpected(reply.error());
  return read_list(reply->get());
}

int Client::Impl::on_signal(sd_bus_message* message, void* self, sd_bus_error*) {
  News news;
  news.signal = sd_bus_message_get_member(message);
  if (news.signal == "EventsLogged") {
    sd_bus_message_read(message, "t", &news.last_seq);
  } else if (news.signal == "NameOwnerChanged") {
    const char *name = "", *before = "", *now = "";
    if (sd_bus_message_read(message, "sss", &name, &before, &now) < 0 || *now) return 0;
    news.signal = "Gone";
  } else {
    const char *subject = "", *what = "";
    if (sd_bus_message_read(message, "ss", &subject, &what) < 0) return 0;
    news.subject = subject;
    news.what = what;
  }
  static_cast<Impl*>(self)->news.push_back(std::move(news));
  return 0;
}

Result<void> Client::subscribe() {
  int r = sd_bus_match_signal(impl_->bus.get(), nullptr, kName, kPath, kName, nullptr,
                              Impl::on_signal, impl_.get());
  const std::string owner = std::string("type='signal',sender='org.freedesktop.DBus',member='") +
                            "NameOwnerChanged',arg0='" + kName + "'";
  if (r >= 0)
    r = sd_bus_add_match(impl_->bus.get(), nullptr, owner.c_str(), Impl::on_signal, impl_.get());
  if (r < 0) return tl::unexpected(impl_->explain(SD_BUS_ERROR_NULL, r));
  impl_->subscribed = true;
  return {};
}

Result<void> Client::ping(uint64_t timeout_ms) {
  sd_bus_message* raw = nullptr;
  const int r = sd_bus_message_new_method_call(impl_->bus.get(), &raw, kName, kPath,
                                               "org.freedesktop.DBus.Peer", "Ping");
  if (r < 0) return tl::unexpected(impl_->explain(SD_BUS_ERROR_NULL, r));
  const MessagePtr message(raw);
  sd_bus_message_set_auto_start(raw, 0);
  if (const auto reply = impl_->call(message, timeout_ms * 1000); !reply)
    return tl::unexpected(reply.error());
  return {};
}

bool Client::away() const {
  return impl_->away;
}

int Client::descriptor() const {
  return impl_->bus ? sd_bus_get_fd(impl_->bus.get()) : -1;
}

bool Client::connected() const {
  return impl_->bus && sd_bus_is_open(impl_->bus.get()) > 0;
}

Result<void> Client::reconnect() {
  if (const int r = impl_->open(); r < 0)
    return fail("Cannot reach " + bus_words(impl_->target) + ": " + strerror(-r));
  return impl_->subscribed ? subscribe() : Result<void>();
}

Result<Client::News> Client::wait(uint64_t timeout_ms, int wake) {
  for (bool waited = false; impl_->news.empty();) {
    int r = sd_bus_process(impl_->bus.get(), nullptr);
    if (r > 0) continue;
    if (r == 0 && waited) return News{};
    if (r == 0) r = wait_on(impl_->bus.get(), timeout_ms, wake);
    if (r == -EINTR) r = 0;
    if (r < 0) return tl::unexpected(impl_->explain(SD_BUS_ERROR_NULL, r));
    waited = r == 0;
  }
  News news = std::move(impl_->news.front());
  impl_->news.pop_front();
  return news;
}

}  // namespace fmd::ui
