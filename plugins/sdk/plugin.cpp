#include "plugins/sdk/plugin.h"

#include <fmt/format.h>
#include <malloc.h>
#include <sys/random.h>
#include <syslog.h>
#include <systemd/sd-daemon.h>
#include <systemd/sd-event.h>

#include <algorithm>
#include <map>

#include "fmd/base/json_value.h"
#include "fmd/base/text.h"
#include "fmd/protocol/lines.h"
#include "fmd/protocol/parse.h"
#include "plugins/sdk/internal/command_table.h"
#include "plugins/sdk/internal/connection.h"
#include "plugins/sdk/internal/event_queue.h"
#include "plugins/sdk/internal/line_bounds.h"
#include "plugins/sdk/messages.h"

namespace fmd::sdk {
namespace {

using nlohmann::json;

constexpr std::chrono::milliseconds kHeartbeat{30000};
constexpr std::chrono::milliseconds kSettledAfter{5000};
constexpr size_t kMaxReadingsUnsent = 4 << 20;  // bytes; beyond that readings are dropped

std::string make_instance() {
  uint64_t number = 0;
  if (getrandom(&number, sizeof number, 0) < 0) number = static_cast<uint64_t>(time(nullptr));
  char text[17];
  snprintf(text, sizeof text, "%016llx", static_cast<unsigned long long>(number));
  return text;
}

// Answers exactly once: with the first call, or with "failed" once all copies are gone.
struct Answer {
  std::function<void(CommandReply)> tell;
  ~Answer() { operator()({"failed", "the plugin gave up without an answer", json::object()}); }
  void operator()(CommandReply reply) {
    if (auto fn = std::exchange(tell, nullptr)) fn(std::move(reply));
  }
};

// JSON-RPC codes for a malformed request: resending it cannot help.
bool is_our_mistake(int64_t code) {
  return code <= -32600 && code >= -32700;
}

}  // namespace

struct Plugin::Impl : std::enable_shared_from_this<Impl> {
  sd_event* loop;  // the creator's, which outlives this
  PluginInfo info;
  Connection connection;
  EventQueue events;
  CommandTable commands;
  Timer heartbeat, settled;
  std::function<void(const std::string&)> connected_fn;
  std::function<void(const CommandRequest&, Reply)> command_fn;
  uint64_t next_id = 0, hello_id = 0;
  bool ready = false, boot = false;
  std::string last_error, status_state, status_reason;

  Impl(sd_event* event_loop, PluginInfo plugin_info, std::string socket)
      : loop(event_loop),
        info(std::move(plugin_info)),
        connection(event_loop, std::move(socket),
                   {.opened = [this] { say_hello(); },
                    .line = [this](std::string_view line) { on_line(line); },
                    .closed = [this](const std::string& why) { on_closed(why); }}),
        events(make_instance()),
        commands([this](uint64_t id, const CommandReply& reply) { send_reply(id, reply); }),
        heartbeat(event_loop),
        settled(event_loop) {}

  void say_hello() {
    hello_id = ++next_id;
    connection.send(wire::request(hello_id, "hello",
                                  {{"name", info.name},
                                   {"version", FMD_VERSION},
                                   {"protocol", 1},
                                   {"observes", info.observes},
                                   {"commands", info.commands},
                                   {"handles", info.handles},
                                   {"heartbeat_ms", kHeartbeat.count()},
                                   {"transient", false},
                                   {"kept", true}}));
  }

  void on_closed(const std::string& why) {
    ready = false;
    heartbeat.stop();
    settled.stop();
    commands.disconnected();
    if (why == last_error) return;  // log once, not for each attempt
    last_error = why;
    log(LOG_WARNING, why + "; trying again");
    sd_notifyf(0, "STATUS=not connected: %s", why.c_str());
  }

  void on_hello(const json& result) {
    const auto cursor = events.reconnected(json_text(result, "cursor"), json_text(result, "kept"));
    if (!cursor) {
      log(LOG_WARNING,
          "fmd ended before it had written what it kept: reading it again, in a new process");
      sd_event_exit(loop, 1);
      return;
    }
    ready = true;
    last_error.clear();
    boot = result.value("boot", false);
    log(LOG_INFO, "connected to fmd");
    sd_notify(0, "STATUS=connected to fmd");
    settled.start(kSettledAfter, [this] { connection.settled(); });
    beat();
    if (!status_state.empty()) tell_status();
    auto self = shared_from_this();
    if (connected_fn) connected_fn(*cursor);
    pump();
  }

  void beat() {
    // Well before the promised time, so that a delay on a busy machine raises no alarm.
    heartbeat.start_lazily(kHeartbeat / 2, [this] {
      connection.send(wire::notification("heartbeat", json::object()));
      connection.give_room_back();
      malloc_trim(0);  // building an inventory needs much more memory than is kept of it
      beat();
    });
  }

  void pump() {
    while (ready) {
      auto line = events.take(next_id + 1);
      if (!line) return;
      ++next_id;
      connection.send(*line);
    }
  }

  void on_line(std::string_view line) {
    const json message = json::parse(line, nullptr, false);
    if (!message.is_object()) return connection.close("fmd sent a line that is no JSON object");
    auto self = shared_from_this();
    const auto id = message.find("id");
    const bool has_id = id != message.end() && id->is_number_unsigned();
    if (message.contains("method")) {
      if (has_id) return on_request(id->get<uint64_t>(), message);
      on_notification(json_text(message, "method"), message.value("params", json::object()));
    } else if (has_id && message.contains("result") && message["result"].is_object()) {
      on_result(id->get<uint64_t>(), message["result"]);
    } else if (message.contains("error") && message["error"].is_object()) {
      on_error(has_id ? id->get<uint64_t>() : 0, message["error"]);
    }
  }

  void on_notification(const std::string& method, const json& params) {
    if (method == "error") log(LOG_ERR, "fmd says: " + params.dump());
    if (!params.is_object()) return;
    if (method == "written") events.written(json_text(params, "cursor"));
    if (method != "kept") return;
    for (const json& id : params.value("requests", json::array()))
      if (id.is_number_unsigned()) events.kept(id.get<uint64_t>());
    pump();
  }

  void on_result(uint64_t id, const json& result) {
    if (id == hello_id) return on_hello(result);
    if (!events.acked(id)) return;
    for (const auto& rejected : result.value("rejected", json::array()))
      log(LOG_ERR, "fmd rejected an event: " + json_text(rejected, "reason"));
    pump();
  }

  void on_error(uint64_t id, const json& error) {
    const std::string text = json_text(error, "message");
    const auto code = error.find("code");
    const bool ours =
        code != error.end() && code->is_number_integer() && is_our_mistake(code->get<int64_t>());
    if (id == hello_id || id == 0) return connection.close("fmd refuses: " + text);
    log(LOG_ERR, "fmd refuses a request: " + text);
    if (ours && events.acked(id)) return pump();
    // Other errors may be temporary (a full disk): keep the events and resend them after a
    // reconnect.
    if (!ours) connection.close("fmd could not take a request: " + text);
  }

  void on_request(uint64_t id, const json& message) {
    const json params = message.value("params", json::object());
    if (json_text(message, "method") != "command" || !params.is_object())
      return connection.send(wire::error(id, -32601, "a plugin only takes `command`"));
    CommandRequest request{json_text(params, "name"), json_text(params, "resource"),
                           json_text(params, "key"), params.value("args", json::object())};
    if (const auto ms = params.find("deadline_ms"); ms != params.end() && ms->is_number_integer())
      request.deadline_ms = ms->get<int64_t>();
    if (!request.args.is_object()) request.args = json::object();
    uint64_t ticket = 0;
    if (!commands.begin(request.key, id, ticket)) return;
    auto answer = std::make_shared<Answer>();
    // A message has the same key in each attempt, so a failed attempt must not be remembered.
    const bool tried_again = request.name == "deliver";
    answer->tell = [weak = weak_from_this(), ticket, tried_again](const CommandReply& reply) {
      const bool remember = !tried_again || reply.status == "done";
      if (auto self = weak.lock()) self->commands.finish(ticket, reply, remember);
    };
    const bool known =
        std::find(info.commands.begin(), info.commands.end(), request.name) != info.commands.end();
    if (!known || !command_fn)
      (*answer)({"failed", "fmd-" + info.name + " does not take the command '" + request.name + "'",
                 json::object()});
    else
      command_fn(request, [answer](CommandReply reply) { (*answer)(std::move(reply)); });
  }

  void send_reply(uint64_t id, const CommandReply& reply) {
    json detail = reply.detail;
    cut_texts(detail);
    if (line_bytes(detail) > kMostOfLine) detail = json::object();
    connection.send(wire::result(id, {{"status", reply.status},
                                      {"reason", cut_text(reply.reason)},
                                      {"detail", std::move(detail)}}));
  }

  void tell_status() {
    if (ready)
      connection.send(
          wire::notification("status", {{"state", status_state}, {"reason", status_reason}}));
  }

  void inventory_message(json params) {
    connection.send(wire::request(++next_id, "inventory", params));
  }

  void send_inventory(json resources, json gone, bool complete) {
    if (!ready) return;
    json fitting = json::array(), kept = json::array();
    for (json& resource : resources) {
      const std::string fmri = json_text(resource, "fmri");
      const Fit fit = fit_resource(resource);
      if (fit != Fit::whole)
        log(LOG_WARNING, fmt::format("{}: {}", display(fmri.substr(0, 200)),
                                     fit == Fit::unfit ? "the name is too long; not reported"
                                                       : "reported without its properties, which "
                                                         "are larger than one message"));
      if (fit == Fit::unfit) continue;
      kept.push_back(fmri);
      fitting.push_back(std::move(resource));
    }
    std::vector<json> parts = split_list(std::move(fitting)), ended = split_list(std::move(gone));
    const bool whole = parts.size() == 1 && ended.size() == 1 &&
                       line_bytes(parts[0]) + line_bytes(ended[0]) <= kMostOfLine;
    for (size_t i = 0; i < ended.size() && !whole; ++i)
      inventory_message(
          {{"complete", false}, {"resources", json::array()}, {"gone", std::move(ended[i])}});
    for (json& part : parts)
      inventory_message({{"complete", complete && whole},
                         {"resources", std::move(part)},
                         {"gone", whole ? std::move(ended[0]) : json::array()}});
    if (!complete || whole) return;
    if (kept.size() > protocol::kMaxResources || line_bytes(kept) > kMostOfLine)
      return log(LOG_WARNING,
                 "too many resources for a complete inventory: what is gone stays known");
    inventory_message({{"complete", true},
                       {"resources", json::array()},
                       {"gone", json::array()},
                       {"kept", std::move(kept)}});
  }
};

Plugin::Plugin(sd_event* loop, PluginInfo info, std::string socket)
    : impl_(std::make_shared<Impl>(loop, std::move(info), std::move(socket))) {
  impl_->connection.start();
}
Plugin::~Plugin() = default;

void Plugin::on_connected(std::function<void(const std::string& cursor)> fn) {
  impl_->connected_fn = std::move(fn);
}
void Plugin::on_command(std::function<void(const CommandRequest&, Reply)> fn) {
  impl_->command_fn = std::move(fn);
}

void Plugin::send_events(std::vector<OutEvent> events, std::string cursor) {
  impl_->events.push(events, cursor);
  impl_->pump();
}

void Plugin::send_inventory(json resources, json gone, bool complete) {
  impl_->send_inventory(resources.is_array() ? std::move(resources) : json::array(),
                        gone.is_array() ? std::move(gone) : json::array(), complete);
}

void Plugin::send_readings(json readings) {
  if (!impl_->ready || impl_->connection.unsent() > kMaxReadingsUnsent) return;
  for (json& part : split_list(std::move(readings)))
    impl_->connection.send(wire::notification("readings", {{"readings", std::move(part)}}));
}

void Plugin::send_status(std::string_view state, std::string_view reason) {
  if (impl_->status_state == state && impl_->status_reason == cut_text(reason)) return;
  impl_->status_state = state;
  impl_->status_reason = cut_text(reason);
  impl_->tell_status();
}

bool Plugin::connected() const {
  return impl_->ready;
}
bool Plugin::first_since_boot() const {
  return impl_->boot;
}
size_t Plugin::unacked_events() const {
  return impl_->events.size();
}

}  // namespace fmd::sdk
