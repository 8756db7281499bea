#include "plugins/disk/kernel_errors.h"

#include <syslog.h>
#include <time.h>

#include <algorithm>
#include <iterator>

#include "fmd/model/fmri.h"
#include "plugins/disk/ereport.h"
#include "plugins/disk/kmsg_text.h"
#include "plugins/disk/trace_text.h"
#include "plugins/hardware/kernel_number.h"
#include "plugins/hardware/pci_address.h"
#include "plugins/sdk/messages.h"

namespace fmd::disk {
namespace {

constexpr int64_t kLogClockSlack = 1'000'000'000;  // differs slightly from CLOCK_MONOTONIC
constexpr std::string_view kInstance = "fmd-disk";
constexpr std::string_view kHba = "hba ", kFileSystem = "fs ";

int64_t clock_ns(clockid_t clock) {
  timespec now{};
  clock_gettime(clock, &now);
  return now.tv_sec * 1'000'000'000LL + now.tv_nsec;
}

// Converts a time on a kernel clock to wall clock time.
int64_t wall_of(int64_t uptime_ns, clockid_t clock) {
  const int64_t now = clock_ns(CLOCK_REALTIME);
  return uptime_ns <= 0 ? now : std::min(now, now - clock_ns(clock) + uptime_ns);
}

}  // namespace

KernelErrors::KernelErrors(sd_event* loop, sdk::Host& host, std::chrono::milliseconds episode,
                           Send send, std::function<void()> changed)
    : loop_(loop),
      host_(host),
      send_(std::move(send)),
      changed_(std::move(changed)),
      episodes_(episode),
      due_(loop) {}

void KernelErrors::start(const std::string& cursor) {
  started_ = true;
  boot_ = host_.read("/proc/sys/kernel/random/boot_id").value_or("");
  const size_t colon = cursor.rfind(':');
  const bool same_boot = colon != cursor.npos && cursor.substr(0, colon) == boot_;
  if (same_boot)
    told_ = hardware::number<uint64_t>(std::string_view(cursor).substr(colon + 1)).value_or(0);
  // A boot resets an adapter that had stopped.
  if (!same_boot && !cursor.empty()) tell_adapters(serving_);
  // Without a cursor (first start), existing log records are history; later, all unread ones are
  // reported.
  if (cursor.empty()) history_until_ns_ = clock_ns(CLOCK_MONOTONIC) - kLogClockSlack;
  if (auto log = sdk::KernelLines::open(loop_, host_, "/dev/kmsg",
                                        [this](std::string_view line) { on_log(line); }))
    log_lines_ = std::move(*log);
  else
    sdk::log(LOG_WARNING, log.error().text());
  auto trace = sdk::KernelLines::trace(loop_, host_, kInstance, trace_events(),
                                       [this](std::string_view line) { on_trace(line); });
  if (trace) trace_ = std::move(*trace);
  if (trace_)
    unknown_.compare(host_, kInstance, trace_events());
  else
    sdk::log(LOG_NOTICE, "disk errors are not traced: " + trace.error().text());
}

std::string_view KernelErrors::errors_by() const {
  return trace_ ? "trace" : log_lines_ ? "log" : "counters";
}

void KernelErrors::know(const Ways& ways, const std::map<std::string, Disk>& disks) {
  ways_ = ways;
  disks_ = disks;
  ways_to_.clear();
  std::set<std::string> serving, anew;
  for (const auto& [name, way] : ways_.ways) {
    ++ways_to_[way.disk];
    if (!way.hba.empty()) serving.insert(way.hba);
  }
  std::set_difference(serving.begin(), serving.end(), serving_.begin(), serving_.end(),
                      std::inserter(anew, anew.end()));
  serving_ = std::move(serving);
  if (started_) tell_adapters(anew);
  know_the_same();
}

void KernelErrors::tell_adapters(const std::set<std::string>& serving) {
  std::vector<sdk::OutEvent> events;
  for (const std::string& adapter : serving)
    events.push_back(
        {"sysevent.hba.serves", adapter, clock_ns(CLOCK_REALTIME), 0, nlohmann::json::object()});
  if (!events.empty()) send_(std::move(events), "");
}

void KernelErrors::know_the_same() {
  if (trace_) sdk::switch_on_events(host_, kInstance, trace_events());
  // Stores a cursor after the first start, so that after a restart everything newer is reported.
  if (history_until_ns_ > 0 && !placed_ && read_ > 0) {
    placed_ = true;
    send_({}, cursor());
  }
}

void KernelErrors::pause(bool on) {
  if (trace_) trace_->pause(on);
  if (log_lines_) log_lines_->pause(on);
}

void KernelErrors::on_trace(std::string_view line) {
  if (const auto lost = parse_lost(line))
    return sdk::log(LOG_WARNING, "the kernel's trace has lost " + std::to_string(*lost) +
                                     " events: too many at once");
  const TraceLine read = read_trace(line);
  if (!read.unread.empty() && unknown_.add(read.unread, line)) changed_();
  if (read.said) take(*read.said, wall_of(read.said->uptime_ns, CLOCK_BOOTTIME), 0);
}

void KernelErrors::on_log(std::string_view line) {
  const auto record = parse_kmsg(line);
  if (!record) return;  // " SUBSYSTEM=scsi", a continuation line
  const bool known =
      (record->sequence <= told_ && told_ != 0) || record->uptime_ns < history_until_ns_;
  read_ = record->sequence;
  if (known) return;
  if (const auto said = log_.said_in(*record))
    take(*said, wall_of(said->uptime_ns, CLOCK_MONOTONIC), record->sequence);
}

// A reset of a port with several disks (multiplier) blames none: the kernel does not name the link.
const Way* KernelErrors::way_on_port(const DeviceName& device) const {
  const Way* found = nullptr;
  for (const auto& [name, way] : ways_.ways) {
    if (way.ata_port != device.ata_port) continue;
    if (device.ata_unit == way.ata_unit) return &way;
    if (device.ata_unit >= 0) continue;
    if (found) return nullptr;
    found = &way;
  }
  return found;
}

const Way* KernelErrors::way_of(const DeviceName& device) const {
  if (device.ata_port > 0) return way_on_port(device);
  for (const auto& [name, way] : ways_.ways) {
    if ((!device.dev.empty() && way.dev == device.dev) ||
        (!device.hctl.empty() && way.hctl == device.hctl) ||
        (!device.name.empty() && way.name == device.name) ||
        (!device.nvme.empty() && way.nvme == device.nvme))
      return &way;
  }
  return nullptr;
}

std::string KernelErrors::adapter_named(const std::string& name) {
  if (hardware::is_pci_address(name)) return make_fmri("dev", {{"pci", name}});
  if (const auto known = adapters_.find(name); known != adapters_.end()) return known->second;
  const auto hosts = host_.list("/sys/class/scsi_host");
  if (!hosts) return {};
  // "mpt3sas_cm0", "mpt2sas0": the host's proc_name and unique_id; "ioc0" is the mpt driver's;
  // "AAC" has no number.
  const size_t digits = name.find_last_not_of("0123456789") + 1;
  const std::string number = name.substr(digits);
  std::string driver = name.substr(0, digits);
  if (driver.ends_with("_cm")) driver.resize(driver.size() - 3);
  if (driver == "ioc") driver = "mpt";
  if (driver == "AAC") driver = "aacraid";
  std::set<std::string> found;
  for (const std::string& host : *hosts) {
    const std::string folder = "/sys/class/scsi_host/" + host;
    if (!host_.read(folder + "/proc_name").value_or("").starts_with(driver)) continue;
    if (!number.empty() && host_.read(folder + "/unique_id").value_or("") != number) continue;
    const std::string bus = hardware::pci_address_in(host_.resolve(folder).value_or(""));
    if (!bus.empty()) found.insert(bus);
  }
  if (found.size() != 1) return {};
  return adapters_[name] = make_fmri("dev", {{"pci", *found.begin()}});
}

void KernelErrors::take(const Indication& said, int64_t when_ns, uint64_t log_sequence) {
  if (!said.device.adapter.empty()) {
    const std::string adapter = adapter_named(said.device.adapter);
    if (adapter.empty())
      return sdk::log(LOG_WARNING, "host adapter " + said.device.adapter +
                                       " reports a fault, but is not in sysfs: " + said.text);
    return add(std::string(kHba) + adapter, said, when_ns, log_sequence);
  }
  if (!said.device.file_system.empty())
    return add(std::string(kFileSystem) + said.device.file_system, said, when_ns, log_sequence);
  if (said.device.scsi_host >= 0) {
    // An ATA port is a SCSI host of its own and reports its own resets.
    const std::string host = std::to_string(said.device.scsi_host) + ":";
    for (const auto& [name, way] : ways_.ways)
      if (way.hctl.starts_with(host) && way.ata_port == 0 && !way.hba.empty())
        return add(std::string(kHba) + way.hba, said, when_ns, log_sequence);
    return;
  }
  // An unknown device, or one that is gone: its removal is a separate event.
  if (const Way* way = way_of(said.device)) add(way->id, said, when_ns, log_sequence);
}

void KernelErrors::add(const std::string& place, const Indication& said, int64_t when_ns,
                       uint64_t sequence) {
  episodes_.add(place, said, when_ns, clock_ns(CLOCK_MONOTONIC), sequence);
  arm();
}

void KernelErrors::arm() {
  const auto next = episodes_.next_ns();
  if (!next || due_.running()) return;
  const int64_t wait = std::max<int64_t>(0, *next - clock_ns(CLOCK_MONOTONIC));
  due_.start(std::chrono::milliseconds(wait / 1'000'000 + 1), [this] { tell(); });
}

sdk::OutEvent KernelErrors::event_of(const Way& way, std::string event_class, std::string resource,
                                     int64_t when_ns) const {
  sdk::OutEvent event{std::move(event_class), std::move(resource), when_ns, 0, {}};
  event.payload = {{"path", way.id}, {"device", way.name}};
  if (const auto disk = disks_.find(way.disk); disk != disks_.end()) {
    const auto& id = disk->second.identity;
    if (!id.serial.empty()) event.payload["serial"] = id.serial;
    if (!id.model.empty()) event.payload["model"] = id.model;
  }
  return event;
}

// If a driver reports a fault and then gives the adapter up, the event says that it is dead.
sdk::OutEvent KernelErrors::event_of_adapter(const Episode& episode) {
  sdk::OutEvent event{"ereport.hba.recovery", episode.place.substr(kHba.size()), episode.began_ns,
                      0, nlohmann::json::object()};
  for (const Cause cause : {Cause::adapter_fault, Cause::adapter_dead})
    for (const Finding& finding : episode.findings)
      if (finding.said.cause == cause) {
        event.event_class = "ereport.hba." + std::string(cause_name(cause));
        event.payload = {{"text", finding.said.text}};
      }
  return event;
}

void KernelErrors::tell() {
  std::vector<sdk::OutEvent> events;
  bool new_trouble = false;
  for (const Episode& episode : episodes_.take_over(clock_ns(CLOCK_MONOTONIC))) {
    const auto told = telling(episode);
    if (episode.place.starts_with(kHba)) {
      events.push_back(event_of_adapter(episode));
    } else if (episode.place.starts_with(kFileSystem)) {
      const std::string name = episode.place.substr(kFileSystem.size());
      for (const FileSystem& fs : ways_.file_systems)
        // bcachefs on several devices is named by its UUID.
        if ((fs.name == name || fs.uuid == name) && !told.empty())
          events.push_back({"ereport.fs.kernel_error",
                            file_system_fmri(fs),
                            episode.began_ns,
                            0,
                            {{"device", name}, {"text", told.front().said.text}}});
    } else {
      if (!told.empty()) new_trouble |= troubled_.insert(episode.place).second;
      tell_of_way(episode, events);
    }
  }
  arm();
  if (new_trouble) changed_();
  if (!events.empty()) send_(std::move(events), cursor());
}

void KernelErrors::tell_of_way(const Episode& episode, std::vector<sdk::OutEvent>& events) {
  const Way* way = nullptr;
  for (const auto& [name, one] : ways_.ways)
    if (one.id == episode.place) way = &one;
  if (!way) return;
  const auto paths = ways_to_.find(way->disk);
  const bool several = paths != ways_to_.end() && paths->second > 1;
  for (const Finding& finding : telling(episode)) {
    Ereport told = ereport_of(finding, several);
    auto event = event_of(*way, std::move(told.event_class),
                          told.of_disk ? way->disk : way_fmri(*way), episode.began_ns);
    event.payload.update(told.payload);
    events.push_back(std::move(event));
  }
}

// Everything up to this record has been reported or needs no report.
std::string KernelErrors::cursor() const {
  if (!log_lines_) return "";
  const uint64_t open = episodes_.open_from();
  return boot_ + ":" + std::to_string(open == 0 ? read_ : open - 1);
}

void KernelErrors::path_failed(const std::string& dev, const std::string& map) {
  DeviceName device;
  device.dev = dev;
  if (const Way* way = way_of(device)) {
    if (troubled_.insert(way->id).second) changed_();
    auto event =
        event_of(*way, "ereport.disk.path.failed", way_fmri(*way), clock_ns(CLOCK_REALTIME));
    event.payload["text"] = map;
    send_({std::move(event)}, cursor());
  }
}

void KernelErrors::path_reinstated(const std::string& dev, const std::string& map) {
  DeviceName device;
  device.dev = dev;
  if (const Way* way = way_of(device)) {
    auto event =
        event_of(*way, "sysevent.disk.path.reinstated", way_fmri(*way), clock_ns(CLOCK_REALTIME));
    event.payload["text"] = map;
    send_({std::move(event)}, cursor());
  }
}

}  // namespace fmd::disk
