#include "fmd/hub/hub.h"

#include <fmt/format.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "fmd/base/duration.h"
#include "fmd/base/json.h"
#include "fmd/base/moment.h"
#include "fmd/base/text.h"
#include "fmd/hub/session.h"
#include "fmd/protocol/events_request.h"
#include "fmd/protocol/lines.h"
#include "fmd/protocol/parse.h"
#include "fmd/protocol/room.h"

namespace fmd {
namespace {

constexpr int kNoSuchMethod = -32601, kWrongParams = -32602;
constexpr uint64_t kTimerAccuracyUs = 10000;
constexpr int64_t kShortestCheckNs = 20 * kMsNs;
constexpr int64_t kLateNs = 1000 * kMsNs;  // input may delay a check by this
constexpr int64_t kOversleptNs = 5LL * 1000000000;
constexpr int64_t kReportEachNs = 10LL * 1000000000;  // protocol reports about one name

constexpr size_t kMaxPlugins = 256;  // names

// A plugin reports only about parts that it observes.
void refuse_unobserved(protocol::EventsMessage& message, const std::vector<std::string>& observes) {
  const auto why = [&](const Event& event) {
    const std::string named =
        observes.empty() ? "nothing" : display(fmt::format("{}", fmt::join(observes, ", ")));
    return fmt::format("{} is not among what it observes: \"observes\" of its hello names {}",
                       event.event_class, named);
  };
  const auto may_tell = [&](const auto& entry) {
    return class_within(entry.second->event_class, observes);
  };
  if (std::all_of(message.events.begin(), message.events.end(), may_tell)) return;
  for (const auto& entry : message.events)
    if (const Event& event = *entry.second; !may_tell(entry))
      message.rejected.push_back(
          {entry.first, why(event), event.event_class, protocol::raw_event(event)});
  std::erase_if(message.events, [&](const auto& entry) { return !may_tell(entry); });
}

}  // namespace

Result<RpcMessage> PluginHub::Session::read(std::string_view text,
                                            const protocol::EventInterest& interest) {
  auto request = protocol::parse_events_request(text, interest, protocol::Behind::readable);
  if (!request) return parse_rpc(text);
  told = std::move(request->message);
  RpcMessage message;
  message.method = "events";
  message.id = request->id;
  return message;
}

PluginHub::PluginHub(sd_event* loop, Clock clock, PluginIntake& intake, uid_t own_uid)
    : loop_(sd_event_ref(loop)),
      clock_(std::move(clock)),
      intake_(intake),
      own_uid_(own_uid),
      calls_(loop) {
  sd_event_add_time(loop_, &timer_, CLOCK_BOOTTIME, UINT64_MAX, kTimerAccuracyUs, on_timer, this);
  // After what peers have sent was read: a heartbeat that waits in a socket counts.
  sd_event_source_set_priority(timer_, SD_EVENT_PRIORITY_NORMAL + 10);
  sd_event_add_time(loop_, &late_timer_, CLOCK_BOOTTIME, UINT64_MAX, kTimerAccuracyUs, on_late,
                    this);
}

PluginHub::~PluginHub() {
  stop();
  for (auto& [peer, session] : sessions_) session->connection.reset();
  sd_event_source_disable_unref(timer_);
  sd_event_source_disable_unref(late_timer_);
  sd_event_unref(loop_);
}

void PluginHub::add_peer(int fd, const Peer& peer) {
  auto session = std::make_unique<Session>();
  const PeerId id = next_peer_++;
  Connection::Owner& owner = *this;
  session->connection = std::make_shared<Connection>(loop_, fd, id, peer, clock_, owner);
  session->since_ns = clock_.boot_ns();
  const auto connection = session->connection;
  sessions_[id] = std::move(session);
  connection->start();
  arm_timer();
}

PluginHub::Session* PluginHub::session(PeerId peer) {
  const auto found = sessions_.find(peer);
  return found == sessions_.end() ? nullptr : found->second.get();
}

// --- what a peer says
// --------------------------------------------------------------------------------------

void PluginHub::line(Connection& connection, std::string_view text) {
  Session* from = session(connection.id());
  if (!from) return;
  const Result<RpcMessage> message =
      from->name.empty() ? parse_rpc(text) : from->read(text, interest_);
  if (!message) return connection.cut_off(message.error().message);
  from->line_bytes = text.size();
  if (from->name.empty() && message->method != "hello")
    return connection.cut_off("the first message must be hello");
  if (!from->name.empty()) {
    if (const auto finding = table_.seen(from->name, clock_.boot_ns(), clock_.wall_ns())) {
      intake_.plugin_finding(*finding);
      intake_.plugin_changed(from->name);
    }
  }
  if (message->method.empty())
    answered(*from, *message);
  else if (message->id)
    request(*from, *message);
  else
    notification(*from, *message);
}

void PluginHub::request(Session& from, const RpcMessage& message) {
  if (message.method == "hello") return hello(from, message);
  if (message.method == "events") return events(from, message);
  if (message.method != "inventory")
    return refuse(from.connection->id(), *message.id, kNoSuchMethod,
                  fmt::format("there is no request \"{}\"; there are hello, inventory and events",
                              display(message.method, 40)));
  auto update = protocol::parse_inventory(message.params);
  if (!update) return from.connection->cut_off(update.error().message);
  update->source = from.name;
  if (const auto may = may_describe(from.connection->peer(), grants_, *update); !may)
    return from.connection->cut_off(may.error().message);
  set_apart_foreign(grants_, *update);
  unacked_.add(from.connection->id(), *message.id, from.name, from.line_bytes, 0);
  hold_or_go_on(from);
  intake_.plugin_inventory(from.connection->id(), *message.id, std::move(*update));
}

void PluginHub::notification(Session& from, const RpcMessage& message) {
  if (message.method == "heartbeat") return;
  if (message.method == "readings") {
    auto readings = protocol::parse_readings(message.params);
    if (!readings) return from.connection->cut_off(readings.error().message);
    readings->update.source = from.name;
    if (const auto may = may_describe(from.connection->peer(), grants_, readings->update); !may)
      return from.connection->cut_off(may.error().message);
    set_apart_foreign(grants_, readings->update);
    return intake_.plugin_readings(from.name, std::move(*readings));
  }
  if (message.method == "status") {
    const auto status = parse_plugin_status(message.params);
    if (!status) return from.connection->cut_off(status.error().message);
    PluginRecord* record = table_.find(from.name);
    if (!record || (record->state == status->state && record->reason == status->reason)) return;
    record->state = status->state;
    record->reason = status->reason;
    return intake_.plugin_changed(from.name);
  }
  // Unknown messages may come from a later version of the protocol; a request without an id is an
  // error.
  if (message.method == "hello" || message.method == "events" || message.method == "inventory")
    from.connection->cut_off(fmt::format("\"{}\" must have an id", message.method));
}

void PluginHub::hello(Session& from, const RpcMessage& message) {
  auto parsed = parse_hello(message.params);
  if (!parsed) return from.connection->cut_off(parsed.error().message);
  if (!from.name.empty()) return from.connection->cut_off("a second hello");
  const std::string name = parsed->name;
  if (!table_.find(name) && table_.all().size() >= kMaxPlugins)
    return from.connection->cut_off(fmt::format("{} plugins are known already", kMaxPlugins));
  const PeerId peer = from.connection->id();
  const Peer& bearer = from.connection->peer();
  if (const auto may = may_bear(bearer, own_uid_, grants_, *parsed); !may)
    return from.connection->cut_off(may.error().message);
  if (const PluginRecord* held = table_.find(name);
      held && held->connected() && bearer.uid != 0 && bearer.uid != held->process.uid)
    return from.connection->cut_off(
        fmt::format("fmd-{} is connected as uid {}: another user's does not take over from it",
                    name, held->process.uid));
  // The newer connection takes over: the older process may hang.
  for (auto& [id, other] : sessions_) {
    if (other->name != name) continue;
    other->name.clear();
    calls_.fail_calls_of(id, fmt::format("fmd-{} has reconnected", name));
    other->connection->close("another connection of the same name took over");
    break;  // closing changed the map; there was at most one
  }
  from.name = name;
  from.knows_kept = parsed->kept;
  const bool takes_commands = !parsed->handles.empty();
  const auto finding = table_.connected(std::move(*parsed), peer, from.connection->peer(),
                                        clock_.boot_ns(), clock_.wall_ns());
  if (finding) intake_.plugin_finding(*finding);
  intake_.plugin_changed(name);
  intake_.plugin_hello(peer, *message.id, name);
  if (takes_commands) intake_.handlers_changed();
  hold_or_go_on(from);
  arm_timer();
}

void PluginHub::events(Session& from, const RpcMessage& message) {
  Result<protocol::EventsMessage> parsed =
      from.told ? Result<protocol::EventsMessage>(std::move(*std::exchange(from.told, {})))
                : protocol::parse_events(message.params, interest_);
  if (!parsed) return from.connection->cut_off(parsed.error().message);
  const size_t events = parsed->events.size() + parsed->rejected.size();
  // Requests of a notifier would all be rejected, and rejected ones are stored.
  const auto grant = grants_.find(from.name);
  if (events > 0 && grant != grants_.end() && grant->second.notifier)
    return from.connection->cut_off("a notifier has no events to tell");
  unacked_.add(from.connection->id(), *message.id, from.name, from.line_bytes, events);
  if (flow_ == Flow::ahead) keep(from);
  hold_or_go_on(from);
  if (const PluginRecord* record = table_.find(from.name))
    refuse_unobserved(*parsed, record->hello.observes);
  intake_.plugin_events(from.connection->id(), *message.id, from.name, std::move(*parsed));
}

// A plugin sends so many unacked: without this word it would wait for the disk, and what it sees meanwhile would be told to
// nobody. One that is not told so sends no more, and its connection is read on: it may answer commands.
void PluginHub::keep(Session& of) {
  if (!of.knows_kept) return;
  const std::vector<uint64_t> requests = unacked_.keep(of.connection->id());
  if (!requests.empty()) of.connection->send(wire::notification("kept", {{"requests", requests}}));
}

void PluginHub::hold_or_go_on(Session& one) {
  const PeerId peer = one.connection->id();
  // Its inventory goes on top of as many events as it may send.
  const size_t most = flow_ == Flow::acked ? kMaxUnacked - 1 : kMaxUnacked;
  const bool held =
      unacked_.unkept(peer) > most || (flow_ != Flow::acked && unacked_.is_full(one.name));
  if (PluginRecord* record = table_.find(one.name)) {
    record->batches_unacked = unacked_.count(peer);
    // Silence proves nothing while the hub does not listen.
    if (held || record->held) record->last_seen_boot_ns = clock_.boot_ns();
    record->held = held;
  }
  one.connection->hold(held);
}

void PluginHub::closed(Connection& connection, const std::string& reason, bool violation) {
  const auto found = sessions_.find(connection.id());
  if (found == sessions_.end()) return;
  const std::string name = found->second->name;
  sessions_.erase(found);
  calls_.fail_calls_of(connection.id(), fmt::format("fmd-{} went away: {}", name, reason));
  if (violation) report(name.empty() ? "unidentified" : name, reason);
  if (name.empty()) return;
  const PluginRecord* record = table_.find(name);
  const bool took_commands = record && !record->hello.handles.empty();
  table_.disconnected(name, clock_.boot_ns());
  intake_.plugin_changed(name);
  if (took_commands) intake_.handlers_changed();
  arm_timer();
}

// A peer that repeats the same invalid message must not fill the journal.
void PluginHub::report(const std::string& name, const std::string& reason) {
  const int64_t now = clock_.boot_ns();
  Reported& before = reported_[name];
  if (before.told && now - before.boot_ns < kReportEachNs) {
    ++before.untold;
    return;
  }
  const std::string more =
      before.untold > 0 ? fmt::format(" ({} more before)", before.untold) : std::string();
  before = {true, now, 0};
  intake_.plugin_finding({"ereport.fmd.plugin.protocol", name, reason + more});
}

// --- answers
// -----------------------------------------------------------------------------------------------

void PluginHub::welcome(PeerId peer, uint64_t request, const Welcome& what) {
  nlohmann::json result = {{"cursor", what.cursor}, {"protocol", 1}, {"boot", what.boot}};
  if (!what.kept.empty()) result["kept"] = what.kept;
  answer(peer, request, result);
}

bool PluginHub::answer(PeerId peer, uint64_t request, const nlohmann::json& result) {
  Session* to = session(peer);
  if (to) to->connection->send(wire::result(request, result));
  return to != nullptr;
}

void PluginHub::written(const std::string& name, const std::string& cursor) {
  const PluginRecord* record = table_.find(name);
  Session* to = record ? session(record->peer) : nullptr;
  if (to && to->knows_kept)
    to->connection->send(wire::notification("written", {{"cursor", cursor}}));
}

void PluginHub::refuse(PeerId peer, uint64_t request, int code, std::string_view why) {
  if (Session* to = session(peer)) to->connection->send(wire::error(request, code, why));
}

void PluginHub::acked(PeerId peer, uint64_t request) {
  unacked_.remove(peer, request);
  if (Session* to = session(peer)) hold_or_go_on(*to);
}

void PluginHub::taken_in(PeerId peer, uint64_t request) {
  if (flow_ == Flow::acked) return;
  Session* of = session(peer);
  if (of && of->knows_kept)
    of->connection->send(wire::notification("kept", {{"requests", {request}}}));
  acked(peer, request);
}

void PluginHub::set_flow(Flow flow) {
  flow_ = flow;
  for (auto& [peer, one] : sessions_) {
    if (flow == Flow::ahead) keep(*one);
    hold_or_go_on(*one);
  }
  arm_timer();
}

void PluginHub::give_room_back() {
  for (auto& [peer, one] : sessions_) one->connection->give_room_back();
  protocol::give_room_back();
}

// --- commands
// ----------------------------------------------------------------------------------------------

Route PluginHub::route(std::string_view target, std::string_view command) const {
  const auto described_by =
      inventory_ ? inventory_->described_by(target) : std::vector<std::string>();
  return route_command(table_, grants_, described_by, target, command);
}

bool PluginHub::offers(std::string_view target, std::string_view command) const {
  const PluginRecord* record = route(target, command).plugin;
  if (!record) return false;
  const auto& named = record->hello.commands;
  return std::find(named.begin(), named.end(), command) != named.end();
}

void PluginHub::call(const PluginCall& call, std::function<void(PluginAnswer)> done) {
  const auto [record, trouble] = route(call.target, call.name);
  Session* to = record ? session(record->peer) : nullptr;
  if (!to) return calls_.settle_later(std::move(done), {"failed", trouble, "{}"});
  nlohmann::json args = nlohmann::json::parse(call.args, nullptr, false);
  if (!args.is_object()) args = nlohmann::json::object();
  const uint64_t id = calls_.begin(record->peer, to->name, call.deadline_ms, clock_.boot_ns(),
                                   std::move(done), call.late_too);
  ++table_.find(to->name)->commands_sent;
  to->connection->send(wire::request(id, "command",
                                     {{"name", call.name},
                                      {"key", call.key},
                                      {"deadline_ms", call.deadline_ms},
                                      {"resource", call.resource},
                                      {"args", std::move(args)}}));
  arm_timer();
}

void PluginHub::answered(Session& from, const RpcMessage& message) {
  // Too late, or from an earlier connection: the caller has already received an error.
  const auto done = message.id ? calls_.finish(*message.id, from.connection->id()) : std::nullopt;
  if (!done) return;
  PluginAnswer answer = parse_answer(message);
  if (PluginRecord* record = table_.find(from.name); record && answer.status == "failed")
    ++record->commands_failed;
  (*done)(std::move(answer));
}

// --- time
// --------------------------------------------------------------------------------------------------

int PluginHub::on_timer(sd_event_source*, uint64_t, void* self) {
  static_cast<PluginHub*>(self)->check_now();
  return 0;
}

// Same priority as the connections: sd-event then dispatches in the order in which sources became pending. All input that
// was waiting at the first call has been read by the second one, so a heartbeat in it counts.
int PluginHub::on_late(sd_event_source* source, uint64_t, void* self) {
  auto* hub = static_cast<PluginHub*>(self);
  if (std::exchange(hub->input_read_, true))
    hub->check_now();
  else
    sd_event_source_set_enabled(source, SD_EVENT_ONESHOT);
  return 0;
}

void PluginHub::check_now() {
  if (stopping_) return;
  open_door();
  const int64_t boot_ns = clock_.boot_ns();
  std::vector<std::shared_ptr<Connection>> mute;
  for (auto& [peer, one] : sessions_)
    if (one->name.empty() && flow_ != Flow::held && boot_ns - one->since_ns >= kHelloNs)
      mute.push_back(one->connection);
  for (const auto& connection : mute)
    connection->cut_off(fmt::format("no hello within {} s", kHelloNs / 1000000000));
  std::vector<std::shared_ptr<Connection>> all;
  for (auto& [peer, one] : sessions_) all.push_back(one->connection);
  for (const auto& connection : all) connection->check_stall(boot_ns);
  // When this comes late the machine or the process was asleep, and the plugins perhaps with it:
  // silence proves nothing then.
  const bool overslept = boot_ns > add_times(armed_for_ns_, kOversleptNs);
  for (const PluginFinding& finding : table_.check(boot_ns, overslept)) {
    intake_.plugin_finding(finding);
    intake_.plugin_changed(finding.name);
  }
  for (const std::string& plugin : calls_.fail_late(boot_ns))
    if (PluginRecord* record = table_.find(plugin)) ++record->commands_failed;
  arm_timer();
}

void PluginHub::arm_timer() {
  if (stopping_) return;
  std::optional<int64_t> next = table_.next_check_ns();
  const auto at = [&](int64_t ns) { next = next ? std::min(*next, ns) : ns; };
  for (const auto& [peer, one] : sessions_) {
    if (one->name.empty()) at(one->since_ns + kHelloNs);
    if (const auto stall = one->connection->stall_deadline_ns()) at(*stall);
  }
  if (const auto deadline = calls_.next_deadline_ns()) at(*deadline);
  if (door_opens_ns_ > 0) at(door_opens_ns_);
  // A check that found nothing to do must not come again at once.
  const int64_t least = clock_.boot_ns() + kShortestCheckNs;
  armed_for_ns_ = next ? std::max(*next, least) : INT64_MAX;
  input_read_ = false;
  for (const auto& [timer, after_ns] : {std::pair{timer_, int64_t{0}}, {late_timer_, kLateNs}}) {
    sd_event_source_set_enabled(timer, next ? SD_EVENT_ONESHOT : SD_EVENT_OFF);
    if (next)
      sd_event_source_set_time(
          timer, static_cast<uint64_t>(add_times(armed_for_ns_, after_ns)) / 1000 + 1);
  }
}

}  // namespace fmd
