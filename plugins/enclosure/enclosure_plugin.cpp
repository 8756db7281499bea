#include "plugins/enclosure/enclosure_plugin.h"

#include <syslog.h>

#include <algorithm>
#include <utility>

#include "fmd/core/fmri.h"

namespace fmd::enclosure {
namespace {

using nlohmann::json;

constexpr std::chrono::milliseconds kCoalesce{200};  // a disk is some twenty messages
constexpr std::chrono::milliseconds kAfterWrite{1000};
constexpr int kRest = 5;  // times as long as a round took

std::string chassis_fmri(const std::string& id) {
  return make_fmri("hc", {{"chassis", id}});
}
std::string bay_fmri(const std::string& id, const std::string& slot) {
  return make_fmri("hc", {{"chassis", id}, {"bay", slot}});
}

std::string trimmed(std::string text) {
  while (!text.empty() && text.back() == ' ') text.pop_back();
  return text;
}

json edge_to(const std::string& fmri) {
  return {{"relation", "contains"}, {"to", fmri}};
}

void add_edge(json& resource, const std::string& to) {
  json edge = edge_to(to);
  for (const auto& there : resource["edges"])
    if (there == edge) return;
  resource["edges"].push_back(std::move(edge));
}

json new_resource(const std::string& fmri, const char* type) {
  return {{"fmri", fmri},
          {"type", type},
          {"properties", json::object()},
          {"edges", json::array()},
          {"present", true}};
}

}  // namespace

EnclosurePlugin::EnclosurePlugin(sd_event* loop, sdk::Host& host, const std::string& socket,
                                 Options options)
    : loop_(loop),
      host_(host),
      options_(std::move(options)),
      plugin_(loop, {"enclosure", {}, {"set_led", "refresh"}, {"hc://"}}, socket),
      inventory_(plugin_),
      periodic_(loop),
      soon_(loop),
      after_write_(loop) {
  plugin_.on_connected([this](const std::string&) {
    complete_due_ = true;
    rescan();
  });
  plugin_.on_command([this](const sdk::CommandRequest& request, const sdk::Plugin::Reply& reply) {
    if (request.name == "set_led") return set_led(request, reply);
    waiting_next_.push_back(reply);
    rescan();
  });
  if (host.real()) {
    auto udev =
        sdk::UdevMonitor::open(loop, {"enclosure", "scsi", "block"},
                               [this](const sdk::UdevMonitor::Event& event) { on_udev(event); });
    if (udev)
      udev_ = std::move(*udev);
    else
      sdk::log(LOG_WARNING, udev.error().text() + "; looking from time to time only");
  }
  rescan();
}

void EnclosurePlugin::on_udev(const sdk::UdevMonitor::Event&) {
  if (!soon_.running()) soon_.start(kCoalesce, [this] { rescan(); });
}

// One round: every enclosure once. The folder's list itself asks no device.
void EnclosurePlugin::rescan() {
  if (!scanning_.empty()) {
    again_ = true;
    return;
  }
  again_ = false;
  round_began_ = std::chrono::steady_clock::now();
  for (auto& reply : std::exchange(waiting_next_, {})) waiting_.push_back(std::move(reply));
  const auto names = host_.list(kFolder).value_or(std::vector<std::string>{});
  std::erase_if(entries_, [&](const auto& entry) {
    return std::find(names.begin(), names.end(), entry.first) == names.end();
  });
  scanning_.insert(names.begin(), names.end());
  if (names.empty()) return round_over();
  for (const auto& name : names) {
    Entry& entry = entries_[name];
    if (!entry.lane) entry.lane = std::make_shared<Lane>(loop_, host_, options_.device_deadline);
    entry.lane->run([this, name] { return to_bytes(scan_enclosure(host_, name)); },
                    [this, name](const sdk::CommandOutput& output) { scanned(name, output); },
                    false);
  }
}

void EnclosurePlugin::scanned(const std::string& name, const sdk::CommandOutput& output) {
  if (const auto entry = entries_.find(name); entry != entries_.end()) {
    entry->second.answers = output.ok();
    if (output.ok())
      if (auto seen = from_bytes(output.out)) entry->second.seen = std::move(*seen);
  }
  scanning_.erase(name);
  if (scanning_.empty()) round_over();
}

void EnclosurePlugin::round_over() {
  // A snapshot only when all has been seen: what hangs since we began is not gone.
  bool all_seen = true;
  for (const auto& [name, entry] : entries_) all_seen &= entry.seen.has_value();
  const bool complete = complete_due_ && all_seen;
  if (complete && plugin_.connected()) complete_due_ = false;
  publish(complete);
  tell_status();
  for (auto& reply : std::exchange(waiting_, {})) reply({"done", "", json::object()});
  // Each attribute is a SCSI command: a slow enclosure is not kept busy with being looked at.
  const auto took = std::chrono::duration_cast<std::chrono::milliseconds>(
      std::chrono::steady_clock::now() - round_began_);
  periodic_.start(std::max(options_.rescan, took * kRest), [this] { rescan(); });
  if (again_) soon_.start(std::chrono::milliseconds(0), [this] { rescan(); });
}

void EnclosurePlugin::tell_status() {
  std::string silent;
  for (const auto& [name, entry] : entries_)
    if (!entry.answers) silent += (silent.empty() ? "" : ", ") + name;
  if (entries_.empty())
    plugin_.send_status("not-observed", "no SES enclosure under " + std::string(kFolder));
  else if (!silent.empty())
    plugin_.send_status("degraded", "enclosure " + silent + " does not answer");
  else
    plugin_.send_status("ok", "");
}

void EnclosurePlugin::publish(bool complete) {
  inventory_.send(resources(), complete);
}

std::map<std::string, json> EnclosurePlugin::resources() {
  std::map<std::string, json> result;
  for (const auto& [name, entry] : entries_) {
    if (!entry.seen) continue;
    const Enclosure& box = *entry.seen;
    const std::string chassis = chassis_fmri(box.id);
    auto [there, is_new] = result.emplace(chassis, new_resource(chassis, "enclosure"));
    if (is_new)
      there->second["properties"] = {
          {"id", box.id}, {"label", box.label}, {"components", box.components}};
    for (const auto& bay : box.bays) {
      const std::string fmri = bay_fmri(box.id, bay.slot);
      add_edge(there->second, fmri);
      add_bay(result.emplace(fmri, new_resource(fmri, "bay")).first->second, fmri, chassis, bay,
              entry.answers);
    }
  }
  return result;
}

// Called once a way to the bay: what a second way adds is the disk it alone can see.
void EnclosurePlugin::add_bay(json& into, const std::string& fmri, const std::string& chassis,
                              const Bay& bay, bool answers) {
  for (const auto& disk : bay.disks) add_edge(into, disk);
  json& properties = into["properties"];
  const bool told = properties.contains("label") && properties["status"] != "unknown";
  if (told) {
    properties["occupied"] = properties["occupied"].get<bool>() || bay.occupied;
    return;
  }
  properties["label"] = trimmed(bay.component);
  properties["enclosure"] = chassis;
  properties["occupied"] = bay.occupied;
  properties["status"] = answers && !bay.status.empty() ? bay.status : "unknown";
  const bool is_number = bay.slot.find_first_not_of("0123456789") == std::string::npos;
  if (is_number && !bay.slot.empty() && bay.slot.size() < 10)
    properties["slot"] = std::stoi(bay.slot);
  if (!answers) return;  // what it shows now nobody knows
  if (!bay.power.empty()) properties["power"] = bay.power;
  add_led(properties, fmri, "fault", bay.fault);
  add_led(properties, fmri, "locate", bay.locate);
}

void EnclosurePlugin::add_led(json& properties, const std::string& bay, const char* indication,
                              const std::optional<int>& value) {
  const std::string name = std::string("led.") + indication;
  if (value) properties[name] = *value ? "on" : "off";
  const auto led = leds_.find({bay, indication});
  if (led == leds_.end() || !led->second.failed) return;
  if (value && (*value != 0) == *led->second.failed) {
    led->second.failed.reset();  // somebody, or time, has brought it there after all
    return;
  }
  properties[name] = "cannot-drive";
  std::string& reason = led->second.reason;
  properties["led.reason"] = properties.contains("led.reason")
                                 ? properties["led.reason"].get<std::string>() + "; " + reason
                                 : reason;
}

std::vector<LedOrder::Way> EnclosurePlugin::ways_to(const std::string& bay,
                                                    const std::string& indication) {
  std::vector<LedOrder::Way> ways;
  for (const auto& [name, entry] : entries_) {
    if (!entry.seen) continue;
    for (const auto& one : entry.seen->bays)
      if (bay_fmri(entry.seen->id, one.slot) == bay)
        ways.push_back({entry.lane, std::string(kFolder) + "/" + name + "/" + one.component + "/" +
                                        indication});
  }
  return ways;
}

void EnclosurePlugin::set_led(const sdk::CommandRequest& request, const sdk::Plugin::Reply& reply) {
  const std::string indication = request.args.value("indication", json()).is_string()
                                     ? request.args["indication"].get<std::string>()
                                     : "";
  const json on_json = request.args.value("on", json());
  if ((indication != "fault" && indication != "locate") || !on_json.is_boolean())
    return reply({"failed", "set_led takes an indication (fault or locate) and on (true or false)",
                  json::object()});
  const bool on = on_json.get<bool>();
  auto ways = ways_to(request.resource, indication);
  if (ways.empty())
    return reply({"failed", "no enclosure here has the bay " + request.resource, json::object()});
  // The newest order counts: dropping an older one drops its answer, which then is "failed".
  Led& led = leds_[{request.resource, indication}];
  const uint64_t number = ++led.number;
  led.order = LedOrder::start(
      loop_, host_, std::move(ways), on, options_.write_led,
      [this, reply, number, on, indication, bay = request.resource](const LedOrder::Outcome& o) {
        const auto keep = leds_[{bay, indication}].order;  // until this is over
        if (leds_[{bay, indication}].number != number) return;
        led_done(bay, indication, on, o);
        if (o.done)
          reply({"done", "", {{"tries", o.tries}}});
        else
          reply({"failed", leds_[{bay, indication}].reason, {{"tries", o.tries}}});
      });
}

void EnclosurePlugin::led_done(const std::string& bay, const std::string& indication, bool on,
                               const LedOrder::Outcome& outcome) {
  Led& led = leds_[{bay, indication}];
  led.order.reset();
  led.failed = outcome.done ? std::nullopt : std::optional<bool>(on);
  for (auto& [name, entry] : entries_) {
    if (!entry.seen) continue;
    for (auto& one : entry.seen->bays) {
      if (bay_fmri(entry.seen->id, one.slot) != bay) continue;
      auto& value = indication == "fault" ? one.fault : one.locate;
      if (outcome.done || value) value = on == outcome.done ? 1 : 0;
      led.reason =
          indication + " LED of " + trimmed(one.component) + " cannot be driven: " + outcome.reason;
    }
  }
  publish(false);
  // It may fall back by itself: an enclosure processor that restarts forgets.
  after_write_.start(kAfterWrite, [this] { rescan(); });
}

}  // namespace fmd::enclosure
