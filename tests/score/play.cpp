#include "play.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "cpu_text.h"
#include "disk_text.h"
#include "fmd/base/json.h"
#include "fmd/model/fmri.h"
#include "smart_text.h"
#include "zed.h"
#include "zfs_text.h"

namespace fmd::score {
namespace {

using histories::Source;

constexpr int64_t kLag = 30 * kMs;       // from an event to its arrival
constexpr int64_t kCommand = 200 * kMs;  // duration of a command

// One of the four sources of the histories' daemon, which distinguishes them for commands only.
Source source_of(Teller teller) {
  switch (teller) {
    case Teller::zfs:
      return Source::zfs;
    case Teller::enclosure:
      return Source::enclosure;
    case Teller::smart:
      return Source::smart;
    default:
      return Source::disk;
  }
}

// The value as fmd-smart reads it from recorded smartctl output with that value, if there is any.
Value as_read(const Host& host, Teller teller, const std::string& fmri, std::string_view property,
              Value value) {
  if (teller != Teller::smart) return value;
  using Protocol = SmartText::Protocol;
  const bool nvme = host.told(Teller::smart, fmri).is("smart.protocol", "nvme");
  auto told = SmartText::recorded().told(nvme ? Protocol::nvme : Protocol::scsi, property, value);
  return told ? std::move(*told) : value;
}

}  // namespace

Play::Play(Host& h, std::shared_ptr<const RuleSet> rules, histories::Chance& c)
    : host(h), chance(c), losing_(histories::Chance(c).next()), rules_(std::move(rules)) {
  histories::Daemon::Outside outside;
  outside.send = [this](const Command& command) { carry_out(command); };
  outside.told = [this](const Tidings& tidings, const Case& about) { told(tidings, about); };
  outside.acked = [](Source, size_t) {};
  outside.ordered = [](const OrderResult&) {};
  outside.broken = [](const std::string&) {};
  outside.grouped = [] {};
  outside.unsent = [](const Command&) {};
  outside.handled = [](std::string_view fmri) { return fmri.starts_with("cpu://"); };
  daemon_ = std::make_unique<histories::Daemon>(rules_, ActionConfig{}, std::move(outside), &bays_);
  daemon_->start(moment());
  for (const Source source : {Source::zfs, Source::disk, Source::enclosure, Source::smart})
    daemon_->connected(source, true);
  for (InventoryUpdate& update : host.all()) {
    const Source source = update.source == "zfs"         ? Source::zfs
                          : update.source == "enclosure" ? Source::enclosure
                                                         : Source::disk;
    daemon_->take_inventory(source, std::move(update));
  }
  daemon_->run(moment());
}

Play::~Play() = default;

void Play::at(int64_t when, std::function<void()> what) {
  plan_.emplace(when, std::move(what));
}

// What a silent plugin would have sent arrives when it is back.
int64_t Play::arrival(Teller teller) const {
  const auto lag = lags_.find(teller);
  int64_t at = now_ + kLag + (lag == lags_.end() ? 0 : lag->second);
  for (const Silence& s : silences_)
    if (s.teller == teller && at >= s.from && at < s.to) at = s.to;
  return at;
}

std::optional<Event> Play::zfs_as_recorded(const Event& played) {
  const ZfsText& recorded = ZfsText::recorded();
  if (!recorded.knows(played.event_class) ||
      played.resource.str().find("/vdev=") == std::string::npos)
    return {};
  ZfsText::Values values;
  if (played.event_class.str().starts_with("ereport."))
    values["ena"] = fmt::format("0x{:x}", ++ena_);
  for (const auto& [name, value] : played.payload.members())
    values[name.str()] = fmt::format("\"{}\"", to_text(value));
  auto event =
      recorded.event(played.event_class, played.resource, played.time_ns, std::move(values));
  if (!event) throw std::logic_error(played.event_class.str() + " cannot be read");
  return event;
}

// The event as the plugin parses it from recorded text, if there is such a recording.
std::optional<Event> Play::as_recorded(Teller teller, const Event& played) {
  switch (teller) {
    case Teller::zfs:
      return zfs_as_recorded(played);
    case Teller::disk:
      return DiskText::recorded().event(host, played.event_class, played.resource, now_);
    case Teller::cpu:
      return CpuText::recorded().event(host, played);
    default:
      return {};
  }
}

void Play::event(int64_t when, Teller teller, std::string event_class, const std::string& resource,
                 std::vector<std::pair<std::string, Value>> payload) {
  if (lost > 0 && losing_.below(1000) < static_cast<int>(lost * 1000)) return;
  at(when,
     [this, teller, event_class = std::move(event_class), resource, payload = std::move(payload)] {
       Event e;
       e.event_class = event_class;
       e.resource = resource;
       e.time_ns = moment().wall_ns;
       e.source = teller_name(teller);
       for (const auto& [name, value] : payload) e.payload.set(name, value);
       e.payload_json = "{}";
       if (const auto read = as_recorded(teller, e)) {
         if (read->event_class != event_class || read->resource != resource)
           throw std::logic_error(event_class + " of " + resource + " is read as " +
                                  read->event_class.str() + " of " + read->resource.str());
         // Text of the recording is preferred to generated text.
         for (const auto& [name, value] : read->payload.members()) e.payload.set(name, value);
         e.ena = read->ena;
       }
       if (heard) heard(e, now_);
       if (zed_) zed_->hear(e, now_, host.spec.spares);
       at(arrival(teller), [this, teller, e] { daemon_->take_events(source_of(teller), {e}); });
     });
}

void Play::send(Teller teller, InventoryUpdate update) {
  at(arrival(teller), [this, teller, update = std::move(update)] {
    daemon_->take_inventory(source_of(teller), update);
  });
}

void Play::set(int64_t when, Teller teller, const std::string& fmri, std::string property,
               Value value) {
  value = as_read(host, teller, fmri, property, std::move(value));
  at(when, [this, teller, fmri, property = std::move(property), value = std::move(value)] {
    send(teller, host.set(teller, fmri, property, value));
  });
}

void Play::remove(int64_t when, Teller teller, const std::string& fmri) {
  at(when, [this, teller, fmri] {
    away_.insert(fmri);
    send(teller, host.remove(teller, fmri));
  });
}

void Play::put_back(int64_t when, Teller teller, const std::string& fmri) {
  at(when, [this, teller, fmri] {
    away_.erase(fmri);
    send(teller, host.put_back(teller, fmri));
  });
}

// Passed on as the daemon does: properties added to the known ones.
void Play::reading(int64_t when, Teller teller, const std::string& fmri, std::string name,
                   int64_t value) {
  Value read = as_read(host, teller, fmri, name, Value(value));
  at(when, [this, teller, fmri, name = std::move(name), read = std::move(read)] {
    InventoryUpdate update;
    update.source = teller_name(teller);
    update.merge = true;
    Resource r;
    r.fmri = fmri;
    r.type = host.told(teller, fmri).type;
    r.properties[name] = read;
    update.resources.push_back(std::move(r));
    send(teller, std::move(update));
  });
}

void Play::silence(Teller teller, int64_t from, int64_t to) {
  silences_.push_back({teller, from, to});
}

// Its first message afterwards is a whole inventory.
void Play::restarts(Teller teller, int64_t from, int64_t to) {
  silence(teller, from, to);
  at(from, [this, teller] { daemon_->connected(source_of(teller), false); });
  at(to, [this, teller] {
    daemon_->connected(source_of(teller), true);
    for (InventoryUpdate& update : host.all()) {
      if (update.source != teller_name(teller)) continue;
      std::erase_if(update.resources, [&](const Resource& r) { return away_.contains(r.fmri); });
      daemon_->take_inventory(source_of(teller), std::move(update));
    }
  });
}

void Play::zed_acts() {
  zed_ = std::make_unique<Zed>();
  zed_->act = [this](const std::string& vdev, bool checksums, bool retire, bool spare) {
    at(now_ + kCommand, [=, this] {
      if (retire) zed_does(vdev, checksums ? "DEGRADED" : "FAULTED");
      if (!spare) return;
      if (auto update = host.bring_spare(vdev, "")) send(Teller::zfs, std::move(*update));
    });
  };
}

// ZED acts only on vdevs that are ONLINE: not on those that ZFS has faulted or a person took offline.
void Play::zed_does(const std::string& vdev, const char* state) {
  const Resource& now = host.told(Teller::zfs, vdev);
  if (!now.is("state", "ONLINE")) return;
  const bool degraded = std::string_view(state) == "DEGRADED";
  host.set(Teller::zfs, vdev, "state_by", text("zfs"));
  host.set(Teller::zfs, vdev, "service", text(degraded ? "degraded" : "out-of-service"));
  send(Teller::zfs, host.set(Teller::zfs, vdev, "state", text(state)));
  event(now_, Teller::zfs, "resource.fs.zfs.statechange", vdev,
        {{"vdev_state", text(state)}, {"vdev_type", text("disk")}});
}

void Play::step_wall_clock(int64_t when, int64_t by) {
  at(when, [this, by] { wall_offset_ += by; });
}

Outcome Play::run(int64_t until) {
  for (;;) {
    const auto wake = daemon_->next_wake(now_);
    const int64_t next = plan_.empty() ? until : plan_.begin()->first;
    if (wake && *wake <= next && *wake <= until) {
      now_ = std::max(now_, *wake);
      daemon_->run(moment());
      continue;
    }
    if (plan_.empty() || next > until) return outcome(until);
    now_ = std::max(now_, next);
    const auto what = std::move(plan_.begin()->second);
    plan_.erase(plan_.begin());
    what();
  }
}

Outcome Play::outcome(int64_t until) {
  now_ = std::max(now_, until);
  if (asks_for_odds) take_likely();
  for (Blamed& blamed : out_.blamed) {
    const Case* c = daemon_->engine().find_case(blamed.uuid);
    blamed.withdrawn =
        c && std::any_of(c->suspects.begin(), c->suspects.end(), [&](const Suspect& s) {
          return s.resource == blamed.parts.front() && s.status == SuspectStatus::acquitted;
        });
  }
  return std::move(out_);
}

// The most likely cause of each problem. Removals by a person accuse no part.
void Play::take_likely() {
  using Kind = blame::Explanation::Kind;
  for (const blame::Account& one : daemon_->engine().explanations_of_part("", moment())) {
    const blame::Explanation& best = one.explanations.front();
    if (!one.hard || best.kind == Kind::hands) continue;
    const bool is_shared = best.kind == Kind::hub;
    std::vector<std::string> parts = is_shared ? best.names : std::vector{one.part};
    if (is_shared && best.hub == blame::HubKind::machine)
      parts = {in_common_fmri("machine itself")};
    if (!is_shared) parts.push_back(disk_with(one.part));
    out_.likely.push_back({now_, one.part, "", "Major", std::move(parts), 100, true});
  }
}

// The disk of a path or vdev, or itself.
std::string Play::disk_with(const std::string& part) const {
  for (const Disk& d : host.disks)
    if (d.vdev == part || std::find(d.paths.begin(), d.paths.end(), part) != d.paths.end())
      return d.fmri;
  return part;
}

// Carries out a command; its plugin reports the outcome.
void Play::carry_out(const Command& command) {
  at(now_ + kCommand, [this, command] {
    const std::string refused = come_about(command);
    daemon_->take_answer(command, {refused.empty() ? CommandStatus::done : CommandStatus::refused,
                                   false, false, refused});
  });
}

void Play::put_service(const std::string& fmri, const std::string& service,
                       const std::string& key) {
  const bool in = service == "in-service", core = fmri.starts_with("cpu://");
  const Teller teller = core ? Teller::cpu : Teller::zfs;
  const char* state = core ? (in ? "online" : "offline")
                      : in ? "ONLINE"
                           : (service == "degraded" ? "DEGRADED" : "FAULTED");
  host.set(teller, fmri, "service", text(service));
  host.set(teller, fmri, "retired_by", text(key));
  host.set(teller, fmri, "state_by", text("fmd"));
  send(teller, host.set(teller, fmri, "state", text(state)));
}

// Whether its disk is away: then it cannot be opened even if fmd does not know that.
bool Play::lies_on_nothing(const std::string& fmri) const {
  if (!fmri.starts_with("zfs://")) return false;
  const std::vector<Edge>& edges = host.told(Teller::zfs, fmri).edges;
  return std::any_of(edges.begin(), edges.end(),
                     [&](const Edge& edge) { return away_.contains(edge.to); });
}

// Returns "" or the reason for a refusal.
std::string Play::come_about(const Command& command) {
  const nlohmann::json args = nlohmann::json::parse(command.args, nullptr, false);
  const std::string& fmri = command.resource;
  switch (command.name) {
    case CommandName::retire:
      out_.retired.push_back({now_, fmri});
      put_service(fmri, args.value("to", "out-of-service"), command.key);
      return "";
    case CommandName::restore:
      if (lies_on_nothing(fmri)) return "its disk does not respond";
      put_service(fmri, "in-service", "");
      return "";
    case CommandName::spare_in: {
      auto update = host.bring_spare(fmri, command.key);
      if (!update) return "no spare is available";
      out_.spared.push_back({now_, fmri});
      send(Teller::zfs, std::move(*update));
      return "";
    }
    case CommandName::spare_out:
      send(Teller::zfs, host.return_spare(fmri));
      return "";
    case CommandName::set_led: {
      const bool on = args.value("on", false);
      if (on) out_.lit.push_back({now_, fmri});
      send(Teller::enclosure,
           host.set(Teller::enclosure, fmri, "led." + args.value("indication", "fault"),
                    text(on ? "on" : "off")));
      return "";
    }
    case CommandName::replace:
      break;
  }
  return "";
}

void Play::told(const Tidings& tidings, const Case& c) {
  const auto covers = [&](const Told& one) { return one.uuid == tidings.covered_by; };
  if (std::any_of(out_.told.begin(), out_.told.end(), covers)) return;  // as in Alerts
  out_.told.push_back({now_, tidings.news.event, c.uuid});
  for (const Suspect& s : c.suspects) {
    if (s.status != SuspectStatus::faulty || !blamed_.emplace(c.uuid, s.resource).second) continue;
    const bool first = std::none_of(out_.blamed.begin(), out_.blamed.end(),
                                    [&](const Blamed& blamed) { return blamed.uuid == c.uuid; });
    out_.blamed.push_back(
        {now_, c.uuid, s.fault_class, c.severity, {s.resource, s.asru, s.fru}, s.certainty, first});
  }
}

}  // namespace fmd::score
