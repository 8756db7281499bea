#include "plugins/system/system_plugin.h"

#include <syslog.h>
#include <time.h>

#include <algorithm>
#include <utility>

#include "plugins/hardware/description_files.h"
#include "plugins/hardware/system_id.h"
#include "plugins/sdk/messages.h"
#include "plugins/system/scan.h"

namespace fmd::machine {
namespace {

using nlohmann::json;

// A new disk causes some twenty events. The delay also lets fmd-disk and fmd-enclosure report it
// first, as scanning the whole machine takes longer.
constexpr std::chrono::milliseconds kCoalesce{1000};
constexpr size_t kReadingsAtOnce = 1000;
constexpr const char* kSilent = "the kernel does not answer for the machine's devices";

int64_t now_ns() {
  timespec now{};
  clock_gettime(CLOCK_REALTIME, &now);
  return now.tv_sec * 1'000'000'000LL + now.tv_nsec;
}

json number_json(double value) {
  const auto whole = static_cast<int64_t>(value);
  return static_cast<double>(whole) == value ? json(whole) : json(value);
}

}  // namespace

SystemPlugin::SystemPlugin(sd_event* loop, sdk::Host& host, const std::string& socket,
                           Options options)
    : host_(host),
      options_(std::move(options)),
      plugin_(loop, {"system", {}, {"refresh"}, {"cpu://", "mem://", "hc://system="}}, socket),
      inventory_(plugin_),
      scan_(std::make_shared<sdk::Flight>(host, options_.device_deadline)),
      together_(std::make_shared<sdk::Flight>(host, options_.device_deadline)),
      watcher_(sdk::Watcher::Clock::of(loop), {options_.rescan, kCoalesce},
               {[this](bool) { look(); },
                [this] { return std::string(scan_->stuck() ? kSilent : ""); }}),
      gauges_due_(loop),
      sensors_(options_.state_file) {
  plugin_.on_connected([this](const std::string&) {
    watcher_.connected();
    if (looked_) publish(true);
  });
  plugin_.on_command([this](const sdk::CommandRequest&, const sdk::Plugin::Reply& reply) {
    watcher_.refresh([reply](const std::string& trouble) {
      reply({trouble.empty() ? "done" : "failed", trouble, json::object()});
    });
  });
  udev_ = sdk::UdevMonitor::of_host(
      host, loop,
      {"pci", "net", "scsi", "scsi_host", "sas_host", "sas_phy", "sas_device", "sas_expander",
       "sas_end_device", "hwmon", "block", "nvme", "edac", "cpu", "memory"},
      [this](const sdk::UdevMonitor::Event& event) { on_udev(event); });
  watcher_.look();
}

void SystemPlugin::on_udev(const sdk::UdevMonitor::Event&) {
  watcher_.hint();
}

void SystemPlugin::look() {
  read_descriptions();
  scan_->start([this] { return to_bytes(scan_machine(host_, options_.names, descriptions_)); },
               [this](const sdk::CommandOutput& output, bool same) { scanned(output, same); });
}

bool SystemPlugin::descriptions_changed() const {
  return hardware::state_of_descriptions(options_.descriptions) != descriptions_state_;
}

// fmd-enclosure reports errors in a file; the other files are used.
void SystemPlugin::read_descriptions() {
  if (!descriptions_changed()) return;
  descriptions_state_ = hardware::state_of_descriptions(options_.descriptions);
  const auto read = chassis::Library::load(hardware::read_descriptions(options_.descriptions));
  descriptions_ = read.first.host(hardware::machine_facts(host_));
}

void SystemPlugin::scanned(const sdk::CommandOutput& output, bool same) {
  const auto taken = take_in(output, same);
  if (!taken) sdk::log(LOG_WARNING, taken.error().text());
  tell_status();
  watcher_.over(taken ? "" : scan_->stuck() ? kSilent : taken.error().text());
}

// Usually nothing has changed.
Result<void> SystemPlugin::take_in(const sdk::CommandOutput& output, bool same) {
  if (!output.ok()) return fail(output.explain("looking at the machine"));
  if (same && looked_ && !watcher_.complete_due()) return {};
  auto facts = from_bytes(output.out);
  if (!facts) return tl::unexpected(facts.error());
  problem_ = std::move(facts->problem);
  looked_ = true;
  publish(watcher_.complete_due(), std::move(facts->resources));
  keep_devices(std::move(facts->gauges));
  return {};
}

// Reads the gauges of new devices at once and forgets those of devices that are gone.
void SystemPlugin::keep_devices(std::map<std::string, std::vector<Gauge>> gauges) {
  apart_ = false;
  std::erase_if(devices_, [&](const auto& entry) { return !gauges.contains(entry.first); });
  sensors_.forget_unknown([this](const std::string& fmri) { return inventory_.has(fmri); });
  std::erase_if(readings_, [this](const auto& entry) { return !inventory_.has(entry.first); });
  for (auto& [name, of_device] : gauges) {
    Device& device = devices_[name];
    device.gauges = std::make_shared<const std::vector<Gauge>>(std::move(of_device));
    if (device.flight) continue;
    device.flight = std::make_shared<sdk::Flight>(host_, options_.device_deadline);
    start_measuring(name);
  }
  if (!gauges_due_.running()) gauges_due_.start(options_.readings, [this] { measure(); });
}

// One child reads all devices while each responds, because a child costs as much as some hundred
// gauges. After a hang, each device has its own child until a scan finds a change.
void SystemPlugin::measure() {
  gauges_due_.start_lazily(options_.readings, [this] { measure(); });
  std::vector<std::pair<std::string, Gauges>> all;
  for (const auto& [name, device] : devices_) all.emplace_back(name, device.gauges);
  const auto told = [this, all](const sdk::CommandOutput& output, bool) {
    std::vector<size_t> counts;
    for (const auto& [name, gauges] : all) counts.push_back(gauges->size());
    const auto values = values_in(output, counts);
    apart_ = output.end == sdk::CommandOutput::End::deadline;
    for (size_t i = 0; i < all.size(); ++i)
      if (!values) {
        start_measuring(all[i].first);
      } else {
        if (const auto here = devices_.find(all[i].first); here != devices_.end())
          here->second.answers = true;  // its own child may still hang
        measured(all[i].first, *all[i].second, (*values)[i]);
      }
    tell_status();
  };
  const auto read = [this, all] {
    std::vector<const std::vector<Gauge>*> gauges;
    for (const auto& [name, of_device] : all) gauges.push_back(of_device.get());
    return options_.read(host_, gauges);
  };
  if (apart_ || !together_->start(read, told))
    for (const auto& [name, gauges] : all) start_measuring(name);
  if (descriptions_changed()) watcher_.look();
}

void SystemPlugin::start_measuring(const std::string& device) {
  const auto at = devices_.find(device);
  if (at == devices_.end()) return;
  at->second.flight->start(
      [this, gauges = at->second.gauges] { return options_.read(host_, {gauges.get()}); },
      [this, device, gauges = at->second.gauges](const sdk::CommandOutput& output, bool) {
        if (const auto here = devices_.find(device); here != devices_.end())
          here->second.answers = output.end != sdk::CommandOutput::End::deadline;
        const auto values = values_in(output, {gauges->size()});
        measured(device, *gauges, values ? values->front() : Values(gauges->size()));
        tell_status();
      });
}

void SystemPlugin::measured(const std::string& device, const std::vector<Gauge>& gauges,
                            const Values& values) {
  if (!devices_.contains(device)) return;
  json news = json::array();
  const int64_t now = now_ns();
  for (size_t i = 0; i < gauges.size(); ++i) {
    const Gauge& g = gauges[i];
    if (!values[i] || g.unit.empty() || !inventory_.has(g.resource)) continue;
    Reading& last = readings_[g.resource][g.name];
    // An unchanged counter is not sent again; an unchanged temperature is.
    const bool still = g.unit == "count" && last.unit == g.unit && last.value == *values[i];
    last = {*values[i], g.unit, now};
    if (!still) news.push_back(reading_json(g.resource, g.name, last));
  }
  if (sensors_.take(gauges, values,
                    [this](const std::string& fmri) { return inventory_.has(fmri); }))
    publish(false);
  send_readings(std::move(news));
}

json SystemPlugin::reading_json(const std::string& fmri, const std::string& name,
                                const Reading& reading) {
  return {{"resource", fmri},
          {"name", name},
          {"value", number_json(reading.value)},
          {"unit", reading.unit},
          {"time", reading.time_ns}};
}

void SystemPlugin::publish(bool complete) {
  if (auto facts = from_bytes(scan_->last())) publish(complete, std::move(facts->resources));
}

void SystemPlugin::publish(bool complete, std::map<std::string, json> resources) {
  for (auto& [fmri, resource] : resources)
    if (resource["type"] == "sensor") sensors_.add_to(resource);
  json again = json::array();  // readings that the inventory message makes fmd drop
  for (const auto& [fmri, of_resource] : readings_) {
    const auto now = resources.find(fmri);
    if (now == resources.end()) continue;
    if (!complete && !inventory_.differs(fmri, now->second)) continue;
    for (const auto& [name, reading] : of_resource)
      again.push_back(reading_json(fmri, name, reading));
  }
  if (complete && plugin_.connected()) watcher_.complete_sent();
  inventory_.send(resources, complete);
  send_readings(std::move(again));
}

void SystemPlugin::send_readings(json readings) {
  for (size_t at = 0; at < readings.size(); at += kReadingsAtOnce) {
    const size_t end = std::min(at + kReadingsAtOnce, readings.size());
    plugin_.send_readings(json(readings.begin() + static_cast<std::ptrdiff_t>(at),
                               readings.begin() + static_cast<std::ptrdiff_t>(end)));
  }
}

void SystemPlugin::tell_status() {
  std::string silent;
  for (const auto& [name, device] : devices_)
    if (!device.answers) silent += (silent.empty() ? "" : ", ") + name;
  if (scan_->stuck())
    plugin_.send_status("degraded", kSilent);
  else if (!silent.empty())
    plugin_.send_status("degraded", "no readings: " + silent + " does not answer");
  else if (looked_ && !problem_.empty())
    plugin_.send_status("degraded", problem_);
  else if (looked_)
    plugin_.send_status("ok", "");
}

}  // namespace fmd::machine
