#include "plugins/system/system_plugin.h"

#include <syslog.h>
#include <time.h>

#include <algorithm>
#include <utility>

#include "plugins/sdk/description_files.h"
#include "plugins/sdk/system_id.h"
#include "plugins/system/scan.h"
#include "plugins/system/sysfs.h"

namespace fmd::machine {
namespace {

using nlohmann::json;

// A disk is some twenty messages. And who says that it came, and into which bay, goes first: the
// whole machine takes longer to look at.
constexpr std::chrono::milliseconds kCoalesce{1000};
constexpr size_t kReadingsAtOnce = 1000;
constexpr const char* kSilent = "the kernel does not answer for the machine's devices";

int64_t now_ns() {
  timespec now{};
  clock_gettime(CLOCK_REALTIME, &now);
  return now.tv_sec * 1'000'000'000LL + now.tv_nsec;
}

// Reads gauges one after the other: those of one part are in one folder.
class GaugeReader {
 public:
  explicit GaugeReader(const sdk::Host& host) : host_(host) {}

  // null: it cannot be read.
  json value_of(const Gauge& gauge) {
    const auto first = number_in(gauge.file);
    if (!first) return nullptr;
    auto sum = static_cast<double>(*first);
    for (const std::string& file : gauge.also) {
      const auto more = number_in(file);
      if (!more) return nullptr;
      sum += static_cast<double>(*more);
    }
    return sum / gauge.divisor;
  }

 private:
  std::optional<int64_t> number_in(const std::string& file) {
    const std::string_view above = parent_path(file);
    if (!folder_ || folder_->path() != above) folder_.emplace(host_, above);
    return number_of(folder_->read(std::string(last_name(file))).value_or(""));
  }

  const sdk::Host& host_;
  std::optional<sdk::Host::Folder> folder_;
};

// In the child.
std::string read_gauges(const sdk::Host& host, const std::vector<Gauge>& gauges) {
  json values = json::array();
  GaugeReader reader(host);
  for (const Gauge& g : gauges) values.push_back(reader.value_of(g));
  const auto bytes = json::to_cbor(values);
  return std::string(bytes.begin(), bytes.end());
}

std::vector<std::optional<double>> values_of(const sdk::CommandOutput& output, size_t count) {
  std::vector<std::optional<double>> values(count);
  if (!output.ok()) return values;
  const json doc = json::from_cbor(output.out, true, false);
  for (size_t i = 0; i < count && doc.is_array() && i < doc.size(); ++i)
    if (doc[i].is_number()) values[i] = doc[i].get<double>();
  return values;
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
      periodic_(loop),
      soon_(loop),
      gauges_due_(loop) {
  plugin_.on_connected([this](const std::string&) {
    complete_due_ = true;
    if (looked_) publish(true);
    rescan();
  });
  plugin_.on_command([this](const sdk::CommandRequest&, const sdk::Plugin::Reply& reply) {
    waiting_next_.push_back(reply);
    rescan();
  });
  udev_ = sdk::UdevMonitor::of_host(
      host, loop,
      {"pci", "net", "scsi", "scsi_host", "sas_host", "sas_phy", "sas_device", "sas_expander",
       "sas_end_device", "hwmon", "block", "nvme", "edac", "cpu", "memory"},
      [this](const sdk::UdevMonitor::Event& event) { on_udev(event); });
  rescan();
}

void SystemPlugin::on_udev(const sdk::UdevMonitor::Event&) {
  if (!soon_.running()) soon_.start(kCoalesce, [this] { rescan(); });
}

void SystemPlugin::rescan() {
  if (scan_->busy()) {
    again_ = true;
    if (scan_->stuck())  // it would wait for ever
      for (auto& reply : std::exchange(waiting_next_, {}))
        reply({"failed", kSilent, json::object()});
    periodic_.start_lazily(options_.rescan, [this] { rescan(); });
    return;
  }
  again_ = false;
  soon_.stop();
  for (auto& reply : std::exchange(waiting_next_, {})) waiting_.push_back(std::move(reply));
  read_descriptions();
  scan_->start([this] { return to_bytes(scan_machine(host_, options_.names, descriptions_)); },
               [this](const sdk::CommandOutput& output, bool same) { scanned(output, same); });
}

bool SystemPlugin::descriptions_changed() const {
  return sdk::state_of_descriptions(options_.descriptions) != descriptions_state_;
}

// What is wrong with a file fmd-enclosure says; the others hold.
void SystemPlugin::read_descriptions() {
  if (!descriptions_changed()) return;
  descriptions_state_ = sdk::state_of_descriptions(options_.descriptions);
  const auto read = chassis::Library::load(sdk::read_descriptions(options_.descriptions));
  descriptions_ = read.first.host(sdk::machine_facts(host_));
}

void SystemPlugin::scanned(const sdk::CommandOutput& output, bool same) {
  const auto taken = take_in(output, same);
  sdk::CommandReply answer{"done", "", json::object()};
  if (!taken) {
    answer = {"failed", scan_->stuck() ? kSilent : taken.error().text(), json::object()};
    sdk::log(LOG_WARNING, taken.error().text());
  }
  tell_status();
  for (auto& reply : std::exchange(waiting_, {})) reply(answer);
  periodic_.start_lazily(options_.rescan, [this] { rescan(); });
  if (again_) soon_.start(kCoalesce, [this] { rescan(); });
}

// Mostly nothing has changed.
Result<void> SystemPlugin::take_in(const sdk::CommandOutput& output, bool same) {
  if (!output.ok()) return fail(output.explain("looking at the machine"));
  if (same && looked_ && !complete_due_) return {};
  auto facts = from_bytes(output.out);
  if (!facts) return tl::unexpected(facts.error());
  problem_ = std::move(facts->problem);
  looked_ = true;
  publish(complete_due_, std::move(facts->resources));
  keep_devices(std::move(facts->gauges));
  return {};
}

// Gauges of what has come are read at once, those of what is gone are forgotten.
void SystemPlugin::keep_devices(std::map<std::string, std::vector<Gauge>> gauges) {
  std::erase_if(devices_, [&](const auto& entry) { return !gauges.contains(entry.first); });
  const auto unknown = [&](const auto& entry) { return !inventory_.has(entry.first); };
  std::erase_if(statuses_, unknown);
  std::erase_if(readings_, unknown);
  for (auto& [name, of_device] : gauges) {
    Device& device = devices_[name];
    device.gauges = std::make_shared<const std::vector<Gauge>>(std::move(of_device));
    if (device.flight) continue;
    device.flight = std::make_shared<sdk::Flight>(host_, options_.device_deadline);
    start_measuring(name);
  }
  if (!gauges_due_.running()) gauges_due_.start(options_.readings, [this] { measure(); });
}

void SystemPlugin::measure() {
  gauges_due_.start_lazily(options_.readings, [this] { measure(); });
  for (const auto& [name, device] : devices_) start_measuring(name);
  if (descriptions_changed()) rescan();
}

void SystemPlugin::start_measuring(const std::string& device) {
  const Device& of = devices_[device];
  of.flight->start([this, gauges = of.gauges] { return read_gauges(host_, *gauges); },
                   [this, device, gauges = of.gauges](const sdk::CommandOutput& output, bool) {
                     measured(device, *gauges, output);
                   });
}

void SystemPlugin::measured(const std::string& device, const std::vector<Gauge>& gauges,
                            const sdk::CommandOutput& output) {
  const auto at = devices_.find(device);
  if (at == devices_.end()) return;
  at->second.answers = output.end != sdk::CommandOutput::End::deadline;
  const auto values = values_of(output, gauges.size());
  json news = json::array();
  const int64_t now = now_ns();
  for (size_t i = 0; i < gauges.size(); ++i) {
    const Gauge& g = gauges[i];
    if (!values[i] || g.unit.empty() || !inventory_.has(g.resource)) continue;
    Reading& last = readings_[g.resource][g.name];
    // A counter that stands still is no news; a temperature that does is.
    const bool still = g.unit == "count" && last.unit == g.unit && last.value == *values[i];
    last = {*values[i], g.unit, now};
    if (!still) news.push_back(reading_json(g.resource, g.name, last));
  }
  if (judge_sensors(gauges, values)) publish(false);
  send_readings(std::move(news));
  tell_status();
}

// True when the status of one has changed.
bool SystemPlugin::judge_sensors(const std::vector<Gauge>& gauges,
                                 const std::vector<std::optional<double>>& values) {
  std::map<std::string, std::string> now;
  const auto worse = [](const std::string& status) {
    static const std::vector<std::string> order = {"", "ok", "unknown", "alarm", "failed"};
    return std::find(order.begin(), order.end(), status) - order.begin();
  };
  for (size_t i = 0; i < gauges.size(); ++i) {
    const Gauge& g = gauges[i];
    std::string status;
    if (g.name == "value") status = values[i] ? "ok" : "unknown";
    if (g.name == "alarm" && values[i].value_or(0) != 0) status = "alarm";
    if (g.name == "fault" && values[i].value_or(0) != 0) status = "failed";
    if (status.empty() || !inventory_.has(g.resource)) continue;
    std::string& known = now[g.resource];
    if (worse(status) > worse(known)) known = status;
  }
  bool changed = false;
  for (const auto& [fmri, status] : now)
    if (std::string& before = statuses_[fmri]; before != status) {
      before = status;
      changed = true;
    }
  return changed;
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
  for (auto& [fmri, resource] : resources) {
    if (resource["type"] != "sensor") continue;
    const auto status = statuses_.find(fmri);
    resource["properties"]["status"] = status == statuses_.end() ? "unknown" : status->second;
  }
  json again = json::array();  // readings that the message drops
  for (const auto& [fmri, of_resource] : readings_) {
    const auto now = resources.find(fmri);
    if (now == resources.end()) continue;
    if (!complete && !inventory_.differs(fmri, now->second)) continue;
    for (const auto& [name, reading] : of_resource)
      again.push_back(reading_json(fmri, name, reading));
  }
  if (complete && plugin_.connected()) complete_due_ = false;
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
