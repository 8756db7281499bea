#include "ui/client/client.h"

#include <fmt/format.h>

#include <unistd.h>

#include <deque>
#include <utility>

#include "fmd/base/json.h"
#include "ui/client/bus_wait.h"
#include "ui/client/connection.h"
#include "ui/client/pages.h"
#include "ui/client/polkit_agent.h"

namespace fmd::ui {
namespace {

constexpr uint64_t kChangeTimeoutUs = 310'000'000;  // polkit may be waiting for a password

}  // namespace

struct Client::Impl : Connection {
  std::deque<News> news;
  bool subscribed = false;

  Result<MessagePtr> change(const MessagePtr& message, const Waiting& waiting = {}) const;
  Result<DiskAnswer> ask_disk(const MessagePtr& message, const Waiting& waiting = {}) const;
  Result<std::string> order(const MessagePtr& message, const Waiting& waiting) const;
  static int on_signal(sd_bus_message* message, void* self, sd_bus_error*);
};

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

Result<Client::DiskAnswer> Client::Impl::ask_disk(const MessagePtr& message,
                                                  const Waiting& waiting) const {
  auto reply = change(message, waiting);
  if (!reply) return tl::unexpected(reply.error());
  const char *disk = nullptr, *note = nullptr;
  if (sd_bus_message_read(reply->get(), "ss", &disk, &note) < 0)
    return fail("fmd's answer is not what this program expects; are their versions the same?");
  return DiskAnswer{disk, note};
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
  if (auto opened = impl->open(); !opened) return tl::unexpected(opened.error());
  return Client(std::move(impl));
}

void Client::set_patience(std::chrono::milliseconds patience) {
  impl_->patience_us = static_cast<uint64_t>(patience.count()) * 1000;
}

Result<nlohmann::json> Client::query(const char* method) {
  if (is_paged(method)) return query(method, nlohmann::json::object());
  return impl_->answer({method, {}});
}

Result<nlohmann::json> Client::query(const char* method, const nlohmann::json& filter) {
  return whole_answer(method, filter,
                      [this](const Question& question) { return impl_->answer(question); });
}

void Client::ask_ahead(const char* method) {
  impl_->ask_ahead({method, {}});
}

void Client::ask_ahead(const char* method, const nlohmann::json& filter) {
  impl_->ask_ahead(first_question(method, filter));
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

Result<Client::DiskAnswer> Client::refresh_disk(const std::string& part, const Waiting& waiting) {
  auto message = impl_->new_call("RefreshDisk");
  if (!message) return tl::unexpected(message.error());
  if (sd_bus_message_append(message->get(), "s", part.c_str()) < 0)
    return tl::unexpected(not_text());
  return impl_->ask_disk(*message, waiting);
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
  const std::string owner = fmt::format(
      "type='signal',sender='org.freedesktop.DBus',member='NameOwnerChanged',arg0='{}'", kName);
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
  if (auto opened = impl_->open(); !opened) return opened;
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
