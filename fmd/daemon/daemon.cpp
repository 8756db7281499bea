#include "fmd/daemon/daemon.h"

#include <fmt/format.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <syslog.h>
#include <systemd/sd-daemon.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>

#include "fmd/base/counted.h"
#include "fmd/base/log.h"
#include "fmd/base/uuid.h"
#include "fmd/daemon/host_identity.h"
#include "fmd/model/self_events.h"

namespace fmd {
namespace {

constexpr uint64_t kTimerAccuracyUs = 1000;
constexpr int64_t kStopPatienceNs = 20LL * 1000000000;  // for the last commit
constexpr uint64_t kReserveBytes = 4 << 20;             // some dozens of commits
constexpr int64_t kUrgentPriority = SD_EVENT_PRIORITY_IMPORTANT;
constexpr int64_t kWorkPriority = SD_EVENT_PRIORITY_NORMAL + 5;  // what peers say comes first...
constexpr int64_t kOverdueNs = 100'000'000;  // ...but a peer that never stops delays no deadline

std::string read_boot_id() {
  std::ifstream in("/proc/sys/kernel/random/boot_id");
  std::string id;
  std::getline(in, id);
  return id;
}

// The report about the store after opening it; "": none.
std::string story_of(const Store& store, const std::string& restore_damage) {
  std::string story;
  if (!store.moved_aside().empty())
    story = fmt::format("moved aside to {}. {}", store.moved_aside(), store.salvage());
  if (!restore_damage.empty()) story += (story.empty() ? "" : " ") + restore_damage;
  return story;
}

}  // namespace

// --- its life ---

Daemon::Daemon(sd_event* loop, const Options& options, Config config, Policy policy)
    : loop_(sd_event_ref(loop)),
      options_(options),
      config_(std::move(config)),
      policy_(std::move(policy)),
      host_(read_host_identity()),
      lights_(config_.socket.substr(0, config_.socket.rfind('/') + 1) + "lights-ahead") {}

Daemon::~Daemon() {
  bus_.reset();
  control_.reset();
  sd_event_source_disable_unref(post_);
  sd_event_source_disable_unref(wake_);
  sd_event_source_disable_unref(at_once_);
  sd_event_source_disable_unref(stored_);
  hub_.reset();
  store_.reset();  // its thread no longer wakes us
  if (store_fd_ >= 0) close(store_fd_);
  sd_event_unref(loop_);
}

Result<std::unique_ptr<Daemon>> Daemon::start(sd_event* loop, const Options& options, Config config,
                                              Policy policy, Clock clock) {
  std::unique_ptr<Daemon> daemon(new Daemon(loop, options, std::move(config), std::move(policy)));
  if (auto opened = daemon->open(std::move(clock)); !opened) return tl::unexpected(opened.error());
  if (auto listening = daemon->listen(); !listening) return tl::unexpected(listening.error());
  return daemon;
}

Result<void> Daemon::open(Clock clock) {
  store_fd_ = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  if (store_fd_ < 0) return fail(fmt::format("no eventfd: {}", strerror(errno)));
  StoreOptions options;
  options.reserve_bytes = kReserveBytes;
  options.compression = config_.compression;
  auto opened = Store::open(config_.state_dir, clock.wall_ns(), options);
  if (!opened) return tl::unexpected(opened.error());
  std::unique_ptr<Store> store = std::move(*opened);
  if (auto named = store->name_machine(read_machine_name()); !named)
    log_line(LOG_ERR, fmt::format("what the machine is called cannot be written, which is tried "
                                  "again at the next start: {}",
                                  named.error().text()));
  durable_ = std::make_unique<Durable>(policy_.rules, new_uuid, config_.action,
                                       SteadyClock(std::move(clock), read_boot_id()));
  set_preferences();
  const std::vector<StateRow> lights = lights_.read();
  const std::string damage = durable_->restore(*store, lights);
  set_preferences();  // with the channels of the plugins that are known now
  durable_->reconciler.set_config(action());
  arrivals_.started(durable_->engine.inventory(), durable_->clock.steady_ns());
  const uint64_t last_seq = store->last_seq();
  const StoreAtStart at_start{story_of(*store, damage), store->lives_on_reserve(), store->is_full(),
                              store->unopened()};
  store_ = std::make_unique<StoreThread>(std::move(store),
                                         [fd = store_fd_] { (void)eventfd_write(fd, 1); });
  assemble(last_seq);
  if (!lights.empty()) pipeline_->begin_with_lights_ahead();
  report_store(at_start);
  if (const OwnState& own = durable_->own; own.begins_ns != 0) {
    Work work;
    work.rows.push_back(begins_row(own.begins_ns, own.evidence_from_ns));
    pipeline_->submit(std::move(work));
  }
  intake_->expect_known_plugins(durable_->engine.inventory());
  (void)commit();  // a failure is logged, and tried again
  return {};
}

void Daemon::assemble(uint64_t last_seq) {
  Durable& durable = *durable_;
  const Handlers& handlers = *this;
  Road& road = *this;
  pipeline_ =
      std::make_unique<Pipeline>(durable, *store_, last_seq, arrivals_, handlers, host_.name);
  intake_ = std::make_unique<Intake>(*pipeline_, durable.own, arrivals_, durable.engine.inventory(),
                                     durable.clock, durable.clock_watch);
  hub_ = std::make_unique<PluginHub>(loop_, durable.clock.kernel(), *intake_, geteuid());
  hub_->set_grants(config_.plugins);
  hub_->route_by(durable.engine.inventory());
  ask_of_events();
  intake_->answer_through(*hub_);
  dispatch_ =
      std::make_unique<Dispatch>(*hub_, *pipeline_, durable.outbox, durable.engine, durable.clock);
  upkeep_ = std::make_unique<Upkeep>(
      *pipeline_, durable.engine, durable.clock, durable.clock_watch, *store_, config_.retention,
      [this] { intake_->refresh_plugin_resources(); }, [this] { hub_->give_room_back(); });
  control_ = std::make_unique<ControlService>(
      durable.engine, durable.reconciler, *hub_,
      ControlService::Sight{*store_, durable.outbox, durable.bay_history},
      ControlService::Voice{durable.alerts, durable.telling, durable.happenings, durable.outbox},
      road);
}

void Daemon::report_store(const StoreAtStart& store) {
  const std::string& damage = store.damage;
  if (!damage.empty()) {
    log_line(LOG_CRIT, "the store was damaged: " + damage);
    pipeline_->submit_event(kStoreDamaged, kStoreResource, damage);
  }
  if (store.unopened) return pipeline_->begin_unopened(*store.unopened, store.full);
  const auto& cases = durable_->engine.cases();
  const bool complained = std::any_of(cases.begin(), cases.end(), [](const auto& entry) {
    const Case& c = entry.second;
    return c.faulty() && !c.suspects.empty() && c.suspects.front().resource == kStoreResource;
  });
  // Once this is written, the store can be written: that repairs what an earlier run complained of. But
  // not while it lives on its reserve.
  if (complained && store.low)
    pipeline_->go_on_low();
  else if (complained && damage.empty())
    pipeline_->submit_event(kStoreOk, kStoreResource, "written again after a restart");
}

Result<void> Daemon::listen() {
  if (auto listening = hub_->listen(config_.socket, config_.plugin_group); !listening)
    return listening;
  if (config_.bus == "none") return {};
  BusOptions bus;
  bus.address = config_.bus;
  bus.starts_at_boot = [this](bool starts) { intake_->describe_service(starts); };
  // A plugin's user hears of all in its messages, which go to whom the administrator has named; what
  // it asks for beside them may be shown to anybody (SNMP's tables).
  bus.reads_all = [this](uint32_t uid) {
    const PluginGrants& grants = hub_->grants();
    return std::any_of(grants.begin(), grants.end(), [uid](const auto& grant) {
      return grant.second.reads_serials && grant.second.uid == uid;
    });
  };
  bus.units_to_ask = [this] { return hub_->units_to_ask(); };
  bus.unit_told = [this](const std::string& plugin, UnitState unit, uint32_t restarts) {
    intake_->unit_told(plugin, unit, restarts);
    hub_->check_now();
  };
  bus.log = [](int priority, std::string_view text) { log_line(priority, text); };
  auto server = BusServer::create(loop_, *control_, std::move(bus));
  if (!server) return tl::unexpected(server.error());
  bus_ = std::move(*server);
  return {};
}

Result<void> Daemon::attach() {
  const int added = std::min(
      {sd_event_add_post(loop_, &post_, on_post, this),
       sd_event_add_time(loop_, &wake_, CLOCK_BOOTTIME, 0, kTimerAccuracyUs, on_wake, this),
       sd_event_add_defer(loop_, &at_once_, on_due, this),
       sd_event_add_io(loop_, &stored_, store_fd_, EPOLLIN, on_stored, this)});
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
  log_line(LOG_INFO, fmt::format("ready: {} rules, {} open cases, plugins connect to {}",
                                 policy_.rules->rules().size(), open_cases(), config_.socket));
  notify_status();
  const int code = sd_event_loop(loop_);
  sd_notify(0, "STOPPING=1");
  hub_->stop();
  durable_->tail.settle();
  pipeline_->take_in();
  durable_->engine.write_out();
  const auto written = carrier_.carry_out(pipeline_->flush(kStopPatienceNs));
  control_->stop();
  if (!written) log_line(LOG_ERR, "stopped with something not written: " + written.error().message);
  return code != 0 || !written ? 1 : 0;
}

// --- timed work ---

void Daemon::work() {
  (void)carrier_.carry_out(pipeline_->run());  // a failure is logged, and tried again
  follow_plugins();
  dispatch_->deliver_due();
  upkeep_->run();
}

int64_t Daemon::next_wake_ns() const {
  int64_t next = upkeep_->next_wake_ns();
  if (const auto at = pipeline_->next_wake_ns()) next = std::min(next, *at);
  if (const auto at = durable_->outbox.next_deadline_ns(); at && pipeline_->may_deliver())
    next = std::min(next, *at);
  return next;
}

void Daemon::arm() {
  const int64_t next = next_wake_ns(), now = durable_->clock.steady_ns();
  // What is due needs no timer: that may be late, and in a storm it is two calls of the kernel each time.
  const bool due = next <= now;
  sd_event_source_set_enabled(due ? wake_ : at_once_, SD_EVENT_OFF);
  sd_event_source* const source = due ? at_once_ : wake_;
  const bool overdue = std::max(next, hurried_ns_) <= now - kOverdueNs;
  if (overdue) hurried_ns_ = now;
  sd_event_source_set_priority(source,
                               pipeline_->take_turn() || overdue ? kUrgentPriority : kWorkPriority);
  if (!due) {
    const int64_t at = std::max<int64_t>(durable_->clock.boot_from_steady(next), 0);
    sd_event_source_set_time(wake_, static_cast<uint64_t>(at + 999) / 1000);
  }
  sd_event_source_set_enabled(source, SD_EVENT_ONESHOT);
}

int Daemon::on_wake(sd_event_source* source, uint64_t, void* self) {
  return on_due(source, self);
}

int Daemon::on_due(sd_event_source*, void* self) {
  static_cast<Daemon*>(self)->work();
  return 0;
}

int Daemon::on_stored(sd_event_source*, int fd, uint32_t, void* self) {
  eventfd_t count = 0;
  (void)eventfd_read(fd, &count);
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

size_t Daemon::open_cases() const {
  return durable_->engine.open_cases_by_age().size();
}

void Daemon::notify_status() const {
  sd_notifyf(0, "STATUS=%s", counted(open_cases(), "open case").c_str());
}

}  // namespace fmd
