#include "plugins/enclosure/leds.h"

#include <fmt/format.h>
#include <syslog.h>

#include <algorithm>

#include "plugins/sdk/messages.h"

namespace fmd::enclosure {
namespace {

using nlohmann::json;

const std::vector<std::string> kUsual{"ses", "npem", "pci"};
constexpr const char* kLocate = "locate";
constexpr const char* kFault = "fault";

std::string device_of(const BayNow& now) {
  for (const auto& [lane, bay] : now.sites)
    if (!bay->device.empty()) return bay->device;
  return {};
}

constexpr const char* kNoLight =
    "the slot has no attention indicator, and this kernel shows no NPEM light for it (that needs "
    "Linux 6.13 with CONFIG_PCI_NPEM, which Debian 12 and 13 have not)";

// A SES slot's fault reads back 2 if requested, and 4 if the disk itself signals one: that also
// lights the LED, but not on our request (SES-3, array device slot; the kernel's ses.c).
constexpr int kSensed = 4;

// Combined values of the attention and power indicators of a slot behind VMD: ledmon's patterns,
// which such backplanes use (the raw bits AIC and PIC of pciehp).
constexpr int kRawOff = 0xf, kRawLocate = 0x7, kRawFault = 0xd;

// In-band: the chassis is this machine.
std::vector<std::string> raw_request(const std::string& bytes) {
  std::vector<std::string> command{"ipmitool", "-I", "open", "raw"};
  for (size_t at = 0; at < bytes.size();) {
    const size_t end = std::min(bytes.find(' ', at), bytes.size());
    if (end > at) command.push_back(bytes.substr(at, end - at));
    at = end + 1;
  }
  return command;
}

int attention_value(bool locate, bool fault, bool raw) {
  if (raw) return locate ? kRawLocate : fault ? kRawFault : kRawOff;
  return locate ? 2 : fault ? 1 : 0;
}

// The state of an LED. A PCI attention indicator is one LED for two purposes: 1 is fault, 2
// (blinking) is locate, with or without fault.
std::optional<bool> shown(const Light& light, const std::string& indication, bool fault_wished) {
  if (!light.value) return {};
  if (light.method == "ses" && indication == kFault) return (*light.value & ~kSensed) != 0;
  if (light.method != "pci") return *light.value != 0;
  const bool locate = *light.value == attention_value(true, false, light.raw);
  if (indication == kLocate) return locate;
  return *light.value == attention_value(false, true, light.raw) || (locate && fault_wished);
}

}  // namespace

// The first existing method, in the description's order or the usual one. An enclosure's own LED
// counts even if its file is missing, so that the failure is reported.
Leds::Drive Leds::drive_of(const BayNow& now, const std::string& indication) const {
  Drive drive{"none", true, {}};
  const std::optional<chassis::Led>* told = !now.told              ? nullptr
                                            : indication == kFault ? &now.told->fault
                                                                   : &now.told->locate;
  const bool says = told && *told && !(*told)->methods.empty();
  Drive missing = drive;
  for (const auto& method : says ? (*told)->methods : kUsual) {
    if (method == "ledctl" && !now.sites.empty() && host_.has_tool("ledctl"))
      return {method, false, {}};
    if (method == "ipmi" && !now.sites.empty() && host_.has_tool("ipmitool") &&
        host_.exists("/dev/ipmi0"))
      return {method, false, {}, &**told};
    Drive one{method, true, {}};
    bool there = false;
    for (const auto& [lane, bay] : now.sites)
      for (auto& light : bay->lights)
        if (light.method == method && light.indication == indication) {
          one.lights.emplace_back(lane, &light);
          there |= light.there;
        }
    if (there) drive = std::move(one);
    if (there) break;
    if (missing.lights.empty() && !one.lights.empty()) missing = std::move(one);
  }
  if (drive.lights.empty()) drive = std::move(missing);
  if (says && (*told)->reads_back) drive.reads_back = *(*told)->reads_back;
  return drive;
}

bool Leds::wished(const std::string& bay, const char* indication) const {
  const auto led = leds_.find({bay, indication});
  return led != leds_.end() && led->second.wish.value_or(false);
}

std::string Leds::attention(const std::string& bay, bool raw) const {
  return std::to_string(attention_value(wished(bay, kLocate), wished(bay, kFault), raw));
}

// -x: only this disk; without it ledctl turns off all others.
std::vector<std::string> Leds::ledctl(const std::string& bay, const std::string& device) const {
  const char* pattern = wished(bay, kLocate)  ? "locate"
                        : wished(bay, kFault) ? "failure"
                                              : "normal";
  return {"ledctl", "--log=/dev/null", "-x",
          std::string(pattern) + "=" + host_.path("/dev/" + device)};
}

// After a start, the other indication of a shared LED is taken from what it shows.
void Leds::learn(const Drive& drive, const std::string& bay) {
  if (drive.method != "pci") return;
  for (const char* indication : {kFault, kLocate})
    if (auto& led = leds_[{bay, indication}]; !led.wish)
      led.wish = shown(*drive.lights.front().second, indication, false);
}

std::vector<LedOrder::Way> Leds::ways(const BayNow& now, const Drive& drive, const std::string& bay,
                                      bool on) {
  std::vector<LedOrder::Way> result;
  if (drive.method == "ledctl") {
    const std::string device = device_of(now);
    if (device.empty()) return result;
    LedOrder::Way way{now.sites.front().first, "", {}, false, {}, 0};
    way.command = [this, bay, device] { return ledctl(bay, device); };
    result.push_back(std::move(way));
    return result;
  }
  if (drive.method == "ipmi") {
    const std::string& request = on ? drive.told->ipmi_on : drive.told->ipmi_off;
    LedOrder::Way way{now.sites.front().first, "", {}, false, {}, 0};
    way.command = [command = raw_request(request)] { return command; };
    result.push_back(std::move(way));
    return result;
  }
  for (const auto& [lane, light] : drive.lights) {
    LedOrder::Way way{lane, light->file, {}, drive.reads_back, {}, 0};
    if (drive.method == "pci")
      way.value = [this, bay, raw = light->raw] { return attention(bay, raw); };
    if (drive.method == "ses" && light->indication == kFault) way.not_ours = kSensed;
    result.push_back(std::move(way));
  }
  return result;
}

void Leds::set(const sdk::CommandRequest& request, const sdk::Plugin::Reply& reply) {
  const json said = request.args.value("indication", json());
  const std::string indication = said.is_string() ? said.get<std::string>() : "";
  const json on_json = request.args.value("on", json());
  if ((indication != kFault && indication != kLocate) || !on_json.is_boolean())
    return reply({"failed", "set_led takes an indication (fault or locate) and on (true or false)",
                  json::object()});
  const bool on = on_json.get<bool>();
  const std::string& bay = request.resource;
  const BayIndex all = look_();
  const auto now = all.find(bay);
  if (now == all.end())
    return reply({"failed", "no enclosure here has the bay " + bay, json::object()});
  const Drive drive = drive_of(now->second, indication);
  if (drive.method == "none")
    return reply({"refused", bay + " has no " + indication + " LED that can be driven from here",
                  json::object()});
  auto ways_there = ways(now->second, drive, bay, on);
  if (ways_there.empty())
    return reply({"failed", "the bay is empty, and ledctl(8) knows its light only by its disk",
                  json::object()});
  learn(drive, bay);
  // The newest order wins. Dropping an older one drops its reply, so it counts as failed.
  Led& led = leds_[{bay, indication}];
  const auto before = std::exchange(led.wish, on);
  led.order = LedOrder::start(
      loop_, host_, std::move(ways_there), on, write_,
      [this, reply, on, before, indication, bay](const LedOrder::Outcome& o) {
        const auto keep = leds_[{bay, indication}].order;  // until this ends
        done(bay, indication, on, before, o);
        if (o.done)
          reply({"done", "", {{"tries", o.tries}}});
        else
          reply({"failed",
                 fmt::format("{} LED of {} cannot be driven: {}", indication, bay, o.reason),
                 {{"tries", o.tries}}});
      });
}

void Leds::done(const std::string& bay, const std::string& indication, bool on,
                std::optional<bool> before, const LedOrder::Outcome& outcome) {
  Led& led = leds_[{bay, indication}];
  led.order.reset();
  led.failed = outcome.done ? std::nullopt : std::optional<bool>(on);
  if (outcome.done)
    led.believed = on;
  else
    led.wish = before;  // must not block the other indication of a shared LED
  std::string name = bay;
  const BayIndex all = look_();
  if (const auto now = all.find(bay); now != all.end()) {
    const Drive drive = drive_of(now->second, indication);
    if (const Bay& site = *now->second.sites.front().second; !trim(site.component).empty())
      name = trim(site.component);
    for (const auto& [lane, light] : drive.lights)
      if (drive.method == "pci" && outcome.done)
        light->value = std::stoi(attention(bay, light->raw));
      else if (drive.method != "pci" && (outcome.done || light->value))
        light->value = on == outcome.done ? 1 : 0;
    if (drive.method == "pci" && outcome.done)  // both indications read the same file
      for (const auto& [lane, site] : now->second.sites)
        for (auto& light : site->lights)
          if (light.method == "pci") light.value = std::stoi(attention(bay, light.raw));
  }
  led.reason = indication + " LED of " + name + " cannot be driven: " + outcome.reason;
  changed_();
}

void Leds::add_properties(json& properties, const std::string& bay, const BayNow& now) {
  std::string method;
  bool reads_back = true;
  for (const char* indication : {kLocate, kFault}) {
    const Drive drive = drive_of(now, indication);
    add_led(properties, bay, indication, drive);
    method = drive.method;
    reads_back = drive.reads_back;
  }
  properties["led.method"] = method;  // of the fault LED
  if (method != "none") properties["led.reads_back"] = reads_back;
  if (method == "none" && now.sites.front().second->component.starts_with("pci_slot"))
    properties["led.reason"] = kNoLight;
}

void Leds::add_led(json& properties, const std::string& bay, const std::string& indication,
                   const Drive& drive) {
  const std::string name = "led." + indication;
  const auto led = leds_.find({bay, indication});
  for (const auto& [lane, light] : drive.lights)
    if (light->method == "ses" && indication == kFault && (light->value.value_or(0) & kSensed) != 0)
      properties["fault_sensed"] = true;
  std::optional<bool> value;
  if (drive.reads_back) {
    for (const auto& [lane, light] : drive.lights)
      if (!value) value = shown(*light, indication, wished(bay, kFault));
  } else if (led != leds_.end()) {
    value = led->second.believed;
  }
  if (value) properties[name] = *value ? "on" : "off";
  if (led == leds_.end() || !led->second.failed) return;
  if (value && *value == *led->second.failed) {
    led->second.failed.reset();  // somebody has set it, or it was slow
    return;
  }
  properties[name] = "cannot-drive";
  const std::string& reason = led->second.reason;
  properties["led.reason"] = properties.contains("led.reason")
                                 ? reason + "; " + properties["led.reason"].get<std::string>()
                                 : reason;
}

// The BMC's LEDs cannot be read: at start they are turned off, unless they were ordered on.
void Leds::make_known(const BayIndex& all) {
  for (const auto& [bay, now] : all)
    for (const char* indication : {kFault, kLocate}) {
      const Drive drive = drive_of(now, indication);
      if (drive.method != "ipmi") continue;
      Led& led = leds_[{bay, indication}];
      if (led.wish || led.order) continue;
      led.wish = false;
      led.order = LedOrder::start(loop_, host_, ways(now, drive, bay, false), false, write_,
                                  [this, bay, indication](const LedOrder::Outcome& outcome) {
                                    const auto keep = leds_[{bay, indication}].order;
                                    done(bay, indication, false, false, outcome);
                                  });
    }
}

void Leds::disks_seen(const BayIndex& all) {
  make_known(all);
  for (const auto& [bay, now] : all) {
    if (drive_of(now, kFault).method != "ledctl") continue;
    const std::string device = device_of(now);
    if (device.empty() || now.sites.front().second->disks.empty()) continue;
    std::string& disk = disks_[bay];
    if (disk == now.sites.front().second->disks.front()) continue;
    disk = now.sites.front().second->disks.front();
    auto ways_there = ways(now, drive_of(now, kFault), bay, true);
    renewals_[bay] =
        LedOrder::start(loop_, host_, std::move(ways_there), true, write_,
                        [this, bay](const LedOrder::Outcome& outcome) {
                          const auto keep = renewals_[bay];
                          for (const char* indication : {kFault, kLocate})
                            if (outcome.done)
                              leds_[{bay, indication}].believed = wished(bay, indication);
                          if (!outcome.done) sdk::log(LOG_INFO, bay + ": " + outcome.reason);
                          changed_();
                        });
  }
}

}  // namespace fmd::enclosure
