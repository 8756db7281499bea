// The plugins' side of the stage: connections, looks, events, commands.
#include <fmt/format.h>

#include <algorithm>

#include "carry_out.h"
#include "names.h"
#include "stage.h"

namespace fmd::histories {
namespace {

constexpr Ns kLook = 150 * kMs;     // from a change to the look that sees it
constexpr Ns kThink = 200 * kMs;    // from a command to its execution
constexpr Ns kComeBack = 2 * kSec;  // until systemd restarts a plugin that died

}  // namespace

void Stage::plan_connect(SimPlugin& p) {
  after(p.late, [this, &p, process = p.process, life = daemon_life_] {
    if (!p.running || p.process != process || life != daemon_life_ || !daemon_.up() || p.connected)
      return;
    p.connected = true;
    p.told_all = false;
    p.events_sent = 0;
    p.said.clear();
    daemon_.connected(p.source, true);
    hello(source_name(p.source), p.source == Source::zfs ? std::vector<std::string>{"zfs://"}
                                 : p.source == Source::enclosure ? std::vector<std::string>{"hc://"}
                                                                 : std::vector<std::string>{});
    say(source_name(p.source), "connects");
    send_events(p);
    plan_look(p);
  });
}

void Stage::disconnect(SimPlugin& p) {
  ++p.connection;
  p.events_sent = 0;
  p.look_planned = false;
  if (!std::exchange(p.connected, false)) return;
  table_.disconnected(source_name(p.source), now_);
  if (daemon_.up()) daemon_.connected(p.source, false);
}

void Stage::stop_plugin(SimPlugin& p, std::string_view why) {
  if (!p.running) return;
  say(source_name(p.source), std::string(why));
  p.running = p.at_work = false;
  ++p.process;
  for (const SentCommand& sent : std::exchange(p.commands, {})) watch_.never(sent.command);
  if (p.source != Source::zfs) p.remembered.clear();
  disconnect(p);
  std::vector<uint64_t> lost;
  for (const auto& [number, flight] : flights_)
    if (flight.source == p.source) lost.push_back(number);
  for (const uint64_t number : lost)
    answered(number, {CommandStatus::failed, true, false, "the plugin went away"});
}

void Stage::start_plugin(SimPlugin& p) {
  if (p.running) return;
  p.running = true;
  plan_connect(p);
}

void Stage::hello(std::string_view name, std::vector<std::string> handles) {
  PluginHello hello;
  hello.name = name;
  hello.commands = {"retire", "restore", "spare_in", "spare_out", "replace", "set_led"};
  hello.handles = std::move(handles);
  (void)table_.connected(std::move(hello), ++number_, {}, now_, moment().wall_ns);
}

std::string Stage::route(const Command& command) {
  const Route route =
      route_command(table_, grants_, daemon_.engine().inventory().described_by(command.resource),
                    command.resource, command_name(command.name));
  return route.plugin ? route.plugin->hello.name : "";
}

// Delivers in order, whatever the lags. Messages on a closed connection are lost.
void Stage::deliver(SimPlugin& p, Ns lag, std::function<void()> what) {
  p.last_arrival = std::max(now_ + lag, p.last_arrival);
  after(p.last_arrival - now_, [&p, connection = p.connection, what = std::move(what)] {
    if (p.connection == connection && p.connected) what();
  });
}

void Stage::plan_look(SimPlugin& p) {
  if (!p.connected || p.look_planned) return;
  p.look_planned = true;
  after(kLook, [this, &p, connection = p.connection] {
    if (p.connection == connection && p.look_planned) look_now(p);
  });
}

void Stage::look_now(SimPlugin& p) {
  p.look_planned = false;
  if (!p.connected) return;
  Picture now = look(world_, p.source);
  InventoryUpdate update = as_update(world_, p.source, p.said, now, !p.told_all);
  p.said = std::move(now);
  const bool all = !std::exchange(p.told_all, true);
  if (!all && update.resources.empty() && update.gone.empty()) return;
  std::vector<size_t> dark;
  for (size_t i = 0; i < world_.bays.size(); ++i)
    if (p.source == Source::enclosure && !world_.bays[i].fault) dark.push_back(i);
  deliver(p, p.lag, [this, &p, dark, update = std::move(update)]() mutable {
    daemon_.take_inventory(p.source, std::move(update));
    for (const size_t i : dark) world_.bays[i].off_unseen = false;
  });
}

void Stage::notice(const Notice& n) {
  const Leaf& leaf = world_.leafs[static_cast<size_t>(n.leaf)];
  Event e;
  e.event_class = n.event_class;
  e.resource = leaf_fmri(leaf.pool, n.leaf);
  e.time_ns = moment().wall_ns;
  e.source = "zfs";
  e.payload.append("pool", Value(world_.pools[static_cast<size_t>(leaf.pool)].name));
  e.payload.append("vdev_type", Value(std::string("disk")));
  e.payload.append("context", Value(std::string("none")));
  if (n.event_class.starts_with("ereport.")) e.payload.append("scan", Value(n.scan));
  if (!n.by.empty()) e.payload.append("by", Value(n.by));
  e.payload_json = "{}";
  watch_.noticed(n.leaf);
  SimPlugin& p = plugin(Source::zfs);
  p.events.push_back(std::move(e));
  if (p.connected) send_events(p);
}

// The zfs plugin reads the kernel's ring and so reports events from its absence when it is back.
void Stage::send_events(SimPlugin& p) {
  if (p.events_sent >= p.events.size()) return;
  deliver(p, 30 * kMs, [this, &p] {
    if (p.events_sent >= p.events.size()) return;
    std::vector<Event> batch(p.events.begin() + static_cast<std::ptrdiff_t>(p.events_sent),
                             p.events.end());
    p.events_sent = p.events.size();
    daemon_.take_events(p.source, std::move(batch));
  });
}

// --- Commands -----------------------------------------------------------------------------------------------------

void Stage::work(SimPlugin& p) {
  if (p.at_work || p.commands.empty() || !p.running) return;
  p.at_work = true;
  after(kThink, [this, &p, process = p.process] {
    if (p.process == process) carry_out_next(p);
  });
}

void Stage::carry_out_next(SimPlugin& p) {
  const SentCommand sent = p.commands.front();
  if (const auto known = p.remembered.find(sent.command.key); known != p.remembered.end()) {
    watch_.never(sent.command);
    reply(p, sent, known->second, 0);
    return next_command(p);
  }
  if (p.begun.contains(sent.command.key)) {
    watch_.never(sent.command);
    reply(p, sent, resumed(world_, sent.command, now_), 0);
    return next_command(p);
  }
  Misdeed how = Misdeed::none;
  if (!p.misdeeds.empty()) {
    how = p.misdeeds.front();
    p.misdeeds.pop_front();
  }
  act(p, sent, how);
}

void Stage::act(SimPlugin& p, const SentCommand& sent, Misdeed how) {
  const Ns too_late = sent.command.deadline_ms * kMs + 7 * kSec;
  const auto again = [&](Ns wait) {
    after(wait, [this, &p, sent, process = p.process] {
      if (p.process == process) act(p, sent, Misdeed::none);
    });
  };
  const auto die = [&] {
    if (p.source == Source::zfs) p.begun.insert(sent.command.key);
    p.commands.pop_front();
    stop_plugin(p, "dies");
    after(kComeBack, [this, &p] { start_plugin(p); });
  };
  switch (how) {
    case Misdeed::acts_late:
      world_.unanswered_light(bay_in(sent.command.resource));
      say(source_name(p.source), "takes very long");
      return again(too_late);
    case Misdeed::fails:
    case Misdeed::refuses: {
      watch_.never(sent.command);
      world_.doubt_light(bay_in(sent.command.resource));
      const bool refuses = how == Misdeed::refuses && p.source == Source::zfs;
      reply(
          p, sent,
          {refuses ? CommandStatus::refused : CommandStatus::failed, false, false, "it would not"},
          0);
      return next_command(p);
    }
    case Misdeed::silent:
      world_.unanswered_light(bay_in(sent.command.resource));
      watch_.never(sent.command);
      return next_command(p);
    case Misdeed::dies_before:
      world_.unanswered_light(bay_in(sent.command.resource));
      watch_.never(sent.command);
      return die();
    case Misdeed::dies_after:
      if (const CommandResult done = do_it(sent); history_.shape.zed && !done.already)
        doubt(sent.command);
      return die();
    case Misdeed::forgets_its_keys:
      p.remembered.clear();
      p.begun.clear();
      break;
    case Misdeed::none:
    case Misdeed::answers_late:
      break;
  }
  const CommandResult result = do_it(sent);
  p.remembered[sent.command.key] = result;
  // A plugin publishes changes before it answers the command.
  if (world_.changed[static_cast<size_t>(p.source)]) look_now(p);
  reply(p, sent, result, how == Misdeed::answers_late ? too_late : 0);
  next_command(p);
}

void Stage::doubt(const Command& command) {
  const int leaf = leaf_in(command.resource);
  if (leaf < 0) return;
  if (command.name == CommandName::spare_in) world_.forget_hand(world_.original_of(leaf), true);
  if (command.name == CommandName::retire && world_.state(leaf) == VdevState::degraded)
    world_.forget_hand(leaf, false);
}

CommandResult Stage::do_it(const SentCommand& sent) {
  watch_.acting(sent.command);
  CommandResult result = carry_out(world_, sent.command, sent.ordered, now_);
  watch_.acted(sent.command, sent.ordered, now_);
  watch_.world_changed();
  return result;
}

void Stage::reply(SimPlugin& p, const SentCommand& sent, const CommandResult& result, Ns wait) {
  if (sent.connection != p.connection) return;
  if (wait == 0)
    return deliver(p, 5 * kMs, [this, sent, result] { answered(sent.flight, result); });
  after(wait + 5 * kMs, [this, &p, sent, result] {
    if (sent.connection == p.connection) answered(sent.flight, result);
  });
}

void Stage::next_command(SimPlugin& p) {
  if (!p.commands.empty()) p.commands.pop_front();
  p.at_work = false;
  work(p);
}

}  // namespace fmd::histories
