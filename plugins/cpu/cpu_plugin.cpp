#include "plugins/cpu/cpu_plugin.h"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <syslog.h>
#include <time.h>

#include <algorithm>
#include <utility>

#include "plugins/cpu/cpu_inventory.h"
#include "plugins/cpu/crash.h"
#include "plugins/sdk/config.h"
#include "plugins/sdk/pci_address.h"
#include "plugins/sdk/whole_file.h"

namespace fmd::cpu {
namespace {

using nlohmann::json;

constexpr std::string_view kInstance = "fmd-cpu";
constexpr size_t kMostUnacked = 8000;
constexpr size_t kMostPages = 4000;  // more than any rule about a module asks for
constexpr int64_t kPageKept =
    int64_t{45} * 86400 * 1'000'000'000;  // longer than any rule looks back
constexpr const char* kPci = "/sys/bus/pci/devices";
constexpr const char* kSlots = "/sys/bus/pci/slots";

int64_t clock_ns(clockid_t clock) {
  timespec now{};
  clock_gettime(clock, &now);
  return now.tv_sec * 1'000'000'000LL + now.tv_nsec;
}

// When it was on the wall's clock, of a time on the trace's (CLOCK_BOOTTIME).
int64_t wall_of(int64_t uptime_ns) {
  const int64_t now = clock_ns(CLOCK_REALTIME);
  return uptime_ns <= 0 ? now : std::min(now, now - clock_ns(CLOCK_BOOTTIME) + uptime_ns);
}

std::string utc(uint64_t seconds) {
  const auto time = static_cast<time_t>(seconds);
  tm parts{};
  if (seconds == 0 || seconds > 253'402'300'799 || !gmtime_r(&time, &parts))
    return "an unknown time";
  return fmt::format("{:%Y-%m-%d %H:%M:%S} UTC", parts);
}

std::string text_in(const json& payload, const char* name) {
  const auto at = payload.find(name);
  return at != payload.end() && at->is_string() ? at->get<std::string>() : "";
}

std::string socket_of(const std::string& fmri) {
  return fmri.starts_with("cpu://") ? fmri.substr(0, fmri.find('/', 6)) : "";
}

}  // namespace

Result<Options> load_options(const std::string& file) {
  Options options;
  sdk::Config config(file);
  options.rescan = config.duration("rescan", options.rescan);
  options.act_deadline = config.duration("act_deadline", options.act_deadline);
  options.act = config.boolean("act", options.act);
  if (auto good = config.finish(); !good) return tl::unexpected(good.error());
  options.state_file = sdk::state_file("cpu-memory.json");
  return options;
}

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
  if (auto known = memory_.load(); !known)
    sdk::log(LOG_WARNING, known.error().text() + ": starting without it");
  plugin_.on_connected([this](const std::string&) {
    complete_due_ = true;
    look();
    tell_crashes();
    if (trace_) trace_->pause(false);
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
  periodic_.start(options_.rescan, [this] { look(); });
  machine_ = look_at_processors(host_, memory_.places, sdk::DimmNames::of(host_));
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
  if (!trace_)
    return plugin_.send_status(
        "not-observed", "no error of processors, memory or PCIe is heard: " + trace_trouble_);
  plugin_.send_status("ok", "");
}

void CpuPlugin::on_trace(std::string_view line) {
  if (const auto lost = lost_events(line))
    return sdk::log(LOG_WARNING,
                    fmt::format("the kernel's trace has lost {} events: too many at once", *lost));
  const auto record = parse_trace_record(line);
  if (!record) return;
  const int64_t when = wall_of(record->uptime_ns);
  for (sdk::OutEvent& event :
       findings(*record, machine_, [this](const std::string& at) { return link_of(at); })) {
    event.time_ns = when;
    add(std::move(event));
  }
}

// What is said of one part within a second is one error, however often and by however many sources.
void CpuPlugin::add(sdk::OutEvent event) {
  const uint64_t counted = event.payload.value("counted", uint64_t{1});
  event.payload.erase("counted");
  const std::string socket = socket_of(event.resource);
  if (text_in(event.payload, "severity") == "corrected" && !event.resource.starts_with("dev://")) {
    in_minute_[socket.empty() ? socket_fmri(0) : socket] += counted;
    if (!minute_.running()) minute_.start(options_.minute, [this] { count_storm(); });
  }
  if (const auto frame = frame_in(event.resource))
    note_page(*frame, event.time_ns, event.event_class == "ereport.memory.lost",
              text_in(event.payload, "module"));
  // Of a channel it counts which of its modules it was.
  const std::string whose =
      event.event_class == "ereport.memory.shared" ? text_in(event.payload, "module") : "";
  const std::string key =
      event.event_class + "|" + event.resource + "|" + text_in(event.payload, "severity") + "|" +
      text_in(event.payload, "level") + "|" + text_in(event.payload, "word") + "|" + whose;
  const auto [at, fresh] = folds_.try_emplace(key, Fold{std::move(event), 0, 0});
  ++at->second.times;
  at->second.counted += counted;
  if (!episode_.running()) episode_.start(options_.episode, [this] { flush(); });
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
  if (!module.empty()) page.module = module_fmri(module, machine_.dimms);
}

// A bus error that comes with a memory error is its echo.
void CpuPlugin::flush() {
  auto folds = std::exchange(folds_, {});
  const bool memory = std::any_of(folds.begin(), folds.end(), [](const auto& fold) {
    return fold.second.event.event_class.starts_with("ereport.memory.");
  });
  std::vector<sdk::OutEvent> events;
  for (auto& [key, fold] : folds) {
    if (memory && fold.event.event_class == "ereport.cpu.bus") continue;
    if (fold.event.event_class == "ereport.memory.channel" ||
        fold.event.event_class == "ereport.memory.shared")
      memory_.channels.insert(fold.event.resource);
    fold.event.payload["times"] = std::max(fold.times, fold.counted);
    events.push_back(std::move(fold.event));
  }
  memory_.save();
  publish();  // first: an event's resource should be known
  if (!events.empty()) plugin_.send_events(std::move(events), "");
  if (trace_ && plugin_.unacked_events() > kMostUnacked) trace_->pause(true);
}

// How many corrected errors a minute a socket takes: each one costs the machine an interrupt.
void CpuPlugin::count_storm() {
  json readings = json::array();
  const auto tell = [&](const std::string& socket, uint64_t count) {
    readings.push_back({{"resource", socket},
                        {"name", "corrected_per_minute"},
                        {"value", count},
                        {"unit", "count"},
                        {"time", clock_ns(CLOCK_REALTIME)}});
  };
  const auto counts = std::exchange(in_minute_, {});
  for (const std::string& socket : std::exchange(counted_before_, {}))
    if (!counts.contains(socket)) tell(socket, 0);
  for (const auto& [socket, count] : counts) {
    tell(socket, count);
    counted_before_.insert(socket);
  }
  if (!counted_before_.empty()) minute_.start(options_.minute, [this] { count_storm(); });
  plugin_.send_readings(std::move(readings));
}

// What stopped the machine before this boot. What pstore holds when fmd is new is history.
void CpuPlugin::tell_crashes() {
  if (std::exchange(crashes_told_, true)) return;
  std::vector<sdk::OutEvent> events;
  for (const MceRecord& record : kept_crashes(host_)) {
    if (!memory_.crashes.insert(crash_id(record)).second || memory_.first) continue;
    for (sdk::OutEvent& event : findings(record, machine_)) {
      event.time_ns = record.time_s > 0 ? static_cast<int64_t>(record.time_s) * 1'000'000'000
                                        : clock_ns(CLOCK_REALTIME);
      event.payload.erase("counted");
      if (const auto frame = frame_in(event.resource)) note_page(*frame, event.time_ns, false, "");
      event.event_class = "ereport.cpu.crash";
      event.payload["stopped"] = utc(record.time_s);
      events.push_back(std::move(event));
    }
  }
  memory_.save();
  publish();
  if (!events.empty()) plugin_.send_events(std::move(events), "");
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

// A port speaks of the link below it, a device of the one above it.
PciLink CpuPlugin::link_of(const std::string& address) const {
  PciLink out;
  if (!sdk::is_pci_address(address)) return out;
  const std::string folder = std::string(kPci) + "/" + address;
  const auto real = host_.resolve(folder);
  if (!real) return out;
  const auto below = host_.list(folder);
  const bool bridge = host_.read(folder + "/class").value_or("").starts_with("0x0604");
  for (const std::string& name : below ? *below : std::vector<std::string>())
    if (bridge && sdk::is_pci_address(name) && out.device.empty()) out.device = name;
  if (bridge)
    out.port = address;
  else
    out.port = sdk::pci_address_in(real->substr(0, real->rfind('/')));
  std::string lower = out.device.empty() ? address : out.device;
  // Where nothing answers below it, the slot is known by the bus that it would be on.
  const auto bus = host_.read(folder + "/secondary_bus_number");
  if (bridge && out.device.empty() && bus)
    if (const auto number = cpu_list(*bus); number.size() == 1)
      lower = fmt::format("{}:{:02x}:00.0", address.substr(0, address.find(':')), number.front());
  const auto slots = host_.list(kSlots);
  for (const std::string& slot : slots ? *slots : std::vector<std::string>())
    if (const auto at = host_.read(std::string(kSlots) + "/" + slot + "/address");
        at && *at == lower.substr(0, lower.rfind('.')))
      out.slot = slot;
  return out;
}

}  // namespace fmd::cpu
