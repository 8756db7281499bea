#include "plugins/enclosure/enclosure_plugin.h"

#include <syslog.h>
#include <time.h>

#include <algorithm>
#include <utility>

#include "plugins/enclosure/host_box.h"
#include "plugins/enclosure/pace.h"
#include "plugins/enclosure/parts.h"
#include "plugins/hardware/description_files.h"
#include "plugins/hardware/system_id.h"
#include "plugins/sdk/messages.h"

namespace fmd::enclosure {
namespace {

using nlohmann::json;

constexpr std::chrono::milliseconds kCoalesce{200};  // a new disk causes some twenty events
constexpr std::chrono::milliseconds kAfterWrite{1000};

}  // namespace

EnclosurePlugin::EnclosurePlugin(sd_event* loop, sdk::Host& host, const std::string& socket,
                                 Options options)
    : loop_(loop),
      host_(host),
      options_(std::move(options)),
      plugin_(loop,
              {"enclosure",
               {"ereport.enclosure.*", "sysevent.enclosure.*"},
               {"set_led", "refresh"},
               {"hc://"}},
              socket),
      inventory_(plugin_),
      watcher_(sdk::Watcher::Clock::of(loop), pace_of(options_.rescan),
               {[this](bool asked) { begin_round(asked); }}),
      glance_(loop),
      after_write_(loop),
      memory_(options_.state_file),
      leds_(
          loop, host, options_.write_led, [this] { return index(); },
          [this] {
            for (auto& [name, entry] : entries_) entry.as_told = false;
            publish(false);
            // The LED may go out by itself: an enclosure processor that restarts forgets it.
            after_write_.start(kAfterWrite, [this] { watcher_.look(); });
          }) {
  if (auto known = memory_.load(); !known)
    sdk::log(LOG_WARNING, known.error().text() + "; shelves that went unseen are not known");
  plugin_.on_connected([this](const std::string&) { watcher_.connected(); });
  plugin_.on_command([this](const sdk::CommandRequest& request, const sdk::Plugin::Reply& reply) {
    if (request.name == "set_led") return leds_.set(request, reply);
    watcher_.refresh([reply](const std::string&) { reply({"done", "", json::object()}); });
  });
  udev_ =
      sdk::UdevMonitor::of_host(host, loop, {"enclosure", "scsi", "block", "nvme", "pci"},
                                [this](const sdk::UdevMonitor::Event& event) { on_udev(event); });
  watcher_.look();
}

// Each attribute that a scan reads is a SCSI command, so the scan waits until the storm is over;
// meanwhile only the disks' bays are read.
void EnclosurePlugin::on_udev(const sdk::UdevMonitor::Event&) {
  anew_ = true;
  if (!glance_.running()) glance_.start(kCoalesce, [this] { glance(); });
  watcher_.hint();
}

void EnclosurePlugin::glance() {
  for (auto& [name, entry] : entries_) {
    entry.glance_again = entry.glancing;
    if (!entry.scanned || std::exchange(entry.glancing, true)) continue;
    entry.lane->run(
        [this, name = name] { return look(name, true); },
        [this, name = name](const sdk::CommandOutput& output) { glanced(name, output); }, true);
  }
}

// Runs in the lane's child, after a running scan has found the bays.
std::string EnclosurePlugin::look(const std::string& name, bool anew) const {
  if (name.empty()) return to_bytes(scan_host(host_, host_descriptions_));  // sends no command
  const auto found = entries_.find(name);
  if (found == entries_.end()) return {};
  Enclosure box = found->second.seen.box;
  if (anew)
    for (Bay& bay : box.bays) bay.diskseq.clear();
  look_for_disks(host_, box);
  return to_bytes(box);
}

void EnclosurePlugin::glanced(const std::string& name, const sdk::CommandOutput& output) {
  const auto found = entries_.find(name);
  if (found == entries_.end()) return;
  Entry& entry = found->second;
  entry.glancing = entry.as_told = false;
  if (auto now = output.ok() ? from_bytes(output.out) : Result<Enclosure>(fail("no answer")); now) {
    if (name.empty())
      entry.seen.box = std::move(*now);
    else
      take_disks(entry.seen.box, *now);
    publish(false);
    leds_.disks_seen(index());
  }
  if (std::exchange(entry.glance_again, false) && !glance_.running())
    glance_.start(std::chrono::milliseconds(0), [this] { glance(); });
}

// A broken file is logged and skipped; the others are used. True if the descriptions have changed.
bool EnclosurePlugin::read_descriptions() {
  std::string state = hardware::state_of_descriptions(options_.descriptions);
  if (state == descriptions_state_) return false;
  descriptions_state_ = std::move(state);
  auto [library, errors] =
      chassis::Library::load(hardware::read_descriptions(options_.descriptions));
  library_ = std::move(library);
  for (const Error& error : errors) sdk::log(LOG_ERR, error.text());
  descriptions_wrong_ =
      errors.empty()
          ? ""
          : errors.front().text() +
                (errors.size() > 1 ? "; and " + std::to_string(errors.size() - 1) + " errors more"
                                   : "");
  host_descriptions_ = library_.host(hardware::machine_facts(host_));
  for (auto& [name, entry] : entries_) entry.as_told = false;
  return true;
}

// A round scans each enclosure once, and the host's box. Listing the folder sends no command to a
// device.
void EnclosurePlugin::begin_round(bool asked) {
  reads_anew_ = std::exchange(anew_, false) || asked;
  changed_ = read_descriptions();
  auto names = host_.list(kFolder).value_or(std::vector<std::string>{});
  if (!host_descriptions_.empty()) names.emplace_back();
  changed_ |= std::erase_if(entries_, [&](const auto& entry) {
                return std::find(names.begin(), names.end(), entry.first) == names.end();
              }) > 0;
  scanning_.insert(names.begin(), names.end());
  if (names.empty()) return round_over();
  for (const auto& name : names) scan(name);
}

// The first scan of an enclosure reads the kernel's attributes of each bay, each of which is a
// command to the device; later scans read the status page, a single command.
void EnclosurePlugin::scan(const std::string& name) {
  Entry& entry = entries_[name];
  if (!entry.lane) entry.lane = std::make_shared<Lane>(loop_, host_, options_.device_deadline);
  if (entry.scanned && entry.by_page && host_.has_tool("sg_ses"))
    scan_by_page(name);
  else
    scan_fully(name);
}

void EnclosurePlugin::scan_fully(const std::string& name) {
  entries_[name].lane->run(
      [this, name, anew = reads_anew_]() -> std::string {
        const auto found = entries_.find(name);
        if (found == entries_.end()) return {};
        const Entry& entry = found->second;
        const Enclosure* known = entry.scanned && !anew ? &entry.seen.box : nullptr;
        return entry.last.ask([&] {
          return to_bytes(name.empty() ? scan_host(host_, host_descriptions_)
                                       : options_.scan(host_, name, known));
        })();
      },
      [this, name](const sdk::CommandOutput& output) { scanned(name, output); }, false);
}

void EnclosurePlugin::scan_by_page(const std::string& name) {
  entries_[name].lane->run(
      [this, name, anew = reads_anew_]() -> std::string {
        const auto found = entries_.find(name);
        if (found == entries_.end() || !is_as_scanned(host_, found->second.seen.box)) return {};
        return look(name, anew);
      },
      [this, name](const sdk::CommandOutput& output) {
        const auto found = entries_.find(name);
        if (found == entries_.end()) return over(name);
        Entry& entry = found->second;
        if (output.end == sdk::CommandOutput::End::deadline) return scanned(name, output);
        const auto now =
            output.ok() ? from_bytes(output.out) : Result<Enclosure>(fail("no answer"));
        if (!now) {  // the slots have changed
          entry.by_page = false;
          return scan_fully(name);
        }
        take_disks(entry.seen.box, *now);
        entry.asking = Components::ask(entry.lane, device_of(entry), entry.layout,
                                       [this, name](const Result<Components::Answer>& answer,
                                                    bool hangs) { told(name, answer, hangs); });
      },
      false);
}

void EnclosurePlugin::told(const std::string& name, const Result<Components::Answer>& answer,
                           bool hangs) {
  const auto found = entries_.find(name);
  if (found == entries_.end()) return over(name);
  Entry& entry = found->second;
  const auto keep = entry.asking;
  components_told(name, entry, answer);
  entry.seen.answers = !hangs;
  changed_ = true;
  if (hangs) return over(name);
  if (!entry.by_page) return scan_fully(name);
  over(name);
}

void EnclosurePlugin::components_told(const std::string& name, Entry& entry,
                                      const Result<Components::Answer>& answer) {
  const std::string why = answer ? "" : answer.error().message;
  entry.asked = std::chrono::steady_clock::now();
  entry.as_told = false;
  entry.by_page = answer && take_slots(entry.seen.box, answer->slots);
  entry.layout = answer ? answer->layout : SesLayout();
  if (answer) {
    entry.seen.elements = answer->elements;
    remember_installed(entry.seen);
  } else {  // their present state is unknown
    for (auto& element : entry.seen.elements) element.status = "unknown";
  }
  if (why != entry.silent && !why.empty())
    sdk::log(LOG_WARNING, "power supplies and fans of " + name + " are not observed: " + why);
  entry.silent = why;
}

std::string EnclosurePlugin::device_of(const Entry& entry) const {
  return host_.path("/dev/" + entry.seen.box.sg);
}

void EnclosurePlugin::scanned(const std::string& name, sdk::CommandOutput output) {
  if (const auto found = entries_.find(name); found != entries_.end()) {
    Entry& entry = found->second;
    const bool same = entry.last.take(output) && entry.as_told && entry.seen.answers;
    if (same || take_in(name, entry, output)) ask_components(name, entry);
  }
  over(name);
}

bool EnclosurePlugin::take_in(const std::string& name, Entry& entry,
                              const sdk::CommandOutput& output) {
  changed_ = true;
  entry.seen.answers = output.ok();
  Result<Enclosure> box = fail("the scan has not ended");
  if (output.ok()) box = from_bytes(output.out);
  if (!box) return false;
  entry.seen.box = std::move(*box);
  entry.seen.described = name.empty() ? nullptr : library_.shelf(entry.seen.box.facts);
  entry.scanned = entry.as_told = true;
  return true;
}

void EnclosurePlugin::over(const std::string& name) {
  std::vector<Enclosure*> boxes;
  for (auto& [one, entry] : entries_)
    if (entry.scanned && !one.empty()) boxes.push_back(&entry.seen.box);
  memory_.same_ids.tell_apart(boxes);
  scanning_.erase(name);
  if (scanning_.empty()) round_over();
}

// After a full scan: reads the status page for other parts, and checks whether it is sufficient
// from now on.
void EnclosurePlugin::ask_components(const std::string& name, Entry& entry) {
  const auto now = std::chrono::steady_clock::now();
  if (entry.seen.box.sg.empty() || !host_.has_tool("sg_ses")) return;
  if (entry.asked && now - *entry.asked < options_.components) return;
  entry.asked = now;
  entry.asking = Components::ask(entry.lane, device_of(entry), entry.layout,
                                 [this, name](const Result<Components::Answer>& answer, bool) {
                                   const auto found = entries_.find(name);
                                   if (found == entries_.end()) return;
                                   const auto keep = found->second.asking;
                                   components_told(name, found->second, answer);
                                   publish(false);
                                 });
}

// Parts seen in this run or an earlier one.
void EnclosurePlugin::remember_installed(Seen& seen) {
  enclosure::remember_installed(seen);
  auto& known = memory_.installed[seen.box.id];
  known.insert(seen.installed.begin(), seen.installed.end());
  seen.installed = known;
}

// A shelf is gone if none of its processors is left: its cable, power or HBA. Its disks disappear
// separately. An enclosure that is not scanned yet may be a missing one; a renamed shelf is not
// gone.
void EnclosurePlugin::tell_shelves() {
  std::map<std::string, Shelf> now;
  std::map<std::string, std::string> named;  // processor's own id → its chassis' id
  for (const auto& [name, entry] : entries_) {
    if (name.empty()) continue;
    if (!entry.scanned) return;
    Shelf& shelf = now[entry.seen.box.id];
    shelf.label = entry.seen.box.label;
    if (const std::string& own = entry.seen.box.own_id; !own.empty()) {
      shelf.processors.insert(own);
      named[own] = entry.seen.box.id;
    }
  }
  std::vector<sdk::OutEvent> events;
  const auto tell = [&](const char* event_class, const std::string& id, const Shelf& shelf) {
    timespec time{};
    clock_gettime(CLOCK_REALTIME, &time);
    events.push_back({event_class,
                      chassis_fmri(id),
                      time.tv_sec * 1'000'000'000LL + time.tv_nsec,
                      0,
                      {{"label", shelf.label}}});
  };
  for (auto& [id, shelf] : memory_.shelves) {
    const bool renamed =
        std::any_of(shelf.processors.begin(), shelf.processors.end(), [&](const std::string& own) {
          const auto at = named.find(own);  // "ID" and "ID-ADDRESS"; else moved into another shelf
          return at != named.end() && (at->second.starts_with(id) || id.starts_with(at->second));
        });
    const bool there = now.contains(id) || renamed;
    if (there == !shelf.gone) continue;
    shelf.gone = !there;
    tell(there ? "sysevent.enclosure.back" : "ereport.enclosure.gone", id, shelf);
  }
  std::erase_if(memory_.shelves, [&](const auto& known) {
    return !known.second.gone && !now.contains(known.first);  // it was renamed
  });
  for (const auto& [id, shelf] : now) {
    Shelf& known = memory_.shelves[id];
    known.label = shelf.label;
    known.processors.insert(shelf.processors.begin(), shelf.processors.end());
  }
  if (!events.empty()) plugin_.send_events(std::move(events), "");
  // Otherwise, if this process ends first, the next one reports again what fmd has not
  // acknowledged.
  if (plugin_.unacked_events() == 0) memory_.save();
}

void EnclosurePlugin::round_over() {
  // Send a snapshot only after everything has been seen: a part that has hung since the start is
  // not gone.
  bool all_seen = true;
  for (const auto& [name, entry] : entries_) all_seen &= entry.scanned;
  const bool complete = watcher_.complete_due() && all_seen;
  if (complete && plugin_.connected()) watcher_.complete_sent();
  if (changed_ || complete) {
    publish(complete);
    leds_.disks_seen(index());
  }
  tell_shelves();
  tell_status();
  watcher_.over("");
}

void EnclosurePlugin::tell_status() {
  std::string silent, of_parts;
  bool any = false;
  for (const auto& [name, entry] : entries_) {
    if (of_parts.empty() && !entry.seen.box.sg.empty() && !host_.has_tool("sg_ses"))
      of_parts = "sg_ses is not installed (Debian: apt install sg3-utils)";
    else if (of_parts.empty() && !entry.silent.empty() && !entry.seen.elements.empty())
      of_parts = name + ": " + entry.silent;  // it did report parts before
    any |= !name.empty() || !entry.seen.box.bays.empty();
    if (!entry.seen.answers)
      silent += (silent.empty() ? "" : ", ") + (name.empty() ? "of the host itself" : name);
  }
  if (!silent.empty())
    plugin_.send_status("degraded", "enclosure " + silent + " does not answer");
  else if (!descriptions_wrong_.empty())
    plugin_.send_status("degraded", "chassis description: " + descriptions_wrong_);
  else if (!of_parts.empty())
    plugin_.send_status("degraded",
                        "power supplies and fans of shelves are not observed: " + of_parts);
  else if (!any)
    plugin_.send_status("not-observed", "no SES enclosure under " + std::string(kFolder));
  else
    plugin_.send_status("ok", "");
}

std::vector<const Seen*> EnclosurePlugin::seen() const {
  std::vector<const Seen*> all;
  for (const auto& [name, entry] : entries_)
    if (entry.scanned) all.push_back(&entry.seen);
  return all;
}

BayIndex EnclosurePlugin::index() {
  BayIndex result;
  const auto all = seen();
  for (auto& [name, entry] : entries_) {
    if (!entry.scanned) continue;
    for (auto& bay : entry.seen.box.bays) {
      if (is_enclosures(host_descriptions_, all, entry.seen, bay)) continue;
      BayNow& now = result[bay_fmri(entry.seen.box.id, bay.slot)];
      now.sites.emplace_back(entry.lane, &bay);
      if (!now.told) now.told = leds_told(host_descriptions_, entry.seen, bay);
    }
  }
  return result;
}

// Some shelves report "OK" for each bay, also for empty ones.
void EnclosurePlugin::remember_empty() {
  for (auto& [name, entry] : entries_) {
    if (name.empty()) continue;  // a host bay counts as filled only if a disk is seen
    Seen& seen = entry.seen;
    if (std::any_of(seen.box.bays.begin(), seen.box.bays.end(),
                    [](const Bay& bay) { return bay.status == "not installed"; }))
      memory_.tell_empty.insert(seen.box.id);
    seen.tells_empty = memory_.tell_empty.contains(seen.box.id);
  }
}

void EnclosurePlugin::publish(bool complete) {
  remember_empty();
  const BayIndex now = index();
  const Picture picture(host_descriptions_, [&](json& properties, const std::string& bay) {
    if (const auto found = now.find(bay); found != now.end())
      leds_.add_properties(properties, bay, found->second);
  });
  if (inventory_.send(picture.resources(seen()), complete)) watcher_.news();
}

}  // namespace fmd::enclosure
