#include "fmd/bus/bus_server.h"

#include <syslog.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <utility>

#include "fmd/bus/boot_watch.h"
#include "fmd/bus/manager.h"
#include "fmd/bus/objects.h"
#include "fmd/bus/unit_watch.h"

namespace fmd {

using namespace bus;

namespace {
constexpr uint64_t kMaxQueued = 50'000;  // messages; GetManagedObjects is one, of any size
constexpr size_t kStoredAtOnce = 2;      // queries of the disk; a second one keeps it busy
constexpr uint64_t kTurnUs = 1000;       // longest wait of a query while the loop is busy
}  // namespace

struct BusServer::Impl final : ControlObserver {
  Impl(sd_event* loop, Control& c, BusOptions o)
      : event(sd_event_ref(loop)),
        control(c),
        options(std::move(o)),
        manager{c,
                {},
                {},
                Authorizer(manager.callers, options.privileged_uids.value_or(std::set<uint32_t>{
                                                0, static_cast<uint32_t>(geteuid())})),
                Holders([this](const std::string& holder) { holder_left(holder); }),
                Turns(1, [this] { wake_turns(); }),
                Turns(kStoredAtOnce, [this] { wake_turns(); }),
                {},
                options.reads_all},
        retry_us(options.first_retry_us) {}
  ~Impl() override { disconnect(); }

  EventPtr event;
  Control& control;
  BusOptions options;
  Manager manager;
  uint64_t retry_us;
  bool owner = false;
  std::string last_trouble;  // already logged, so that retries do not fill the log
  BusPtr connection;
  bool was_owner = false;  // with the connection that was left
  SlotPtr disconnected_slot, name_slot, lost_slot;
  SourcePtr retry_timer, news_timer, boot_timer, units_timer, stuck_timer;
  // sd_event_now() when the bus last accepted a message or nothing was queued; nothing: no message
  // waits.
  std::optional<uint64_t> waits_since_us;
  uint64_t was_queued = 0;  // messages, when last looked
  // A queued query runs when the loop is idle (so that refusals go out first) or after kTurnUs.
  SourcePtr turn_source, turn_timer;
  BootWatch boot_watch{[this](bool starts) { options.starts_at_boot(starts); }};
  UnitWatch unit_watch{[this](const std::string& plugin, UnitState unit, uint32_t restarts) {
    options.unit_told(plugin, unit, restarts);
  }};

  // Objects announced to ObjectManager clients.
  std::set<std::string, std::less<>> known_cases;
  std::set<std::string, std::less<>> known_resources;
  uint32_t told_open_cases = 0;
  std::map<std::string, std::string, std::less<>> changed_resources;  // fmri → pending signal
  std::optional<uint64_t> logged;

  Result<void> start();
  int add_timer(SourcePtr& into, uint64_t accuracy_us, sd_event_time_handler_t on_time);
  void connect();
  int open_bus();
  int export_all();
  int request_name();
  void disconnect();
  void retry(const std::string& trouble);
  void log(int priority, std::string_view text) const {
    if (options.log) options.log(priority, text);
  }

  void case_changed(std::string_view uuid, std::string_view what) override;
  void resource_changed(std::string_view fmri, std::string_view kind) override;
  void events_logged(uint64_t last_seq) override;
  void dry_run_changed(bool on) override;
  void tell_open_cases();
  void tell_resource(const std::string& fmri, const std::string& kind);
  void tell_news();
  void tell_later();

  bool is_stuck();
  bool can_tell();
  void look_whether_stuck();
  static int on_stuck_look(sd_event_source*, uint64_t, void* self);
  void holder_left(const std::string& holder);

  static int on_name_lost(sd_bus_message*, void* self, sd_bus_error*);
  static int on_disconnected(sd_bus_message*, void* self, sd_bus_error*);
  static int on_name(sd_bus_message* reply, void* self, sd_bus_error*);
  static int on_retry(sd_event_source*, uint64_t, void* self);
  static int on_news(sd_event_source*, uint64_t, void* self);
  void ask_boot();
  static int on_boot(sd_event_source*, uint64_t, void* self);
  void ask_units();
  static int on_units(sd_event_source*, uint64_t, void* self);
  void wake_turns();
  void take_turn();
};

// Adds a disabled timer.
int BusServer::Impl::add_timer(SourcePtr& into, uint64_t accuracy_us,
                               sd_event_time_handler_t on_time) {
  sd_event_source* timer = nullptr;
  const int r = sd_event_add_time_relative(event.get(), &timer, CLOCK_MONOTONIC, 0, accuracy_us,
                                           on_time, this);
  into.reset(timer);
  return r < 0 ? r : sd_event_source_set_enabled(timer, SD_EVENT_OFF);
}

Result<void> BusServer::Impl::start() {
  const auto on_turn_time = [](sd_event_source*, uint64_t, void* self) {
    static_cast<Impl*>(self)->take_turn();
    return 0;
  };
  const auto on_turn = [](sd_event_source*, void* self) {
    static_cast<Impl*>(self)->take_turn();
    return 0;
  };
  int r = add_timer(retry_timer, 0, on_retry);
  if (r >= 0) r = add_timer(news_timer, 0, on_news);
  if (r >= 0) r = add_timer(boot_timer, 0, on_boot);
  if (r >= 0) r = add_timer(units_timer, 0, on_units);
  if (r >= 0) r = add_timer(stuck_timer, 0, on_stuck_look);
  if (r >= 0) r = add_timer(turn_timer, 100, on_turn_time);
  sd_event_source* defer = nullptr;
  if (r >= 0) r = sd_event_add_defer(event.get(), &defer, on_turn, this);
  turn_source.reset(defer);
  if (r >= 0) r = sd_event_source_set_enabled(defer, SD_EVENT_OFF);
  if (r >= 0) r = sd_event_source_set_priority(defer, SD_EVENT_PRIORITY_NORMAL + 1);
  if (r < 0) return fail(std::string("The event loop gives no timer: ") + strerror(-r));
  connect();
  return {};
}

void BusServer::Impl::wake_turns() {
  sd_event_source_set_enabled(turn_source.get(), SD_EVENT_ONESHOT);
  int enabled = SD_EVENT_OFF;
  sd_event_source_get_enabled(turn_timer.get(), &enabled);
  if (enabled != SD_EVENT_OFF) return;
  sd_event_source_set_time_relative(turn_timer.get(), kTurnUs);
  sd_event_source_set_enabled(turn_timer.get(), SD_EVENT_ONESHOT);
}

void BusServer::Impl::take_turn() {
  sd_event_source_set_enabled(turn_source.get(), SD_EVENT_OFF);
  sd_event_source_set_enabled(turn_timer.get(), SD_EVENT_OFF);
  const bool disk = manager.from_disk.next();
  const bool memory = manager.from_memory.next();
  if (disk || memory) wake_turns();
}

int BusServer::Impl::open_bus() {
  sd_bus* raw = nullptr;
  int r = 0;
  if (options.address == "system" || options.address == "session") {
    r = options.address == "system" ? sd_bus_open_system_with_description(&raw, "fmd")
                                    : sd_bus_open_user_with_description(&raw, "fmd");
    connection.reset(raw);
    return r;
  }
  r = sd_bus_new(&raw);
  connection.reset(raw);
  if (r >= 0) r = sd_bus_set_description(raw, "fmd");
  if (r >= 0) r = sd_bus_set_address(raw, options.address.c_str());
  if (r >= 0) r = sd_bus_set_bus_client(raw, 1);
  return r < 0 ? r : sd_bus_start(raw);
}

int BusServer::Impl::export_all() {
  sd_bus* bus = connection.get();
  sd_bus_slot* slot = nullptr;
  int r = sd_bus_attach_event(bus, event.get(), SD_EVENT_PRIORITY_NORMAL);
  if (r >= 0)
    r = sd_bus_match_signal(bus, &slot, "org.freedesktop.DBus.Local", "/org/freedesktop/DBus/Local",
                            "org.freedesktop.DBus.Local", "Disconnected", on_disconnected, this);
  disconnected_slot.reset(slot);
  slot = nullptr;
  if (r >= 0)
    r = sd_bus_match_signal_async(bus, &slot, "org.freedesktop.DBus", "/org/freedesktop/DBus",
                                  "org.freedesktop.DBus", "NameLost", on_name_lost, nullptr, this);
  lost_slot.reset(slot);
  if (r >= 0) r = export_manager(bus, manager);
  if (r >= 0) r = export_cases(bus, control.engine());
  if (r >= 0) r = export_resources(bus, control.engine());
  if (r < 0) return r;
  return request_name();
}

// dbus-daemon does not read from a connection that has too many unread messages, and so does not
// notice that it is closed: that one would keep the name. So the new one takes it.
int BusServer::Impl::request_name() {
  sd_bus_slot* slot = nullptr;
  const uint64_t flags =
      SD_BUS_NAME_ALLOW_REPLACEMENT | (was_owner ? SD_BUS_NAME_REPLACE_EXISTING : 0);
  const int r = sd_bus_request_name_async(connection.get(), &slot, kName, flags, on_name, this);
  name_slot.reset(slot);
  return r;
}

void BusServer::Impl::connect() {
  int r = open_bus();
  if (r >= 0) r = export_all();
  if (r < 0) retry("The bus \"" + options.address + "\" cannot be reached: " + strerror(-r));
}

void BusServer::Impl::disconnect() {
  manager.callers.forget_all();
  manager.unread.forget_all();
  manager.from_memory.forget_all();
  manager.from_disk.forget_all();
  manager.authorizer.cancel_all();
  manager.holders.forget_all();
  boot_watch.forget();
  unit_watch.forget();
  name_slot.reset();
  lost_slot.reset();
  disconnected_slot.reset();
  connection.reset();
  waits_since_us.reset();
  owner = false;
}

// The dead connection is kept until the timer fires: this may run inside one of its callbacks.
void BusServer::Impl::retry(const std::string& trouble) {
  owner = false;
  if (trouble != last_trouble) log(LOG_WARNING, trouble + "; trying again");
  last_trouble = trouble;
  sd_event_source_set_time_relative(retry_timer.get(), retry_us);
  sd_event_source_set_enabled(retry_timer.get(), SD_EVENT_ONESHOT);
  retry_us = std::min(retry_us * 2, options.max_retry_us);
}

int BusServer::Impl::on_retry(sd_event_source*, uint64_t, void* self) {
  auto& impl = *static_cast<Impl*>(self);
  impl.disconnect();
  impl.connect();
  return 0;
}

int BusServer::Impl::on_disconnected(sd_bus_message*, void* self, sd_bus_error*) {
  auto& impl = *static_cast<Impl*>(self);
  impl.retry("The connection to the bus \"" + impl.options.address + "\" is lost");
  return 0;
}

// fmd owns the name with ALLOW_REPLACEMENT, so that its next connection can take it. Other programs
// of root and of the user fmd can do the same.
int BusServer::Impl::on_name_lost(sd_bus_message* signal, void* self, sd_bus_error*) {
  auto& impl = *static_cast<Impl*>(self);
  const char* name = nullptr;
  if (sd_bus_message_read(signal, "s", &name) < 0 || std::string_view(name) != kName) return 0;
  impl.was_owner = false;
  impl.retry(std::string("Another program has taken the name ") + kName + " from fmd");
  return 0;
}

int BusServer::Impl::on_name(sd_bus_message* reply, void* self, sd_bus_error*) {
  auto& impl = *static_cast<Impl*>(self);
  const sd_bus_error* error = sd_bus_message_get_error(reply);
  uint32_t answer = 0;
  if (error && sd_bus_error_has_name(error, SD_BUS_ERROR_ACCESS_DENIED)) {
    impl.retry(std::string("The bus does not let this user own ") + kName +
               "; install the policy file " + kName + ".conf and run fmd as user fmd");
  } else if (error) {
    impl.retry(std::string("The bus does not give the name ") + kName + ": " +
               (error->message ? error->message : error->name));
  } else if (sd_bus_message_read(reply, "u", &answer) < 0 || (answer != 1 && answer != 4)) {
    impl.retry(std::string(kName) + " has another owner: a second fmd is running on this bus");
    impl.was_owner = false;
  } else {
    impl.owner = impl.was_owner = true;
    impl.retry_us = impl.options.first_retry_us;
    impl.last_trouble.clear();
    impl.known_cases.clear();
    impl.known_resources.clear();
    for (const auto& [uuid, c] : impl.control.engine().cases()) impl.known_cases.insert(uuid);
    for (const auto& [fmri, r] : impl.control.engine().inventory().all())
      impl.known_resources.insert(fmri);
    impl.told_open_cases = open_cases(impl.control);
    for (const std::string& holder : impl.control.locate_holders())
      if (impl.manager.holders.watch(impl.connection.get(), holder) < 0) impl.holder_left(holder);
    impl.log(LOG_INFO, std::string("on the bus as ") + kName);
    impl.ask_boot();
    impl.ask_units();
    impl.look_whether_stuck();
  }
  return 0;
}

void BusServer::Impl::ask_boot() {
  if (!owner || !options.starts_at_boot) return;
  boot_watch.ask(connection.get());
  sd_event_source_set_time_relative(boot_timer.get(), options.ask_boot_us);
  sd_event_source_set_enabled(boot_timer.get(), SD_EVENT_ONESHOT);
}

int BusServer::Impl::on_boot(sd_event_source*, uint64_t, void* self) {
  static_cast<Impl*>(self)->ask_boot();
  return 0;
}

void BusServer::Impl::ask_units() {
  if (!owner || !options.units_to_ask) return;
  unit_watch.ask(connection.get(), options.units_to_ask());
  sd_event_source_set_time_relative(units_timer.get(), options.ask_units_us);
  sd_event_source_set_enabled(units_timer.get(), SD_EVENT_ONESHOT);
}

int BusServer::Impl::on_units(sd_event_source*, uint64_t, void* self) {
  static_cast<Impl*>(self)->ask_units();
  return 0;
}

void BusServer::Impl::holder_left(const std::string& holder) {
  if (const auto done = control.release_locate(holder); !done)
    log(LOG_WARNING, "A locate light is not put out yet: " + done.error().text());
}

// dbus-daemon stops reading from fmd while a listener leaves too many of its messages unread.
bool BusServer::Impl::is_stuck() {
  uint64_t queued = 0, now_us = 0;
  if (sd_bus_get_n_queued_write(connection.get(), &queued) < 0 || queued == 0) {
    waits_since_us.reset();
    return false;
  }
  sd_event_now(event.get(), CLOCK_MONOTONIC, &now_us);
  // New messages only make the queue longer: when it is shorter, the bus has accepted some.
  if (!waits_since_us || queued < was_queued) waits_since_us = now_us;
  was_queued = queued;
  return queued > kMaxQueued || now_us - *waits_since_us >= options.stuck_us;
}

// Leaves a bus that accepts no messages. Clients read everything again when fmd is back, and
// dbus-daemon does not count the unread messages against the new connection.
bool BusServer::Impl::can_tell() {
  if (owner && is_stuck()) {
    retry("The bus \"" + options.address +
          "\" accepts no messages: a program on it does not read those that it subscribed to");
  }
  return owner;
}

void BusServer::Impl::look_whether_stuck() {
  if (!can_tell()) return;
  sd_event_source_set_time_relative(stuck_timer.get(), options.stuck_us / 4);
  sd_event_source_set_enabled(stuck_timer.get(), SD_EVENT_ONESHOT);
}

int BusServer::Impl::on_stuck_look(sd_event_source*, uint64_t, void* self) {
  static_cast<Impl*>(self)->look_whether_stuck();
  return 0;
}

void BusServer::Impl::case_changed(std::string_view uuid, std::string_view what) {
  manager.add_private(control.engine().find_case(uuid));
  if (!can_tell()) return;
  const std::string path = case_path(uuid);
  sd_bus* bus = connection.get();
  const bool exists = control.engine().find_case(uuid) != nullptr;
  const auto known = known_cases.find(uuid);
  if (exists && known == known_cases.end()) {
    known_cases.emplace(uuid);
    sd_bus_emit_object_added(bus, path.c_str());
  } else if (exists) {
    sd_bus_emit_properties_changed_strv(bus, path.c_str(), kCaseInterface, nullptr);
  } else if (known != known_cases.end()) {
    known_cases.erase(known);
    sd_bus_emit_interfaces_removed(bus, path.c_str(), kCaseInterface, nullptr);
  }
  sd_bus_emit_signal(bus, kPath, kName, "CaseChanged", "ss", wire_text(uuid).c_str(),
                     wire_text(what).c_str());
  tell_open_cases();
}

void BusServer::Impl::tell_open_cases() {
  const uint32_t now = open_cases(control);
  if (now == std::exchange(told_open_cases, now)) return;
  sd_bus_emit_properties_changed(connection.get(), kPath, kName, "OpenCases", nullptr);
}

void BusServer::Impl::resource_changed(std::string_view fmri, std::string_view kind) {
  manager.add_private(control.engine().inventory().find(fmri));
  if (!owner) return;
  const auto [it, fresh] = changed_resources.emplace(fmri, kind);
  // "changed" after "added" is still "added".
  if (!fresh && !(kind == "changed" && it->second == "added")) it->second = kind;
  tell_later();
}

void BusServer::Impl::events_logged(uint64_t last_seq) {
  if (!owner) return;
  logged = last_seq;
  tell_later();
}

void BusServer::Impl::dry_run_changed(bool) {
  if (!owner) return;
  sd_bus_emit_properties_changed(connection.get(), kPath, kName, "DryRun", nullptr);
}

void BusServer::Impl::tell_later() {
  int enabled = SD_EVENT_OFF;
  sd_event_source_get_enabled(news_timer.get(), &enabled);
  if (enabled != SD_EVENT_OFF) return;
  sd_event_source_set_time_relative(news_timer.get(), options.coalesce_us);
  sd_event_source_set_enabled(news_timer.get(), SD_EVENT_ONESHOT);
}

int BusServer::Impl::on_news(sd_event_source*, uint64_t, void* self) {
  static_cast<Impl*>(self)->tell_news();
  return 0;
}

void BusServer::Impl::tell_news() {
  const auto resources = std::exchange(changed_resources, {});
  const auto last_seq = std::exchange(logged, std::nullopt);
  if (!can_tell()) return;
  for (const auto& [fmri, kind] : resources) tell_resource(fmri, kind);
  if (last_seq) sd_bus_emit_signal(connection.get(), kPath, kName, "EventsLogged", "t", *last_seq);
}

void BusServer::Impl::tell_resource(const std::string& fmri, const std::string& kind) {
  const std::string path = resource_path(fmri);
  sd_bus* bus = connection.get();
  if (control.engine().inventory().find(fmri)) {
    if (known_resources.insert(fmri).second)
      sd_bus_emit_object_added(bus, path.c_str());
    else
      sd_bus_emit_properties_changed_strv(bus, path.c_str(), kResourceInterface, nullptr);
  } else if (known_resources.erase(fmri)) {
    sd_bus_emit_interfaces_removed(bus, path.c_str(), kResourceInterface, nullptr);
  }
  sd_bus_emit_signal(bus, kPath, kName, "ResourceChanged", "ss", wire_text(fmri).c_str(),
                     wire_text(kind).c_str());
}

BusServer::BusServer(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}

BusServer::~BusServer() {
  impl_->control.remove_observer(impl_.get());
}

Result<std::unique_ptr<BusServer>> BusServer::create(sd_event* event, Control& control,
                                                     BusOptions options) {
  auto impl = std::make_unique<Impl>(event, control, std::move(options));
  if (auto started = impl->start(); !started) return tl::unexpected(started.error());
  control.add_observer(impl.get());
  return std::unique_ptr<BusServer>(new BusServer(std::move(impl)));
}

bool BusServer::owns_name() const {
  return impl_->owner;
}

}  // namespace fmd
