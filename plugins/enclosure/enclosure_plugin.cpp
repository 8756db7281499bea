#include "plugins/enclosure/enclosure_plugin.h"

#include <syslog.h>

#include <algorithm>
#include <utility>

#include "plugins/enclosure/description_files.h"
#include "plugins/enclosure/host_box.h"

namespace fmd::enclosure {
namespace {

using nlohmann::json;

constexpr std::chrono::milliseconds kCoalesce{200};  // a disk is some twenty messages
constexpr std::chrono::milliseconds kAfterWrite{1000};
constexpr int kRest = 5;  // times as long as a round took

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
      after_write_(loop),
      leds_(
          loop, host, options_.write_led, [this] { return index(); },
          [this] {
            publish(false);
            // It may fall back by itself: an enclosure processor that restarts forgets.
            after_write_.start(kAfterWrite, [this] { rescan(); });
          }) {
  plugin_.on_connected([this](const std::string&) {
    complete_due_ = true;
    rescan();
  });
  plugin_.on_command([this](const sdk::CommandRequest& request, const sdk::Plugin::Reply& reply) {
    if (request.name == "set_led") return leds_.set(request, reply);
    waiting_next_.push_back(reply);
    rescan();
  });
  udev_ =
      sdk::UdevMonitor::of_host(host, loop, {"enclosure", "scsi", "block", "nvme", "pci"},
                                [this](const sdk::UdevMonitor::Event& event) { on_udev(event); });
  rescan();
}

void EnclosurePlugin::on_udev(const sdk::UdevMonitor::Event&) {
  if (!soon_.running()) soon_.start(kCoalesce, [this] { rescan(); });
}

// A broken file is told and left out; the others hold.
void EnclosurePlugin::read_descriptions() {
  std::string state = state_of(options_.descriptions);
  if (state == descriptions_state_) return;
  descriptions_state_ = std::move(state);
  auto [library, errors] =
      chassis::Library::load(enclosure::read_descriptions(options_.descriptions));
  library_ = std::move(library);
  for (const Error& error : errors) sdk::log(LOG_ERR, error.text());
  descriptions_wrong_ =
      errors.empty()
          ? ""
          : errors.front().text() +
                (errors.size() > 1 ? "; and " + std::to_string(errors.size() - 1) + " errors more"
                                   : "");
  host_descriptions_ = library_.host(host_facts(host_));
}

// One round: every enclosure once, and the host's box. The folder's list itself asks no device.
void EnclosurePlugin::rescan() {
  if (!scanning_.empty()) {
    again_ = true;
    return;
  }
  again_ = false;
  round_began_ = std::chrono::steady_clock::now();
  for (auto& reply : std::exchange(waiting_next_, {})) waiting_.push_back(std::move(reply));
  read_descriptions();
  auto names = host_.list(kFolder).value_or(std::vector<std::string>{});
  if (!host_descriptions_.empty()) names.emplace_back();
  std::erase_if(entries_, [&](const auto& entry) {
    return std::find(names.begin(), names.end(), entry.first) == names.end();
  });
  scanning_.insert(names.begin(), names.end());
  if (names.empty()) return round_over();
  for (const auto& name : names) scan(name);
}

void EnclosurePlugin::scan(const std::string& name) {
  Entry& entry = entries_[name];
  if (!entry.lane) entry.lane = std::make_shared<Lane>(loop_, host_, options_.device_deadline);
  entry.lane->run(
      [this, name] {
        return to_bytes(name.empty() ? scan_host(host_, host_descriptions_)
                                     : scan_enclosure(host_, name));
      },
      [this, name](const sdk::CommandOutput& output) { scanned(name, output); }, false);
}

void EnclosurePlugin::scanned(const std::string& name, const sdk::CommandOutput& output) {
  if (const auto found = entries_.find(name); found != entries_.end()) {
    Entry& entry = found->second;
    entry.seen.answers = output.ok();
    Result<Enclosure> box = fail("the scan has not ended");
    if (output.ok()) box = from_bytes(output.out);
    if (box) {
      entry.seen.box = std::move(*box);
      entry.seen.described = name.empty() ? nullptr : library_.shelf(entry.seen.box.facts);
      entry.scanned = true;
      ask_components(name, entry);
    }
  }
  scanning_.erase(name);
  if (scanning_.empty()) round_over();
}

void EnclosurePlugin::ask_components(const std::string& name, Entry& entry) {
  const auto now = std::chrono::steady_clock::now();
  if (entry.seen.box.sg.empty() || !host_.has_tool("sg_ses")) return;
  if (entry.asked && now - *entry.asked < options_.components) return;
  entry.asked = now;
  entry.asking = Components::ask(
      entry.lane, host_.path("/dev/" + entry.seen.box.sg),
      [this, name](const Result<std::vector<Element>>& elements) {
        const auto found = entries_.find(name);
        if (found == entries_.end()) return;
        const auto keep = found->second.asking;
        const std::string why = elements ? "" : elements.error().message;
        if (elements)
          found->second.seen.elements = *elements;
        else  // what they are now nobody knows
          for (auto& element : found->second.seen.elements) element.status = "unknown";
        if (why != found->second.silent && !why.empty())
          sdk::log(LOG_WARNING, "power supplies and fans of " + name + " are not observed: " + why);
        found->second.silent = why;
        publish(false);
      });
}

void EnclosurePlugin::round_over() {
  // A snapshot only when all has been seen: what hangs since we began is not gone.
  bool all_seen = true;
  for (const auto& [name, entry] : entries_) all_seen &= entry.scanned;
  const bool complete = complete_due_ && all_seen;
  if (complete && plugin_.connected()) complete_due_ = false;
  publish(complete);
  tell_status();
  leds_.disks_seen(index());
  for (auto& reply : std::exchange(waiting_, {})) reply({"done", "", json::object()});
  // Each attribute is a SCSI command: a slow enclosure is not kept busy with being looked at.
  const auto took = std::chrono::duration_cast<std::chrono::milliseconds>(
      std::chrono::steady_clock::now() - round_began_);
  periodic_.start(std::max(options_.rescan, took * kRest), [this] { rescan(); });
  if (again_) soon_.start(std::chrono::milliseconds(0), [this] { rescan(); });
}

void EnclosurePlugin::tell_status() {
  std::string silent;
  bool any = false;
  for (const auto& [name, entry] : entries_) {
    any |= !name.empty() || !entry.seen.box.bays.empty();
    if (!entry.seen.answers)
      silent += (silent.empty() ? "" : ", ") + (name.empty() ? "of the host itself" : name);
  }
  if (!silent.empty())
    plugin_.send_status("degraded", "enclosure " + silent + " does not answer");
  else if (!descriptions_wrong_.empty())
    plugin_.send_status("degraded", "chassis description: " + descriptions_wrong_);
  else if (!any)
    plugin_.send_status("not-observed", "no SES enclosure under " + std::string(kFolder));
  else
    plugin_.send_status("ok", "");
}

BayIndex EnclosurePlugin::index() {
  BayIndex result;
  for (auto& [name, entry] : entries_) {
    if (!entry.scanned) continue;
    for (auto& bay : entry.seen.box.bays) {
      BayNow& now = result[bay_fmri(entry.seen.box.id, bay.slot)];
      now.sites.emplace_back(entry.lane, &bay);
      if (!now.told) now.told = leds_told(host_descriptions_, entry.seen, bay);
    }
  }
  return result;
}

void EnclosurePlugin::publish(bool complete) {
  const BayIndex now = index();
  const Picture picture(host_descriptions_, [&](json& properties, const std::string& bay) {
    if (const auto found = now.find(bay); found != now.end())
      leds_.add_properties(properties, bay, found->second);
  });
  std::vector<const Seen*> seen;
  for (const auto& [name, entry] : entries_)
    if (entry.scanned) seen.push_back(&entry.seen);
  inventory_.send(picture.resources(seen), complete);
}

}  // namespace fmd::enclosure
