#include "plugins/cpu/cpu_plugin.h"

#include <fmt/format.h>
#include <syslog.h>
#include <time.h>

#include <algorithm>
#include <utility>

#include "fmd/chassis/library.h"
#include "fmd/chassis/properties.h"
#include "plugins/cpu/cpu_inventory.h"
#include "plugins/cpu/crash.h"
#include "plugins/cpu/pci_links.h"
#include "plugins/hardware/description_files.h"
#include "plugins/hardware/smbios.h"
#include "plugins/hardware/system_id.h"
#include "plugins/hardware/time_text.h"
#include "plugins/sdk/messages.h"

namespace fmd::cpu {
namespace {

using nlohmann::json;

constexpr std::string_view kInstance = "fmd-cpu";
constexpr size_t kMostPages = 4000;  // more than any rule about a module needs
constexpr int64_t kPageKept = int64_t{45} * 86400 * 1'000'000'000;  // beyond any rule's window

int64_t clock_ns(clockid_t clock) {
  timespec now{};
  clock_gettime(clock, &now);
  return now.tv_sec * 1'000'000'000LL + now.tv_nsec;
}

// Wall clock time of a time on the trace's clock (CLOCK_BOOTTIME).
int64_t wall_of(int64_t uptime_ns) {
  const int64_t now = clock_ns(CLOCK_REALTIME);
  return uptime_ns <= 0 ? now : std::min(now, now - clock_ns(CLOCK_BOOTTIME) + uptime_ns);
}

// Wall clock time of this boot; 0 unknown.
uint64_t booted_s() {
  const int64_t at = clock_ns(CLOCK_REALTIME) - clock_ns(CLOCK_BOOTTIME);
  return at > 0 ? static_cast<uint64_t>(at / 1'000'000'000) : 0;
}

std::string utc(uint64_t seconds) {
  constexpr uint64_t kMost = 9'000'000'000;  // limit of nanoseconds in 64 bits
  return hardware::utc_text(seconds > kMost ? 0 : static_cast<int64_t>(seconds) * 1'000'000'000);
}

// The processor whose bank reported it; "" for another source.
std::string socket_in(const TraceRecord& record, const Processors& machine) {
  const auto* mce = std::get_if<MceRecord>(&record.what);
  return mce ? socket_of(*mce, machine) : "";
}

// The crashes already reported: they are the cursor.
std::set<std::string> crashes_in(const std::string& cursor) {
  const json ids = json::parse(cursor, nullptr, false);
  std::set<std::string> out;
  for (const json& id : ids.is_array() ? ids : json::array())
    if (id.is_string()) out.insert(id.get<std::string>());
  return out;
}

}  // namespace

CpuPlugin::CpuPlugin(sd_event* loop, sdk::Host& host, const std::string& socket, Options options)
    : loop_(loop),
      host_(host),
      options_(options),
      memory_(options.state_file),
      plugin_(loop,
              {"cpu",
               {"ereport.cpu.*", "ereport.memory.*", "ereport.io.pci.*"},
               {"retire", "restore", "refresh"},
               {"cpu://", "mem://page="}},
              socket),
      inventory_(plugin_),
      periodic_(loop),
      episode_(loop),
      minute_(loop),
      commands_(host, memory_, options.act_deadline, [this]() -> const Processors& {
        look();
        return machine_;
      }) {
  edac_names_ =
      chassis::edac_names(chassis::Library::load(hardware::read_descriptions(options_.descriptions))
                              .first.host(hardware::machine_facts(host_)));
  if (auto known = memory_.load(); !known)
    sdk::log(LOG_WARNING, known.error().text() + ": starting without it");
  plugin_.on_connected([this](const std::string& cursor) {
    complete_due_ = true;
    look();
    tell_crashes(crashes_in(cursor));
  });
  plugin_.on_command([this](const sdk::CommandRequest& request, const sdk::Plugin::Reply& reply) {
    answer(request, reply);
  });
  look();
}

void CpuPlugin::begin_listening() {
  auto trace = sdk::KernelLines::trace(loop_, host_, kInstance, ras_trace_events(),
                                       [this](std::string_view line) { on_trace(line); });
  if (trace)
    trace_ = std::move(*trace);
  else
    trace_trouble_ = trace.error().text();
}

void CpuPlugin::look() {
  periodic_.start_lazily(options_.rescan, [this] { look(); });
  const auto table = host_.read("/sys/firmware/dmi/tables/DMI");
  const auto smbios = table ? hardware::parse_smbios(*table) : hardware::Smbios();
  hardware::DimmNames dimms(smbios.modules);
  for (const auto& [edac, label] : edac_names_) dimms.also(edac, label);
  machine_ = look_at_processors(host_, memory_.places, std::move(dimms), machine_);
  machine_.name_sockets(smbios.processors);
  std::erase_if(memory_.deeds, [this](const auto& d) {
    const bool over = d.second.boot != machine_.boot;
    if (over) memory_.ended.insert(d.first);
    return over;
  });
  std::erase_if(memory_.released, [this](const auto& r) { return r.second != machine_.boot; });
  const int64_t oldest = clock_ns(CLOCK_REALTIME) - kPageKept;
  std::erase_if(memory_.pages, [&](const auto& entry) {
    return entry.second.last_ns < oldest && !memory_.deeds.contains(page_fmri(entry.first));
  });
  if (trace_)
    sdk::switch_on_events(host_, kInstance, ras_trace_events());
  else
    begin_listening();
  if (trace_) sdk::switch_on_groups(host_, kInstance, ras_trace_groups());
  if (trace_) unknown_.compare(host_, kInstance, ras_trace_events());
  memory_.save();
  publish();
  tell_status();
}

void CpuPlugin::publish() {
  const bool complete = complete_due_ && plugin_.connected();
  if (complete) complete_due_ = false;
  inventory_.send(cpu_resources(machine_, memory_), complete);
}

void CpuPlugin::tell_status() {
  // A container has no trace. Elsewhere, an unreadable trace makes the plugin blind.
  if (!trace_)
    return plugin_.send_status(
        host_.exists("/sys/kernel/tracing") ? "degraded" : "not-observed",
        "no error of processors, memory or PCIe is heard: " + trace_trouble_);
  const std::string unknown = unknown_.text();
  if (unknown.empty()) return plugin_.send_status("ok", unknown_.missing());
  plugin_.send_status("degraded", unknown);
}

void CpuPlugin::on_trace(std::string_view line) {
  if (const auto lost = lost_events(line))
    return sdk::log(LOG_WARNING,
                    fmt::format("the kernel's trace has lost {} events: too many at once", *lost));
  if (const std::string_view unread = unread_event(line); !unread.empty())
    if (unknown_.add(unread, line)) tell_status();
  const auto record = parse_trace_record(line);
  if (!record) return;
  const int64_t when = wall_of(record->uptime_ns);
  const std::string socket = socket_in(*record, machine_);
  if (const auto* mce = std::get_if<MceRecord>(&record->what)) {
    const std::string why = doubt(*mce, booted_s());
    if (!why.empty()) return keep(leftover(*mce, why, machine_), when, socket);
  }
  storm_.add(*record, socket);
  if (!storm_.empty() && !minute_.running())
    minute_.start(options_.minute, [this] { count_storm(); });
  for (sdk::OutEvent& event : findings(
           *record, machine_, [this](const std::string& at) { return look_at_link(host_, at); })) {
    if (const auto frame = frame_in(event.resource))
      note_page(*frame, when, event.event_class == "ereport.memory.lost",
                event.payload.value("module", ""));
    keep(std::move(event), when, socket);
  }
}

void CpuPlugin::keep(sdk::OutEvent event, int64_t when_ns, const std::string& socket) {
  event.time_ns = when_ns;
  if (options_.corrected_offline && event.event_class.starts_with("ereport.cpu."))
    event.payload["corrected"] = "offline";
  second_.add(std::move(event), socket);
  if (second_.goes_on() && !episode_.running())
    episode_.start(options_.episode, [this] { flush(); });
}

void CpuPlugin::note_page(uint64_t frame, int64_t when_ns, bool lost, const std::string& module) {
  if (memory_.pages.size() >= kMostPages && !memory_.pages.contains(frame)) {
    auto oldest = memory_.pages.end();
    for (auto at = memory_.pages.begin(); at != memory_.pages.end(); ++at)
      if (!memory_.deeds.contains(page_fmri(at->first)) &&
          (oldest == memory_.pages.end() || at->second.last_ns < oldest->second.last_ns))
        oldest = at;
    if (oldest == memory_.pages.end()) return;
    memory_.pages.erase(oldest);
  }
  Page& page = memory_.pages[frame];
  page.last_ns = std::max(page.last_ns, when_ns);
  if (lost) page.lost_in = machine_.boot;
  if (!module.empty())
    page.module = module.starts_with("mem://")
                      ? module
                      : hardware::module_called(module, machine_.modules, machine_.dimms);
}

void CpuPlugin::flush() {
  std::vector<sdk::OutEvent> events = second_.take();
  for (const sdk::OutEvent& event : events)
    if (event.event_class == "ereport.memory.channel" ||
        event.event_class == "ereport.memory.shared")
      memory_.channels.insert(event.resource);
  memory_.save();
  publish();  // first, so that fmd knows the events' resources
  if (!events.empty()) plugin_.send_events(std::move(events), "");
  // Stop reading while fmd is behind: the kernel buffers the rest. The timer resumes, since the
  // last acknowledgement may come without a further message from this plugin.
  const bool behind = plugin_.unacked_events() > options_.unacked_at_most;
  if (trace_) trace_->pause(behind);
  if (behind || second_.goes_on()) episode_.start(options_.episode, [this] { flush(); });
}

// Reports corrected errors per minute and socket: each one costs an interrupt.
void CpuPlugin::count_storm() {
  json readings = json::array();
  const auto tell = [&](const std::string& socket, uint64_t count) {
    readings.push_back({{"resource", socket},
                        {"name", "corrected_per_minute"},
                        {"value", count},
                        {"unit", "count"},
                        {"time", clock_ns(CLOCK_REALTIME)}});
  };
  const auto counts = storm_.take();
  for (const std::string& socket : std::exchange(counted_before_, {}))
    if (!counts.contains(socket)) tell(socket, 0);
  for (const auto& [socket, count] : counts) {
    tell(socket, count);
    counted_before_.insert(socket);
  }
  if (!counted_before_.empty()) minute_.start(options_.minute, [this] { count_storm(); });
  plugin_.send_readings(std::move(readings));
}

// Reports crashes before this boot. Records already in pstore when fmd is installed are history.
void CpuPlugin::tell_crashes(const std::set<std::string>& told) {
  if (std::exchange(crashes_told_, true)) return;
  memory_.crashes.insert(told.begin(), told.end());
  std::vector<sdk::OutEvent> events;
  std::set<std::string> all = told;
  Processors alone = machine_;  // EDAC cannot count an error that stops the machine
  alone.collector = true;
  const uint64_t booted = options_.booted_s != 0 ? options_.booted_s : booted_s();
  for (const MceRecord& record : kept_crashes(host_)) {
    const std::string id = crash_id(record);
    if (memory_.first) memory_.crashes.insert(id);
    if (memory_.crashes.contains(id)) continue;
    all.insert(id);
    if (const std::string why = doubt_of_crash(record, booted); !why.empty()) {
      events.push_back(leftover(record, why, machine_));
      events.back().time_ns = clock_ns(CLOCK_REALTIME);
      continue;
    }
    auto found = findings(record, alone);
    // The replaceable part is the module or channel that contains the page.
    const auto holder = std::find_if(found.begin(), found.end(), [](const sdk::OutEvent& event) {
      return event.event_class == "ereport.memory.module" ||
             event.event_class == "ereport.memory.channel";
    });
    const std::string on = holder == found.end() ? "" : holder->resource;
    if (!on.empty() && holder->event_class == "ereport.memory.channel") memory_.channels.insert(on);
    if (found.size() > 1 && !on.empty()) found.erase(holder);  // the page's event has all of it
    for (sdk::OutEvent& event : found) {
      event.time_ns = record.time_s > 0 ? static_cast<int64_t>(record.time_s) * 1'000'000'000
                                        : clock_ns(CLOCK_REALTIME);
      event.payload.erase("counted");
      if (const auto frame = frame_in(event.resource)) note_page(*frame, event.time_ns, false, on);
      const bool memory = event.event_class.starts_with("ereport.memory.");
      event.event_class = memory ? "ereport.memory.crash" : "ereport.cpu.crash";
      event.payload["stopped"] = utc(record.time_s);
      events.push_back(std::move(event));
    }
  }
  memory_.save();
  publish();
  if (!events.empty()) plugin_.send_events(std::move(events), json(all).dump());
}

void CpuPlugin::answer(const sdk::CommandRequest& request, const sdk::Plugin::Reply& reply) {
  if (request.name == "refresh") {
    look();
    return reply({"done", "looked at all processors", json::object()});
  }
  if (!options_.act)
    return reply({"refused", "act = false in cpu.toml: fmd takes nothing out of service here",
                  json::object()});
  commands_.run(request, reply);
}

}  // namespace fmd::cpu
