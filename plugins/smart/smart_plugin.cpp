#include "plugins/smart/smart_plugin.h"

#include <time.h>

#include <algorithm>
#include <utility>

#include "fmd/base/counted.h"
#include "fmd/model/fmri.h"
#include "plugins/sdk/messages.h"

namespace fmd::smart {
namespace {

using nlohmann::json;
using std::chrono::milliseconds;

constexpr milliseconds kCoalesce{100};       // results of a round of queries
constexpr milliseconds kAfterUdev{1000};     // fmd-disk first reports the disk's location
constexpr milliseconds kTestCoalesce{1000};  // before self-tests are planned again
constexpr size_t kReadingsAtOnce = 2000;     // far below a line of 1 MiB

int64_t now_ns() {
  timespec now{};
  clock_gettime(CLOCK_REALTIME, &now);
  return now.tv_sec * 1'000'000'000LL + now.tv_nsec;
}

// The FMRI that fmd-disk would use.
std::string fmri_of(const Report& report) {
  if (!report.wwn.empty()) return make_fmri("dev", {{"wwn", report.wwn}});
  if (report.serial.empty()) return {};
  return make_fmri("dev", {{"serial", report.model + ":" + report.serial}});
}

void answer(std::vector<sdk::Plugin::Reply> replies, const char* status, const std::string& why) {
  for (const auto& reply : replies) reply({status, why, json::object()});
}

}  // namespace

SmartPlugin::SmartPlugin(sd_event* loop, sdk::Host& host, const std::string& socket,
                         Options options)
    : loop_(loop),
      host_(host),
      options_(std::move(options)),
      plugin_(loop,
              {"smart",
               {"ereport.disk.smart.*", "sysevent.disk.smart.*"},
               {"refresh", "selftest"},
               {"smart://"}},
              socket),
      asker_(host, static_cast<size_t>(options_.at_once), options_.deadline),
      periodic_(loop),
      soon_(loop),
      flush_(loop),
      tests_(loop) {
  plugin_.on_connected([this](const std::string& cursor) { connected(cursor); });
  plugin_.on_command([this](const sdk::CommandRequest& request, const sdk::Plugin::Reply& reply) {
    on_command(request, reply);
  });
  udev_ = sdk::UdevMonitor::of_host(
      host, loop, {"block"}, [this](const sdk::UdevMonitor::Event& event) { on_udev(event); });
}

void SmartPlugin::connected(const std::string& cursor) {
  complete_due_ = true;
  told_.clear();
  if (!started_) {
    started_ = true;
    news_.restore(cursor);
    rescan();
    return;
  }
  // Messages sent without a connection are lost, except events.
  for (const auto& [key, known] : known_)
    if (known.record.state() != DiskRecord::State::unknown) changed_.insert(key);
  flush();
}

// smartctl itself causes udev "change" events of some disks: only the named disk is identified
// again.
void SmartPlugin::on_udev(const sdk::UdevMonitor::Event& event) {
  if (event.action == "lost")
    listed_.clear();
  else
    listed_.erase(event.name);
  rescan_soon();
}

void SmartPlugin::rescan_soon() {
  // Later uevents do not postpone it: a storm of them must not prevent the scan.
  if (started_ && !soon_.running()) soon_.start(kAfterUdev, [this] { rescan(); });
}

void SmartPlugin::rescan() {
  soon_.stop();
  periodic_.start_lazily(options_.rescan, [this] { rescan(); });
  auto disks = list_disks(host_, options_, listed_);
  blind_ = disks ? "" : "no disks can be seen: " + disks.error().text();
  if (!disks) return tell_status();
  for (auto at = known_.begin(); at != known_.end();) {
    if (at->second.own || disks->contains(at->first)) {
      ++at;
      continue;
    }
    answer(std::move(at->second.waiting), "failed", "the disk has gone");
    told_.erase(at->second.target.fmri);
    at = known_.erase(at);
  }
  for (auto& [fmri, target] : *disks) {
    const auto [at, fresh] = known_.try_emplace(fmri);
    if (at->second.target != target) at->second.path = 0;
    at->second.target = std::move(target);
    if (fresh) look(fmri);
  }
  add_passthrough();
  tell_status();
  if (complete_due_ && !flush_.running()) flush_.start(kCoalesce, [this] { flush(); });
}

void SmartPlugin::add_passthrough() {
  for (const Passthrough& one : options_.passthrough) {
    const std::string key = one.device + " " + one.type;
    const auto [at, fresh] = known_.try_emplace(key);
    if (!fresh) continue;
    at->second.own = true;
    at->second.target.devices = {one.device};
    at->second.target.type = one.type;
    look(key);
  }
}

void SmartPlugin::schedule(const std::string& key, milliseconds in) {
  const auto at = known_.find(key);
  if (at == known_.end()) return;
  auto& timer = at->second.timer;
  if (!timer) timer = std::make_unique<sdk::Timer>(loop_);
  timer->start(in, [this, key] { look(key); });
}

std::vector<std::string> SmartPlugin::argv(const Known& known,
                                           std::vector<std::string> options) const {
  std::vector<std::string> words{"smartctl", "-j"};
  words.insert(words.end(), options.begin(), options.end());
  const Target& target = known.target;
  if (!target.type.empty()) words.insert(words.end(), {"-d", target.type});
  words.push_back(host_.path(target.devices[known.path % target.devices.size()]));
  return words;
}

void SmartPlugin::look(const std::string& key) {
  const auto at = known_.find(key);
  if (at == known_.end()) return;
  Known& known = at->second;
  const bool wake = options_.standby_skips > 0 && known.skips >= options_.standby_skips;
  std::vector<std::string> options{"-x"};
  if (!known.target.nvme && !wake) options.insert(options.end(), {"-n", "standby,3"});
  const bool asked = asker_.ask(
      key, argv(known, std::move(options)),
      [this, key](const sdk::CommandOutput& output) { answered(key, output); },
      [this, key] { schedule(key, options_.retry); });
  // An earlier query of this disk is still running (the disk was pulled and has come back).
  if (!asked) schedule(key, options_.retry);
}

void SmartPlugin::answered(const std::string& key, const sdk::CommandOutput& output) {
  using End = sdk::CommandOutput::End;
  const auto at = known_.find(key);
  if (at == known_.end()) return;
  Known& known = at->second;
  const size_t path = known.path % known.target.devices.size();
  if (!known.own && !still_there(host_, known.target, path)) {
    // Another disk has this name now, so the report is not about this disk. The next scan of the
    // disks finds it under its new name.
    answer(std::exchange(known.waiting, {}), "failed", "the disk has moved or gone");
    schedule(key, options_.retry);
    for (const std::string& name : known.target.names) listed_.erase(name);
    return rescan_soon();
  }
  if (output.end == End::deadline) {
    take_hang(known);
  } else {
    Report report;
    if (output.end == End::exited && !output.truncated)
      report = read_answer(known, output);
    else
      report.reason = output.explain("smartctl");
    take_report(key, known, report);
  }
  changed_.insert(key);
  if (!known.waiting.empty()) return tell_waiting(known);
  if (!flush_.running()) flush_.start(kCoalesce, [this] { flush(); });
}

Report SmartPlugin::read_answer(const Known& known, const sdk::CommandOutput& output) const {
  Report report = parse_report(output.out, output.code);
  const SectorUnit unit = news_.sector_unit(known.own ? fmri_of(report) : known.target.fmri);
  return unit == SectorUnit::unknown || unit == report.sector_unit
             ? report
             : parse_report(output.out, output.code, unit);
}

// The caller must find the result in the inventory, so send that first.
void SmartPlugin::tell_waiting(Known& known) {
  flush();
  auto waiting = std::exchange(known.waiting, {});
  using State = DiskRecord::State;
  const State state = known.record.state();
  if (state == State::hung || state == State::refused)
    answer(std::move(waiting), "failed", known.record.reason());
  else
    answer(std::move(waiting), "done",
           state == State::standby ? "it is in standby, and was left so" : "");
}

void SmartPlugin::take_hang(Known& known) {
  known.record.hung();
  ++known.path;  // the next time by another path, if there is one
  if (!known.target.fmri.empty())
    for (auto& event : news_.of_hang(
             known.target.fmri, static_cast<double>(options_.deadline.count()) / 1000, now_ns()))
      events_.push_back(std::move(event));
}

void SmartPlugin::take_report(const std::string& key, Known& known, const Report& report) {
  milliseconds next = options_.interval;
  switch (report.answer) {
    case Report::Answer::observed:
      known.skips = 0;
      known.test_asked = false;
      known.record.observed(report);
      if (known.own) take_identity(key, known, fmri_of(report));
      if (known.record.test_running()) next = std::min(next, options_.retry);
      measured_.insert(key);
      if (!tests_.running()) tests_.start(kTestCoalesce, [this] { plan_tests(); });
      break;
    case Report::Answer::standby:
      known.record.standby(++known.skips);
      break;
    case Report::Answer::refused:
      known.record.refused(report.reason);
      if (known.own && is_elsewhere(known.target.fmri, key)) known.target.fmri.clear();
      ++known.path;
      break;
  }
  if (!known.target.fmri.empty())
    for (auto& event : news_.of_report(known.target.fmri, report, now_ns()))
      events_.push_back(std::move(event));
  schedule(key, next);
}

// Behind a RAID controller only this plugin sees that a disk was replaced by another.
void SmartPlugin::take_identity(const std::string& key, Known& known, const std::string& fmri) {
  if (fmri.empty() || fmri == known.target.fmri) return;
  const std::string before = std::exchange(known.target.fmri, fmri);
  gone_.erase(fmri);
  if (!before.empty() && !is_elsewhere(before, key)) gone_.insert(before);
}

bool SmartPlugin::is_elsewhere(const std::string& fmri, const std::string& key) const {
  return std::any_of(known_.begin(), known_.end(), [&](const auto& entry) {
    return entry.first != key && entry.second.target.fmri == fmri;
  });
}

// True for a disk behind a RAID controller that the system also sees and can query: it is reported
// only there.
bool SmartPlugin::is_told_elsewhere(const Known& known) const {
  if (!known.own) return false;
  const auto seen = known_.find(known.target.fmri);
  return seen != known_.end() && seen->second.record.state() == DiskRecord::State::observed;
}

// True if every disk was queried and no hung one is still unidentified.
bool SmartPlugin::whole_is_known() const {
  if (!blind_.empty() || !host_.has_tool("smartctl")) return false;
  return std::all_of(known_.begin(), known_.end(), [](const auto& entry) {
    const auto state = entry.second.record.state();
    return state != DiskRecord::State::unknown &&
           (state != DiskRecord::State::hung || !entry.second.target.fmri.empty());
  });
}

json SmartPlugin::take_resources() {
  json resources = json::array();
  for (const std::string& key : std::exchange(changed_, {})) {
    const auto at = known_.find(key);
    if (at == known_.end() || at->second.target.fmri.empty()) continue;
    Known& known = at->second;
    if (is_told_elsewhere(known)) continue;
    json resource = known.record.resource(known.target.fmri, known.own);
    const size_t now = DiskRecord::beside_readings(resource, known.record.last());
    const auto [told, first] = told_.try_emplace(known.target.fmri, now);
    if (first || std::exchange(told->second, now) != now) resources.push_back(std::move(resource));
  }
  return resources;
}

void SmartPlugin::send_readings() {
  json readings = json::array();
  const int64_t now = now_ns();
  for (const std::string& key : std::exchange(measured_, {})) {
    const auto at = known_.find(key);
    if (at == known_.end() || at->second.target.fmri.empty()) continue;
    if (is_told_elsewhere(at->second)) continue;
    for (auto& reading : at->second.record.readings(at->second.target.fmri, now))
      readings.push_back(std::move(reading));
    if (readings.size() < kReadingsAtOnce) continue;
    plugin_.send_readings(std::exchange(readings, json::array()));
  }
  if (!readings.empty()) plugin_.send_readings(std::move(readings));
}

// Inventory first: rules read a disk's properties when its events arrive. It is sent as complete
// once possible, as disks that an earlier process saw behind a RAID controller may be gone.
void SmartPlugin::flush() {
  flush_.stop();
  const bool complete = complete_due_ && whole_is_known();
  if (complete) {
    told_.clear();
    for (const auto& [key, known] : known_) changed_.insert(key);
  }
  if (complete && plugin_.connected()) complete_due_ = false;
  json gone = json::array();
  for (const std::string& fmri : std::exchange(gone_, {})) {
    told_.erase(fmri);
    gone.push_back({{"fmri", fmri}, {"reason", "removed"}});
  }
  json resources = take_resources();
  if (complete || !resources.empty() || !gone.empty())
    plugin_.send_inventory(std::move(resources), std::move(gone), complete);
  send_readings();
  if (!events_.empty()) plugin_.send_events(std::exchange(events_, {}), news_.cursor());
  tell_status();
}

void SmartPlugin::tell_status() {
  size_t hung = 0, refused = 0;
  std::string why;
  for (const auto& [key, known] : known_) {
    if (known.record.state() == DiskRecord::State::hung) ++hung;
    if (known.record.state() != DiskRecord::State::refused) continue;
    if (++refused == 1) why = known.target.fmri + ": " + known.record.reason();
  }
  const std::string left_out =
      refused == 0 ? "" : counted(refused, "disk") + " cannot be asked; " + why;
  if (!blind_.empty())
    plugin_.send_status("degraded", blind_);
  else if (!host_.has_tool("smartctl"))
    plugin_.send_status(known_.empty() ? "not-observed" : "degraded",
                        "smartctl is not installed (Debian: apt install smartmontools)");
  else if (hung > 0)
    plugin_.send_status("degraded", "smartctl gets no answer from " + counted(hung, "disk"));
  else
    plugin_.send_status("ok", left_out);
}

}  // namespace fmd::smart
