#include "fmd/daemon/daemon.h"

#include <fmt/format.h>
#include <signal.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <syslog.h>
#include <systemd/sd-daemon.h>

#include <algorithm>
#include <fstream>

#include "fmd/base/log.h"
#include "fmd/base/text.h"
#include "fmd/base/uuid.h"
#include "fmd/model/self_events.h"
#include "fmd/notify/message.h"

namespace fmd {
namespace {

constexpr uint64_t kTimerAccuracyUs = 1000;
constexpr int64_t kUrgentPriority = SD_EVENT_PRIORITY_IMPORTANT;
constexpr int64_t kWorkPriority = SD_EVENT_PRIORITY_NORMAL + 5;  // what peers say comes first

std::string read_boot_id() {
  std::ifstream in("/proc/sys/kernel/random/boot_id");
  std::string id;
  std::getline(in, id);
  return id;
}

int severity_priority(std::string_view severity) {
  return severity == "Critical" ? LOG_CRIT : severity == "Major" ? LOG_ERR : LOG_WARNING;
}

}  // namespace

Daemon::Daemon(sd_event* loop, const Options& options)
    : loop_(sd_event_ref(loop)), options_(options) {}

Daemon::~Daemon() {
  bus_.reset();
  control_.reset();
  sd_event_source_disable_unref(post_);
  sd_event_source_disable_unref(wake_);
  parts_.hub.reset();
  sd_event_unref(loop_);
}

Result<std::unique_ptr<Daemon>> Daemon::start(sd_event* loop, const Options& options, Config config,
                                              Policy policy, Clock clock) {
  std::unique_ptr<Daemon> daemon(new Daemon(loop, options));
  daemon->parts_.config = std::move(config);
  daemon->parts_.policy = std::move(policy);
  if (auto opened = daemon->open_store(std::move(clock)); !opened)
    return tl::unexpected(opened.error());
  daemon->restore();
  if (auto listening = daemon->listen(); !listening) return tl::unexpected(listening.error());
  return daemon;
}

Result<void> Daemon::open_store(Clock clock) {
  parts_.clock = std::move(clock);
  parts_.host = read_host_identity();
  parts_.boot_id = read_boot_id();
  auto store = Store::open(parts_.config.state_dir, parts_.clock.wall_ns());
  if (!store) return tl::unexpected(store.error());
  parts_.store = std::move(*store);
  return {};
}

void Daemon::restore() {
  parts_.engine = std::make_unique<Engine>(parts_.policy.rules, new_uuid);
  parts_.reconciler = std::make_unique<Reconciler>(*parts_.engine, parts_.action());
  parts_.outbox.set_notifiers(parts_.config.notify);
  auto rows = parts_.store->load_state();
  const auto note_damage = [this](const Result<void>& outcome) {
    if (!outcome) restore_damage_ += (restore_damage_.empty() ? "" : "; ") + outcome.error().text();
  };
  if (!rows) {
    note_damage(tl::unexpected(rows.error()));
    rows = std::vector<StateRow>();
  }
  note_damage(restore_own(parts_, *rows));
  note_damage(parts_.engine->restore(*rows));
  note_damage(parts_.reconciler->restore(*rows));
  note_damage(parts_.outbox.restore(*rows));
  parts_.reconciler->set_config(parts_.action());
}

Result<void> Daemon::listen() {
  dispatch_ = std::make_unique<Dispatch>(parts_);
  intake_ = std::make_unique<Intake>(parts_);
  Pipeline::Hooks hooks;
  hooks.handled = [this](std::string_view fmri) { return dispatch_->handled(fmri); };
  hooks.command = [this](const Command& command) { dispatch_->send(command); };
  hooks.compose = [this](const Case& c, std::string_view event) {
    return compose_message(c, event, {parts_.host.name, parts_.engine->inventory()});
  };
  hooks.changed = [this](const Changes& changes) { committed(changes); };
  hooks.own_rows = [this] { return own_rows(parts_); };
  hooks.inventory_changed = [this](const InventoryUpdate& update,
                                   const std::vector<InventoryChange>& changes, int64_t now_ns) {
    parts_.bay_history.observe(parts_.engine->inventory(), update, changes, now_ns);
    return parts_.bay_history.take_changes();
  };
  hooks.hold_sources = [this](bool on) { parts_.hub->hold_all(on); };
  hooks.log = [](int priority, const std::string& text) { log_line(priority, text); };
  parts_.pipeline = std::make_unique<Pipeline>(*parts_.engine, *parts_.reconciler, parts_.outbox,
                                               *parts_.store, parts_.clock, std::move(hooks));
  parts_.hub = std::make_unique<PluginHub>(loop_, parts_.clock, *intake_);
  upkeep_ = std::make_unique<Upkeep>(parts_, [this] { intake_->refresh_plugin_resources(); });
  control_ = std::make_unique<ControlService>(parts_, [this] { return reload(); });
  report_store();
  intake_->expect_known_plugins();
  (void)parts_.pipeline->flush();  // a failure is logged, and tried again
  if (auto listening = parts_.hub->listen(parts_.config.socket, parts_.config.plugin_group);
      !listening)
    return listening;
  if (parts_.config.bus == "none") return {};
  BusOptions bus;
  bus.address = parts_.config.bus;
  bus.log = [](int priority, std::string_view text) { log_line(priority, text); };
  auto server = BusServer::create(loop_, *control_, std::move(bus));
  if (!server) return tl::unexpected(server.error());
  bus_ = std::move(*server);
  return {};
}

// What there is to say about the store after opening it.
void Daemon::report_store() {
  std::string damage;
  if (!parts_.store->moved_aside().empty())
    damage =
        fmt::format("moved aside to {}. {}", parts_.store->moved_aside(), parts_.store->salvage());
  if (!restore_damage_.empty()) damage += (damage.empty() ? "" : " ") + restore_damage_;
  if (!damage.empty()) {
    log_line(LOG_CRIT, "the store was damaged: " + damage);
    parts_.pipeline->submit_event(kStoreDamaged, kStoreResource, damage);
  }
  const auto& cases = parts_.engine->cases();
  const bool complained = std::any_of(cases.begin(), cases.end(), [](const auto& entry) {
    const Case& c = entry.second;
    return c.faulty() && !c.suspects.empty() && c.suspects.front().resource == kStoreResource;
  });
  // Once this is written, the store can be written: that repairs what an earlier run complained of.
  if (complained && damage.empty())
    parts_.pipeline->submit_event(kStoreOk, kStoreResource, "written again after a restart");
}

Result<void> Daemon::attach() {
  const int added = std::min(
      sd_event_add_post(loop_, &post_, on_post, this),
      sd_event_add_time(loop_, &wake_, CLOCK_MONOTONIC, 0, kTimerAccuracyUs, on_wake, this));
  if (added < 0) return fail(fmt::format("the event loop cannot be set up: {}", strerror(-added)));
  return {};
}

int Daemon::run() {
  const auto attached = attach();
  if (!attached) {
    log_line(LOG_CRIT, attached.error().text());
    return 1;
  }
  // Blocked by main(): they come through the loop.
  sd_event_add_signal(loop_, nullptr, SIGHUP, on_hangup, this);
  for (int number : {SIGTERM, SIGINT}) sd_event_add_signal(loop_, nullptr, number, on_stop, this);
  sd_event_set_watchdog(loop_, true);
  sd_notify(0, "READY=1");
  log_line(LOG_INFO,
           fmt::format("ready: {} rules, {} open cases, plugins connect to {}",
                       parts_.policy.rules->rules().size(),
                       std::count_if(parts_.engine->cases().begin(), parts_.engine->cases().end(),
                                     [](const auto& entry) { return entry.second.open(); }),
                       parts_.config.socket));
  notify_status();
  const int code = sd_event_loop(loop_);
  sd_notify(0, "STOPPING=1");
  parts_.hub->stop();
  const auto written = parts_.pipeline->flush();
  if (!written) log_line(LOG_ERR, "stopped with something not written: " + written.error().message);
  return code < 0 || !written ? 1 : 0;
}

void Daemon::work() {
  parts_.pipeline->run();
  dispatch_->deliver_due();
  upkeep_->run();
}

void Daemon::arm() {
  const int64_t mono = parts_.clock.mono_ns();
  int64_t next = upkeep_->next_wake_ns();
  if (const auto at = parts_.pipeline->next_wake_ns()) next = std::min(next, *at);
  // Nothing is delivered while nothing can be written.
  if (const auto at = parts_.outbox.next_deadline_ns(); at && !parts_.pipeline->failing())
    next = std::min(next, mono + std::max<int64_t>(0, *at - parts_.clock.wall_ns()));
  sd_event_source_set_priority(wake_, parts_.pipeline->urgent() ? kUrgentPriority : kWorkPriority);
  sd_event_source_set_time(wake_, static_cast<uint64_t>(std::max<int64_t>(next, 0) + 999) / 1000);
  sd_event_source_set_enabled(wake_, SD_EVENT_ONESHOT);
}

int Daemon::on_wake(sd_event_source*, uint64_t, void* self) {
  static_cast<Daemon*>(self)->work();
  return 0;
}

int Daemon::on_post(sd_event_source*, void* self) {
  static_cast<Daemon*>(self)->arm();
  return 0;
}

int Daemon::on_hangup(sd_event_source*, const signalfd_siginfo*, void* self) {
  auto* daemon = static_cast<Daemon*>(self);
  (void)daemon->control_->reload("SIGHUP");
  return 0;
}

int Daemon::on_stop(sd_event_source* source, const signalfd_siginfo*, void*) {
  return sd_event_exit(sd_event_source_get_event(source), 0);
}

void Daemon::committed(const Changes& changes) {
  for (const CaseNews& news : changes.news) log_news(news);
  if (control_) control_->changed(changes);
  if (!changes.news.empty()) notify_status();
}

void Daemon::log_news(const CaseNews& news) const {
  const Case* c = parts_.engine->find_case(news.uuid);
  if (!c) return;
  const Suspect part = c->suspects.empty() ? Suspect{} : c->suspects.front();
  std::string text =
      fmt::format("case {} {}: {} {}: {}", news.uuid, news.event, c->code, c->severity, c->title);
  if (!part.location.empty()) text += fmt::format(", bay {}", part.location);
  if (!part.serial.empty()) text += fmt::format(", serial {}", part.serial);
  if (part.serial.empty()) text += fmt::format(", {}", part.resource);
  const bool good = news.event == "repaired" || news.event == "resolved";
  log_entry(good ? LOG_NOTICE : severity_priority(c->severity), text,
            {{"MESSAGE_ID", std::string(case_message_id(news.event))},
             {"FMD_CASE", news.uuid},
             {"FMD_EVENT", news.event},
             {"FMD_CODE", c->code},
             {"FMD_SEVERITY", c->severity},
             {"FMD_CLASS", part.fault_class},
             {"FMD_FRU", part.fru},
             {"FMD_SERIAL", part.serial}});
}

void Daemon::notify_status() {
  const auto& cases = parts_.engine->cases();
  const auto open = std::count_if(cases.begin(), cases.end(),
                                  [](const auto& entry) { return entry.second.open(); });
  sd_notifyf(0, "STATUS=%s", fmt::format("{} open case{}", open, open == 1 ? "" : "s").c_str());
}

// All or nothing: with any error the old rules and configuration stay in force.
std::vector<std::string> Daemon::reload() {
  sd_notify(0,
            fmt::format("RELOADING=1\nMONOTONIC_USEC={}", parts_.clock.mono_ns() / 1000).c_str());
  auto [config, errors] = load_config(options_.config_file, options_.config_given);
  apply_options(options_, config);
  auto [policy, policy_errors] = load_policy(config.events, config.rules);
  errors.insert(errors.end(), policy_errors.begin(), policy_errors.end());
  parts_.reload_errors.clear();
  for (const Error& error : errors) parts_.reload_errors.push_back(error.text());
  if (errors.empty()) {
    const Config& old = parts_.config;
    if (config.socket != old.socket || config.state_dir != old.state_dir || config.bus != old.bus)
      log_line(LOG_NOTICE, "socket, state_dir and bus take effect at the next start");
    config.socket = old.socket;
    config.state_dir = old.state_dir;
    config.bus = old.bus;
    parts_.config = std::move(config);
    parts_.policy = std::move(policy);
    parts_.engine->set_rules(parts_.policy.rules);
    parts_.reconciler->set_config(parts_.action());
    parts_.outbox.set_notifiers(parts_.config.notify);
    parts_.pipeline->reconsider();
    log_line(LOG_NOTICE, fmt::format("rules and configuration read again: {} rules",
                                     parts_.policy.rules->rules().size()));
  } else {
    for (const std::string& text : parts_.reload_errors) log_line(LOG_ERR, text);
    log_line(LOG_ERR,
             fmt::format("{} error(s): the rules and configuration read before stay in force",
                         errors.size()));
  }
  sd_notify(0, "READY=1");
  return parts_.reload_errors;
}

}  // namespace fmd
