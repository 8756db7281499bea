#include "fmd/daemon/intake.h"

#include <fmt/format.h>
#include <syslog.h>

#include <algorithm>

#include "fmd/base/json.h"
#include "fmd/base/text.h"
#include "fmd/daemon/event_time.h"
#include "fmd/model/fmri.h"
#include "fmd/model/fmri_in_text.h"
#include "fmd/model/self_events.h"

namespace fmd {
namespace {

constexpr int64_t kAheadNs = 5LL * 60 * 1000000000;
constexpr int kRefused = -32602;
constexpr size_t kSmallMessage = 64 << 10;
constexpr size_t kMostRaw = 16384;  // bytes kept of an event that is rejected

// Neither a script nor a notifier.
bool tells_of_parts(const PluginRecord& record) {
  const auto& handles = record.hello.handles;
  return !record.hello.transient &&
         std::none_of(handles.begin(), handles.end(),
                      [](const std::string& target) { return target.starts_with("outbox:"); });
}

size_t bytes_of(const Resource& resource) {
  size_t bytes = resource.fmri.size();
  for (const auto& [name, value] : resource.properties) {
    const auto* text = std::get_if<std::string>(&value);
    bytes += name.size() + (text ? text->size() : sizeof value);
  }
  for (const Edge& edge : resource.edges) bytes += edge.to.size();
  return bytes;
}

// What fmd does not understand is evidence all the same: kept as it came, and a case when it goes on.
Event rejection(const std::string& name, const protocol::EventsMessage::Rejected& one,
                int64_t now_ns) {
  std::string raw = one.raw;
  const bool cut = raw.size() > kMostRaw;
  if (cut) raw = whole_utf8(raw, kMostRaw);
  Event event = self_event("ereport.fmd.plugin.rejected", plugin_fmri(name),
                           {{"plugin", name},
                            {"reason", one.reason},
                            {"class", one.event_class},
                            {"raw", raw},
                            {"bytes", std::to_string(one.raw.size())}},
                           now_ns);
  event.source = kSelfSource;
  return event;
}

}  // namespace

// Answered once all that this plugin sent over an earlier connection is committed: the cursor it
// gets is then the true one, and nothing comes twice. While nothing can be written it is answered at
// once, and told besides what is in memory: one that starts then must not be blind.
void Intake::plugin_hello(PeerId peer, uint64_t request, const std::string& name) {
  if (const PluginRecord* record = hub_->table().find(name); record && tells_of_parts(*record))
    arrivals_.connected(name, clock_.steady_ns());
  Work work;
  work.apply = [name](Durable& durable, Moment) {
    durable.bay_history.unwatched(name);
    durable.engine.count_from(name, durable.own.counts_from_ns(name));
  };
  work.committed = [this, peer] { welcome(peer); };
  unwelcomed_[peer] = {request, name};
  pipeline_.submit(std::move(work));
  if (pipeline_.failing() || pipeline_.stalled()) welcome(peer);
}

void Intake::welcome(PeerId peer) {
  const auto node = unwelcomed_.extract(peer);
  if (node.empty()) return;
  const auto& [request, name] = node.mapped();
  PluginHub::Welcome what;
  if (const auto stored = own_.cursors.find(name); stored != own_.cursors.end()) {
    what.cursor = stored->second.text;
    what.boot = stored->second.boot_id != clock_.boot_id();
  }
  // Data in memory is reported separately: fmd may end before it is on disk.
  if (const auto told = told_.find(name); told != told_.end() && told->second.text != what.cursor)
    what.kept = told->second.text;
  hub_->welcome(peer, request, what);
}

void Intake::set_flow(Flow flow) {
  hub_->set_flow(flow);
  if (flow == Flow::acked) return;
  while (!unwelcomed_.empty()) welcome(unwelcomed_.begin()->first);
}

// A plugin that is broken does not fill the journal.
void Intake::keep_rejection(const std::string& name, const protocol::EventsMessage::Rejected& one,
                            Work& work) {
  Rejections& all = rejections_[name];
  const int64_t now = clock_.steady_ns();
  if (all.kept == 0 || now >= all.since_ns + kRejectedWithinNs) {
    if (all.counted > 0)
      work.events.push_back(self_event(
          "ereport.fmd.plugin.rejected", plugin_fmri(name),
          {{"plugin", name},
           {"reason", fmt::format("{} more were rejected since, which are not kept", all.counted)},
           {"class", ""},
           {"raw", ""},
           {"bytes", "0"}},
          clock_.wall_ns()));
    all = {now, 0, 0};
  }
  if (all.kept >= kMostRejected) {
    ++all.counted;
    return;
  }
  ++all.kept;
  work.events.push_back(rejection(name, one, clock_.wall_ns()));
}

void Intake::plugin_events(PeerId peer, uint64_t request, const std::string& name,
                           protocol::EventsMessage message) {
  nlohmann::json rejected = nlohmann::json::array();
  Work work;
  const auto reject = [&](const protocol::EventsMessage::Rejected& one) {
    rejected.push_back({{"index", one.index}, {"reason", one.reason}});
    keep_rejection(name, one, work);
  };
  for (const auto& one : message.rejected) reject(one);
  work.events.reserve(message.events.size());
  size_t good = 0;
  const Moment now = clock_.now();
  const int64_t latest_ns = std::max(now.wall_ns, clock_watch_.believed_wall_ns(now));
  auto unfit = message.unfit.begin();
  for (auto& [index, event] : message.events) {
    event->source = name;
    std::string why = event_time_trouble(event->time_ns, latest_ns);
    while (unfit != message.unfit.end() && unfit->first < index) ++unfit;
    if (why.empty() && unfit != message.unfit.end() && unfit->first == index)
      why = std::move(unfit->second);
    if (!why.empty()) {
      reject({index, std::move(why), event->event_class, protocol::raw_event(*event)});
      continue;
    }
    ++good;
    work.events.add(std::move(event));
  }
  if (PluginRecord* record = hub_->table().find(name)) {
    record->events_received += good;
    record->events_rejected += rejected.size();
  }
  nlohmann::json result = {{"rejected", std::move(rejected)}};
  if (message.cursor) {
    result["cursor"] = *message.cursor;
    const Cursor cursor{*message.cursor, clock_.boot_id(), own_.counts_from_ns(name)};
    work.rows.push_back(cursor_row(name, cursor));
    told_[name] = cursor;
    work.committed = [this, peer, request, name, cursor, result] {
      own_.cursors[name] = cursor;
      hub_->acked(peer, request);
      if (!hub_->answer(peer, request, result)) hub_->written(name, cursor.text);
    };
  } else {
    work.committed = [this, peer, request, result] {
      hub_->acked(peer, request);
      hub_->answer(peer, request, result);
    };
  }
  pipeline_.submit(std::move(work));
}

void Intake::plugin_inventory(PeerId peer, uint64_t request, InventoryUpdate update) {
  if (const std::string why = over_quota(update); !why.empty()) {
    hub_->report(update.source, why);
    hub_->acked(peer, request);
    return hub_->refuse(peer, request, kRefused, why);
  }
  Work work;
  work.apply = [this, peer, request, source = update.complete ? update.source : ""](Durable&,
                                                                                    Moment) {
    if (!source.empty()) arrivals_.told(source);
    hub_->taken_in(peer, request);
  };
  work.inventory.push_back(std::move(update));
  work.committed = [this, peer, request] {
    hub_->acked(peer, request);
    hub_->answer(peer, request, nlohmann::json::object());
  };
  pipeline_.submit(std::move(work));
}

// Number of resources that its plugin has not reported before.
size_t Intake::fresh_in(const InventoryUpdate& update) const {
  return static_cast<size_t>(std::count_if(
      update.resources.begin(), update.resources.end(), [&](const Resource& resource) {
        const Resource* known = inventory_.find(resource.fmri);
        return !known || !known->sources.contains(update.source);
      }));
}

size_t Intake::bytes_told_by(const std::string& source) const {
  size_t bytes = 0;
  for (const auto& [fmri, resource] : inventory_.all())
    if (resource.sources.contains(source)) bytes += bytes_of(resource);
  return bytes;
}

// All that a plugin has told is looked at only when it may be too much: what is told again is added
// as if it were new until then.
std::string Intake::over_quota(const InventoryUpdate& update) {
  const size_t fresh = fresh_in(update);
  size_t bytes = 0;
  for (const Resource& resource : update.resources) {
    bytes += bytes_of(resource);
    const Resource* known = update.merge ? inventory_.find(resource.fmri) : nullptr;
    const size_t properties = resource.properties.size() + (known ? known->properties.size() : 0);
    if (properties > kMostProperties)
      return fmt::format(
          "it measures more of {} than the {} properties that are kept of a resource",
          resource.fmri, kMostProperties);
  }
  const bool small = fresh == 0 && bytes < kSmallMessage;
  auto at_most = told_bytes_.find(update.source);
  if (!small && (at_most == told_bytes_.end() || at_most->second + bytes > kMostBytes))
    at_most = told_bytes_.insert_or_assign(update.source, bytes_told_by(update.source)).first;
  const size_t resources = inventory_.told_by(update.source) + fresh;
  if (small || (resources <= kMostResources && at_most->second + bytes <= kMostBytes)) {
    if (at_most != told_bytes_.end()) at_most->second += bytes;
    return {};
  }
  return fmt::format("it describes {} resources in {}; at most {} in {} are kept of one plugin",
                     resources, format_bytes(at_most->second + bytes), kMostResources,
                     format_bytes(kMostBytes));
}

void Intake::plugin_readings(const std::string& name, protocol::ReadingsMessage message) {
  message.update.source = name;
  // These need no answer, so many may be queued before the first one counts.
  if (fresh_in(message.update) > 0) pipeline_.take_in();
  if (const std::string why = over_quota(message.update); !why.empty())
    return hub_->report(name, why);
  const int64_t now = clock_.wall_ns();
  // A missing time, or one far in the future, would block retention.
  for (Reading& reading : message.readings)
    if (reading.time_ns <= 0 || reading.time_ns > now + kAheadNs) reading.time_ns = now;
  Work work;
  work.apply = [this, name](Durable&, Moment) { arrivals_.told(name); };  // who measures has looked
  work.inventory.push_back(std::move(message.update));
  work.readings = std::move(message.readings);
  pipeline_.submit(std::move(work));
}

void Intake::plugin_finding(const PluginFinding& finding) {
  pipeline_.submit_event(finding.event_class, plugin_fmri(finding.name),
                         with_places(inventory_, finding.reason));
}

void Intake::plugin_changed(const std::string& name) {
  if (const PluginRecord* record = hub_->table().find(name)) describe(*record);
}

void Intake::handlers_changed() {
  Work work;
  work.apply = [](Durable& durable, Moment) { durable.reconciler.handlers_changed(); };
  pipeline_.submit(std::move(work));
}

void Intake::describe(const PluginRecord& record) {
  if (record.hello.transient) return;  // a script is no part of the machine
  Resource resource;
  resource.fmri = plugin_fmri(record.hello.name);
  resource.type = "plugin";
  auto& properties = resource.properties;
  properties["name"] = record.hello.name;
  properties["version"] = record.hello.version;
  properties["state"] = record.shown_state();
  properties["reason"] = with_places(inventory_, record.shown_reason());
  properties["connected"] = record.connected();
  if (record.has_unit) properties["unit"] = unit_of_plugin(record.hello.name);
  if (record.connected()) properties["pid"] = static_cast<int64_t>(record.process.pid);
  properties["events_received"] = record.events_received;
  properties["events_rejected"] = record.events_rejected;
  properties["commands_sent"] = record.commands_sent;
  properties["commands_failed"] = record.commands_failed;
  submit_own(std::move(resource));
}

void Intake::submit_own(Resource resource) {
  Work work;
  InventoryUpdate update;
  update.source = kSelfSource;
  update.resources.push_back(std::move(resource));
  work.inventory.push_back(std::move(update));
  pipeline_.submit(std::move(work));
}

void Intake::describe_service(bool starts_at_boot) {
  Resource resource;
  resource.fmri = kServiceResource;
  resource.type = "service";
  resource.properties["name"] = std::string("fmd");
  resource.properties["starts_at_boot"] = starts_at_boot;
  submit_own(std::move(resource));
}

void Intake::expect_known_plugins(const Inventory& inventory) {
  for (const auto& [fmri, resource] : inventory.all()) {
    if (resource.type != "plugin") continue;
    const auto parsed = Fmri::parse(fmri);
    if (!parsed || parsed->get("plugin").empty()) continue;
    hub_->table().expect(parsed->get("plugin"), resource.get("version"), resource.get("state"),
                         resource.get("reason"), !resource.get("unit").empty(),
                         clock_.kernel().boot_ns());
  }
}

// A plugin whose unit is gone was uninstalled and is not expected back.
void Intake::unit_told(const std::string& plugin, UnitState unit, uint32_t restarts) {
  if (const auto again = hub_->table().restarted(plugin, restarts)) plugin_finding(*again);
  const PluginTable::Told told = hub_->table().told(plugin, unit, clock_.kernel().boot_ns());
  if (told.finding) plugin_finding(*told.finding);
  if (told.removed) {
    InventoryUpdate update;
    update.source = kSelfSource;
    update.gone.push_back({plugin_fmri(plugin), "destroyed", ""});
    Work work;
    work.inventory.push_back(std::move(update));
    pipeline_.submit(std::move(work));
  } else if (told.changed) {
    plugin_changed(plugin);
  }
}

void Intake::refresh_plugin_resources() {
  for (const auto& [name, record] : hub_->table().all())
    if (record.connected()) describe(record);
}

}  // namespace fmd
