// Daemon: where what a commit led to goes (Outlets), and what the control side needs of the process
// (Road).
#include <fmt/format.h>
#include <syslog.h>
#include <systemd/sd-daemon.h>

#include <ctime>
#include <utility>

#include "fmd/advice/say.h"
#include "fmd/base/log.h"
#include "fmd/daemon/daemon.h"
#include "fmd/model/self_events.h"
#include "fmd/notify/happening_message.h"
#include "fmd/notify/journal_fields.h"

namespace fmd {
namespace {

int severity_priority(std::string_view severity) {
  return severity == "Critical" ? LOG_CRIT : severity == "Major" ? LOG_ERR : LOG_WARNING;
}

// systemd tells by it which of several reloads this is.
int64_t monotonic_us() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<int64_t>(now.tv_sec) * 1000000 + now.tv_nsec / 1000;
}

}  // namespace

// --- Handlers, Outlets ---

bool Daemon::handled(std::string_view fmri) const {
  return hub_ && hub_->handles(fmri);
}

void Daemon::log(const LogLine& line) {
  log_line(line.priority, line.text);
}

void Daemon::set_flow(Flow flow) {
  intake_->set_flow(flow);
}

void Daemon::keep_lights(const std::vector<StateRow>& rows) {
  if (auto kept = lights_.keep(rows); !kept)
    log_line(LOG_WARNING, "the fault LEDs that are lit cannot be noted: " + kept.error().text());
}

void Daemon::send(const Command& command) {
  dispatch_->send(command);
}

void Daemon::ordered(const OrderResult& result) {
  control_->ordered(result);
}

void Daemon::changed(const Changes& changes) {
  if (!changes.news.empty()) log_news(changes.news);
  for (const Happening& happening : changes.happenings)
    log_entry(happening.severity == "Minor" ? LOG_NOTICE : LOG_WARNING,
              fmt::format("event {}: {}", happening.uuid, headline_of(happening)),
              journal_fields(happening));
  control_->changed(changes);
  if (!changes.news.empty()) notify_status();
}

void Daemon::log_news(const std::vector<CaseNews>& all) const {
  const Inventory& inventory = durable_->engine.inventory();
  const PartIndex index(inventory);
  const ActionConfig& action = durable_->reconciler.config();
  const CasesByAge& by_age = durable_->engine.open_cases_by_age();
  const std::vector<const Case*> open(by_age.begin(), by_age.end());
  SayWorld world{inventory, index, action.dry_run, action.auto_replace};
  world.open = open;
  for (const CaseNews& news : all) {
    const Case* c = durable_->engine.find_case(news.uuid);
    if (!c) continue;
    const Say say = say_of(*c, world);
    const Suspect part = c->suspects.empty() ? Suspect{} : c->suspects.front();
    std::string text = fmt::format("case {} {}: {} {}: {}", news.uuid, news.event, c->code,
                                   severity_word(*c), say.headline);
    if (!part.serial.empty()) text += fmt::format(", serial {}", part.serial);
    if (part.serial.empty()) text += fmt::format(", {}", part.resource);
    const bool good = news.event == "repaired" || news.event == "resolved";
    log_entry(good || c->information ? LOG_NOTICE : severity_priority(c->severity), text,
              journal_fields(*c, say, news.event, durable_->alerts.preferences().explain_url));
  }
}

// systemd starts it again (Restart=always). What is in memory only was acknowledged to nobody. But people
// were told that nothing can be written: they hear first that this is over.
void Daemon::start_again() {
  if (std::exchange(starts_again_, true)) return;
  pipeline_->submit_event(kStoreOk, kStoreResource,
                          "it can be opened or salvaged now, and holds what could not be read "
                          "before: fmd starts again to read it");
  constexpr uint64_t kLastWordsUs = 5'000'000;
  const int added = sd_event_add_time_relative(
      loop_, nullptr, CLOCK_MONOTONIC, kLastWordsUs, kLastWordsUs / 10,
      [](sd_event_source* source, uint64_t, void*) {
        return sd_event_exit(sd_event_source_get_event(source), 1);
      },
      nullptr);
  if (added < 0) sd_event_exit(loop_, 1);
}

// --- Road ---

Moment Daemon::now() const {
  return durable_->clock.now();
}

Result<void> Daemon::take_in() {
  if (pipeline_->failing()) return fail("nothing can be changed now: " + pipeline_->failure());
  if (pipeline_->stalled())
    return fail("nothing can be changed now: the disk under " + config_.state_dir +
                " does not answer");
  pipeline_->take_in();
  return {};
}

void Daemon::submit(InventoryUpdate update) {
  Work work;
  work.inventory.push_back(std::move(update));
  pipeline_->submit(std::move(work));
}

Result<void> Daemon::commit() {
  return carrier_.carry_out(pipeline_->flush());
}

ActionConfig Daemon::action() const {
  ActionConfig out = config_.action;
  out.dry_run = durable_->own.dry_run_wish.value_or(out.dry_run);
  return out;
}

bool Daemon::dry_run() const {
  return action().dry_run;
}

void Daemon::wish_dry_run(bool on, std::string_view who) {
  std::optional<bool>& wish = durable_->own.dry_run_wish;
  wish = on == config_.action.dry_run ? std::nullopt : std::optional<bool>(on);
  durable_->reconciler.set_config(action());
  Work work;
  work.rows.push_back(dry_run_row(wish, who));
  pipeline_->submit(std::move(work));
}

Shown Daemon::shown() const {
  Shown out;
  out.host = host_;
  out.action = action();
  out.dry_run_in_file = config_.action.dry_run;
  out.notify = durable_->alerts.preferences();
  out.retention = config_.retention;
  out.compression = config_.compression.name;
  out.socket = config_.socket;
  out.state_dir = config_.state_dir;
  if (!config_.file.empty()) out.files.push_back(config_.file);
  out.files.insert(out.files.end(), policy_.files.begin(), policy_.files.end());
  out.rules = policy_.rules;
  out.event_classes = policy_.schema.names();
  out.reload_errors = reload_errors_;
  out.begins_ns = durable_->own.begins_ns;
  if (pipeline_->failing()) out.store_failure = pipeline_->failure();
  for (const auto& [name, cursor] : durable_->own.cursors) out.cursors[name] = cursor.text;
  return out;
}

void Daemon::set_preferences() {
  const Inventory& inventory = durable_->engine.inventory();
  const Preferences preferences = config_.notify.with_known([&](std::string_view plugin) {
    const Resource* r = inventory.find(fmt::format("fmd://plugin={}", plugin));
    return r && r->present;
  });
  plugins_seen_ = inventory.structure();
  durable_->alerts.set_preferences(preferences);
  durable_->outbox.set_digest(preferences.digest);
  durable_->outbox.set_expiry(preferences.expire_ns, preferences.all_channels());
}

void Daemon::follow_plugins() {
  if (durable_->engine.inventory().structure() != plugins_seen_) set_preferences();
}

// A case that was found by other rules waits for what they said.
void Daemon::ask_of_events() {
  std::vector<std::string> members = policy_.rules->event_members();
  for (const auto& [uuid, c] : durable_->engine.cases())
    for (const Suspect& suspect : c.suspects)
      for (const auto& [member, values] : suspect.repair_on.where) members.push_back(member);
  event_members_ = MemberNames(std::move(members));
  hub_->set_event_interest({&policy_.schema, &event_members_});
}

// All or nothing: with any error the old rules and configuration stay in force.
std::vector<std::string> Daemon::reload() {
  sd_notify(0, fmt::format("RELOADING=1\nMONOTONIC_USEC={}", monotonic_us()).c_str());
  auto [config, errors] = load_config(options_.config_file, options_.config_given);
  apply_options(options_, config);
  auto [policy, policy_errors] = load_policy(config.events, config.rules);
  errors.insert(errors.end(), policy_errors.begin(), policy_errors.end());
  reload_errors_.clear();
  for (const Error& error : errors) reload_errors_.push_back(error.text());
  if (errors.empty()) {
    put_in_force(std::move(config), std::move(policy));
    log_line(LOG_NOTICE, fmt::format("rules and configuration read again: {} rules",
                                     policy_.rules->rules().size()));
  } else {
    for (const std::string& text : reload_errors_) log_line(LOG_ERR, text);
    log_line(LOG_ERR,
             fmt::format("{} error(s): the rules and configuration read before stay in force",
                         errors.size()));
  }
  sd_notify(0, "READY=1");
  return reload_errors_;
}

void Daemon::put_in_force(Config config, Policy policy) {
  if (config.socket != config_.socket || config.state_dir != config_.state_dir ||
      config.bus != config_.bus)
    log_line(LOG_NOTICE, "socket, state_dir and bus take effect at the next start");
  config.socket = config_.socket;
  config.state_dir = config_.state_dir;
  config.bus = config_.bus;
  pipeline_->take_in();  // what came by the old rules is judged by them
  config_ = std::move(config);
  policy_ = std::move(policy);
  durable_->engine.set_rules(policy_.rules);
  durable_->reconciler.set_config(action());
  set_preferences();
  hub_->set_grants(config_.plugins);
  store_->run([compression = config_.compression](Store& store) {
    store.set_compression(compression);
    return StoreJobs::Done();
  });
  ask_of_events();
}

}  // namespace fmd
