#include "stage.h"

#include <fmt/format.h>

#include <algorithm>

#include "names.h"

namespace fmd::histories {
namespace {

constexpr Ns kWallStart = 1795228661LL * kSec, kSteadyStart = 5 * kHour;
constexpr Ns kSettle = 51 * kHour, kQuiet = 6 * kHour, kDay = 25 * kHour;
constexpr int kMostRunsInARow = 200;
constexpr size_t kRing = 512;  // events, zfs_zevent_len_max

ActionConfig config_of(const Shape& shape) {
  ActionConfig config;
  config.max_retired = static_cast<uint64_t>(shape.max_retired);
  config.locate_off_after_ns = 0;  // off, so that "nothing more is sent" can be checked for hours
  config.auto_replace = shape.auto_replace;
  return config;
}

std::string time_text(Ns at) {
  const double s = static_cast<double>(at) / static_cast<double>(kSec);
  return fmt::format("{:3}:{:02}:{:06.3f}", at / kHour, at / kMin % 60,
                     s - static_cast<double>(at / kMin * 60));
}

}  // namespace

Stage::Stage(const History& history, std::shared_ptr<const RuleSet> rules, const Options& options)
    : history_(history),
      tell_story_(options.tell_story),
      world_(history.shape),
      daemon_(std::move(rules), config_of(history.shape), outside()),
      watch_(world_, daemon_, history.shape, options.but) {
  for (size_t i = 0; i < kSources; ++i) {
    plugins_[i].source = static_cast<Source>(i);
    plugins_[i].lag = history.shape.lag_ms[i] * kMs;
    plugins_[i].late = history.shape.late_ms[i] * kMs;
  }
  grants_[source_name(Source::zfs)].handles = {"zfs://"};
  grants_[source_name(Source::enclosure)].handles = {"hc://"};
  // More than the shipped grants: no plugin gains commands about another's part by it.
  for (const char* liar : kLiars) grants_[liar].handles = {"hc://", "zfs://", "dev://"};
}

std::optional<Violation> Stage::play() {
  if (tell_story_) story_.push_back(words(history_.shape) + "\n");
  start_daemon();
  for (const Step& step : history_.steps) {
    if (!advance(step.at)) return watch_.found();
    play_step(step);
    settle_world();
  }
  if (!advance(now_ + kSec)) return watch_.found();
  become_quiet();
  if (!advance(now_ + kSettle)) return watch_.found();
  watch_.silence();
  // Some waits exceed the window of the retirement limit.
  if (!advance(now_ + (history_.seed % 8 == 0 ? kDay : kQuiet))) return watch_.found();
  if (tell_story_) say_how_it_ends();
  watch_.verdict();
  if (!undo_what_is_forgotten()) return watch_.found();
  // Expensive, so only for some seeds; each kill -9 checks this as well.
  if (watch_.found() || !daemon_.up() || history_.seed % 16 != 0) return watch_.found();
  if (const std::string difference = daemon_.restart_difference(moment()); !difference.empty())
    watch_.violated("restart", difference);
  return watch_.found();
}

// All plugins are present and behave; misdeeds still pending are dropped.
void Stage::become_quiet() {
  quiet_ = true;
  say("", "-- from here on nobody touches anything --");
  for (SimPlugin& p : plugins_) {
    p.lag = p.late = 100 * kMs;
    p.misdeeds.clear();
    if (!p.running) start_plugin(p);
  }
  daemon_.crash_at_next_group(Crash::none);
}

Moment Stage::moment() const {
  return {kWallStart + now_ + wall_offset_, kSteadyStart + now_};
}

void Stage::after(Ns wait, std::function<void()> what) {
  queue_.push_back({now_ + wait, ++number_, std::move(what)});
  std::push_heap(queue_.begin(), queue_.end());
}

bool Stage::advance(Ns until) {
  while (!watch_.found()) {
    Ns next = queue_.empty() ? until : std::min(until, queue_.front().at);
    if (const auto scan = world_.next_scan_end()) next = std::min(next, std::max(now_, *scan));
    if (const auto wake = daemon_.next_wake(kSteadyStart + now_))
      next = std::min(next, *wake - kSteadyStart);
    if (next >= until) {
      now_ = std::max(now_, until);
      return true;
    }
    now_ = next;
    if (!queue_.empty() && queue_.front().at <= now_) {
      std::pop_heap(queue_.begin(), queue_.end());
      const auto what = std::move(queue_.back().what);
      queue_.pop_back();
      what();
    }
    settle_world();
    if (queue_.empty() || queue_.front().at > now_) run_daemon();
  }
  return false;
}

void Stage::settle_world() {
  world_.tick(now_);
  watch_.world_changed();
  for (const Notice& n : std::exchange(world_.notices, {})) notice(n);
  for (SimPlugin& p : plugins_)
    if (world_.changed[static_cast<size_t>(p.source)]) plan_look(p);
  world_.changed.fill(false);
}

void Stage::say(std::string_view who, const std::string& what) {
  if (tell_story_) story_.push_back(fmt::format("{}  {:<10} {}", time_text(now_), who, what));
}

// Adds fmd's final state to the story.
void Stage::say_how_it_ends() {
  if (!daemon_.up()) return;
  for (const auto& [uuid, c] : daemon_.engine().cases()) {
    if (!c.open()) continue;
    say("case", fmt::format("{} is {}, owes {}", uuid, state_name(c.state), c.owed));
    for (const Action& a : c.actions)
      say("", fmt::format("  {} of {}: {} {} ({})", action_name(a.kind), a.part,
                          action_state_name(a.state), obstacle_name(a.obstacle), a.detail));
  }
  for (const auto& [id, i] : daemon_.reconciler().interventions().all())
    say("table", fmt::format("{} of {}: {}, {} ({})", intervention_name(i.kind), i.part,
                             intervention_state_name(i.state), i.owner.name, i.key));
  for (size_t i = 0; i < world_.leafs.size(); ++i)
    if (world_.leafs[i].in_pool && world_.state(static_cast<int>(i)) != VdevState::online)
      say("vdev",
          fmt::format("{} (vdev {}) is {}, by {}", world_.leaf_name(static_cast<int>(i)), i + 1000,
                      state_word(world_.state(static_cast<int>(i))),
                      world_.leafs[i].retired_by.empty() ? "others" : world_.leafs[i].retired_by));
}

// --- The daemon ---------------------------------------------------------------------------------------------------

Daemon::Outside Stage::outside() {
  Daemon::Outside out;
  out.send = [this](const Command& command) { send(command); };
  out.told = [this](const Tidings& tidings, const Case& c) { told(tidings, c); };
  out.acked = [this](Source source, size_t count) {
    SimPlugin& p = plugin(source);
    for (size_t i = 0; i < count && !p.events.empty(); ++i) {
      p.ring.push_back(std::move(p.events.front()));
      p.events.pop_front();
    }
    while (p.ring.size() > kRing) p.ring.pop_front();
    p.events_sent -= std::min(p.events_sent, count);
  };
  out.ordered = [this](const OrderResult& result) {
    say("fmadm", fmt::format("order {}: {}", result.order, result.text));
  };
  out.broken = [this](const std::string& text) { watch_.violated("restore", text); };
  out.grouped = [this] { watch_.grouped(); };
  out.unsent = [this](const Command& command) {
    if (command.kind == InterventionKind::fault_led && !command.undo)
      world_.unanswered_light(bay_in(command.resource));
  };
  return out;
}

void Stage::start_daemon() {
  if (daemon_.up()) return;
  ++daemon_life_;
  say("fmd", "starts");
  daemon_.start(moment());
  for (SimPlugin& p : plugins_) plan_connect(p);
}

void Stage::stop_daemon(Ns down, std::string_view why) {
  restart_after_ = down;
  if (!daemon_.up()) return;
  if (const std::string difference = daemon_.restart_difference(moment()); !difference.empty())
    watch_.violated("restart", difference);
  daemon_.kill();
  say("fmd", std::string(why));
  daemon_is_down();
}

void Stage::daemon_is_down() {
  for (SimPlugin& p : plugins_) disconnect(p);
  for (const char* liar : kLiars) table_.disconnected(liar, now_);
  flights_.clear();
  watch_.killed();
  after(restart_after_, [this] { start_daemon(); });
}

void Stage::run_daemon() {
  const auto wake = daemon_.next_wake(kSteadyStart + now_);
  if (!wake || *wake - kSteadyStart > now_) return;
  // Commits are at least 50 ms apart. A chain lasting seconds without any input is a loop.
  runs_in_a_row_ = now_ - last_run_ <= 60 * kMs ? runs_in_a_row_ + 1 : 0;
  last_run_ = now_;
  if (runs_in_a_row_ > kMostRunsInARow)
    return watch_.violated("spins", "fmd commits something again and again, twenty times a second");
  daemon_.run(moment());
  if (daemon_.up()) return;
  say("fmd", "is killed in the middle of a group");
  daemon_is_down();
}

void Stage::send(const Command& command) {
  const Source source = command.resource.starts_with("zfs://") ? Source::zfs : Source::enclosure;
  const std::string taker = route(command);
  const Intervention* i = daemon_.reconciler().interventions().find(command.kind, command.resource);
  const bool ordered =
      command.key.starts_with("person-") || (i && i->owner.kind == Owner::Kind::person);
  SimPlugin& p = plugin(source);
  if (tell_story_)
    say("fmd",
        fmt::format("-> {}: {} {} {} [{}]", taker.empty() ? "nobody" : taker,
                    command_name(command.name), command.resource, command.args, command.key));
  watch_.sent(command, ordered, now_);
  const uint64_t flight = ++flight_;
  flights_[flight] = {command, source};
  if (taker.empty() || !p.connected) {
    watch_.never(command);
    return answered(flight, {CommandStatus::failed, false, false, "not connected"});
  }
  watch_.routed(command, taker);
  if (taker != source_name(source)) {  // a liar's own part; it says what it likes
    watch_.never(command);
    return answered(flight, {CommandStatus::done, false, false, ""});
  }
  p.commands.push_back({command, flight, p.connection, ordered});
  after(command.deadline_ms * kMs, [this, flight, life = daemon_life_] {
    if (life == daemon_life_)
      answered(flight, {CommandStatus::failed, true, false, "no answer in time"});
  });
  work(p);
}

void Stage::answered(uint64_t flight, const CommandResult& result) {
  const auto at = flights_.find(flight);
  if (at == flights_.end() || !daemon_.up()) return;
  if (tell_story_) {
    const char* word = result.status == CommandStatus::done ? result.already ? "already so" : "done"
                       : result.status == CommandStatus::refused ? "refused"
                       : result.unanswered                       ? "no answer"
                                                                 : "failed";
    say(source_name(at->second.source),
        fmt::format("-> fmd: {} {}{}{}", command_name(at->second.command.name), word,
                    result.reason.empty() ? "" : ": ", result.reason));
  }
  watch_.answered(at->second.command, result);
  daemon_.take_answer(at->second.command, result);
  flights_.erase(at);
}

void Stage::told(const Tidings& tidings, const Case& c) {
  if (tell_story_) {
    std::string text = fmt::format("message: {} {}, {} {}", tidings.news.event, c.uuid, c.title,
                                   c.suspects.empty() ? "" : c.suspects.front().location);
    for (const std::string& sentence : tidings.whats_new) text += " | " + sentence;
    for (const std::string& sentence : tidings.not_done) text += " | not done: " + sentence;
    say("fmd", text);
  }
  watch_.told(tidings, c);
}

}  // namespace fmd::histories
