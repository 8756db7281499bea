#include "plugins/disk/disk_plugin.h"

#include <time.h>

#include <algorithm>
#include <utility>

#include "fmd/base/counted.h"
#include "plugins/sdk/messages.h"

namespace fmd::disk {
namespace {

using nlohmann::json;

constexpr std::chrono::milliseconds kCoalesce{100};  // a disk and its partitions: several events
constexpr size_t kMostUnacked = 8000;
constexpr const char* kSilent = "the kernel does not answer for the machine's disks";

const hardware::Content kInUse{hardware::Content::Kind::used,
                               "it has partitions, or something is built on it"};

int64_t now_ns() {
  timespec now{};
  clock_gettime(CLOCK_REALTIME, &now);
  return now.tv_sec * 1'000'000'000LL + now.tv_nsec;
}

std::string key_of(const std::string& fmri, const Disk& disk) {
  return fmri + "#" + disk.diskseq;
}

void set_text(json& properties, const char* name, const std::string& text) {
  if (!text.empty()) properties[name] = text;
}

std::string joined(const std::vector<std::string>& names) {
  std::string text;
  for (const auto& name : names) text += (text.empty() ? "" : ",") + name;
  return text;
}

json identity_json(const Disk& disk) {
  const auto& id = disk.identity;
  json properties{{"path", "/dev/" + id.name}, {"size_bytes", disk.size_bytes}};
  set_text(properties, "serial", id.serial);
  set_text(properties, "wwn", id.wwn);
  set_text(properties, "vendor", id.vendor);
  set_text(properties, "model", id.model);
  set_text(properties, "by_path", disk.by_path);
  return properties;
}

json resource_json(const std::string& fmri, const Disk& disk, const hardware::Content& content) {
  json properties = identity_json(disk);
  set_text(properties, "firmware", disk.identity.firmware);
  set_text(properties, "part_number", disk.identity.model);  // number for ordering a replacement
  set_text(properties, "by_id", disk.by_id);
  set_text(properties, "diskseq", disk.diskseq);
  set_text(properties, "paths", joined(disk.paths));
  if (disk.sector_bytes > 0) properties["sector_bytes"] = disk.sector_bytes;
  if (disk.physical_sector_bytes > 0)
    properties["physical_sector_bytes"] = disk.physical_sector_bytes;
  properties["rotational"] = disk.rotational;
  properties["transport"] = disk.transport;
  properties["content"] = hardware::content_name(content.kind);
  set_text(properties, "content_reason", content.reason);
  return sdk::resource(fmri, "disk", std::move(properties));
}

json way_json(const Way& way, std::string_view errors_by, bool disk_known) {
  json properties{{"name", way.id}, {"device", "/dev/" + way.name}, {"errors_by", errors_by}};
  set_text(properties, "kernel_state", way.state);
  set_text(properties, "nvme_state", nvme_state(way));
  set_text(properties, "ana_state", way.ana);
  if (way.io_errors) properties["io_errors"] = *way.io_errors;
  if (way.io_timeouts) properties["io_timeouts"] = *way.io_timeouts;
  json edges = json::array();
  if (disk_known) edges.push_back(sdk::edge("path", way.disk));
  return sdk::resource(way_fmri(way), "path", std::move(properties), std::move(edges));
}

// Adds the controller that the path starts at, so that a dead controller can be blamed.
void lead(std::map<std::string, json>& resources, const Way& way) {
  const auto [at, is_new] = resources.try_emplace(way.hba);
  if (is_new) at->second = sdk::resource(way.hba, "hba");
  at->second["edges"].push_back(sdk::edge("path", way_fmri(way)));
}

json file_system_json(const FileSystem& fs, const std::map<std::string, json>& disks) {
  json properties{{"name", fs.mount_point.empty() ? "/dev/" + fs.name : fs.mount_point},
                  {"fs_type", fs.type},
                  {"device", "/dev/" + fs.name}};
  set_text(properties, "uuid", fs.uuid);
  properties["read_only"] = fs.forced_read_only ? "forced" : "no";
  if (fs.errors) properties["errors"] = *fs.errors;
  const auto serials_of = [&](const std::vector<std::string>& fmris) {
    std::vector<std::string> serials;
    for (const auto& fmri : fmris)
      if (const auto disk = disks.find(fmri); disk != disks.end())
        serials.push_back(disk->second["properties"].value("serial", fmri));
    return joined(serials);
  };
  set_text(properties, "disks", serials_of(fs.disks));
  set_text(properties, "directly_on", joined(fs.direct_disks));
  return sdk::resource(file_system_fmri(fs), "filesystem", std::move(properties));
}

}  // namespace

DiskPlugin::DiskPlugin(sd_event* loop, sdk::Host& host, const std::string& socket, Options options)
    : host_(host),
      options_(options),
      plugin_(loop,
              {"disk",
               {"sysevent.disk.added", "sysevent.disk.removed", "sysevent.disk.path.*",
                "ereport.disk.io.*", "ereport.disk.path.*", "ereport.hba.*", "sysevent.hba.*",
                "ereport.fs.kernel_error"},
               {"refresh"},
               {"dev://"}},
              socket),
      inventory_(plugin_),
      scan_(std::make_shared<sdk::Flight>(host, options.scan_deadline)),
      content_(host, options.probe_deadline, options.read),
      watcher_(sdk::Watcher::Clock::of(loop), {options.rescan, kCoalesce, sdk::kCalmOfBlockDevices},
               {[this](bool asked) { look(asked); },
                [this] { return std::string(scan_->stuck() ? kSilent : ""); }}),
      errors_(
          loop, host, options.episode,
          [this](std::vector<sdk::OutEvent> events, const std::string& cursor) {
            plugin_.send_events(std::move(events), cursor);
            if (plugin_.unacked_events() <= kMostUnacked) return;
            errors_.pause(true);
            watcher_.news();  // the next look ends the pause
          },
          [this] {
            publish(false);
            tell_status();
          }) {
  plugin_.on_connected([this](const std::string& cursor) {
    if (!cursor_) cursor_ = cursor;
    begin_listening();
    watcher_.connected();
    if (looked_) publish(true);
  });
  plugin_.on_command([this](const sdk::CommandRequest& request, const sdk::Plugin::Reply& reply) {
    watcher_.refresh([this, request, reply](const std::string& trouble) {
      if (trouble.empty()) return answer(request, reply);
      reply({"failed", trouble, json::object()});
    });
  });
  udev_ = sdk::UdevMonitor::of_host(
      host, loop, {"block"}, [this](const sdk::UdevMonitor::Event& event) { on_udev(event); });
  watcher_.look();
}

// Starts once device names are known and fmd has sent its cursor.
void DiskPlugin::begin_listening() {
  if (looked_ && cursor_ && !errors_.started()) errors_.start(*cursor_);
}

void DiskPlugin::on_udev(const sdk::UdevMonitor::Event& event) {
  if (const auto action = event.properties.find("DM_ACTION"); action != event.properties.end()) {
    const auto word = [&](const char* name) {
      const auto at = event.properties.find(name);
      return at == event.properties.end() ? std::string() : at->second;
    };
    if (action->second == "PATH_FAILED") errors_.path_failed(word("DM_PATH"), word("DM_NAME"));
    if (action->second == "PATH_REINSTATED")
      errors_.path_reinstated(word("DM_PATH"), word("DM_NAME"));
  }
  if (event.action == "change") touched_next_.insert(event.name);
  watcher_.hint();
}

void DiskPlugin::look(bool asked) {
  touched_ = std::exchange(touched_next_, {});
  scan_->start(
      [this, asked] {
        // A refresh, or a write to the disk, reads the content again. Runs in the child, on its own
        // copy of this object.
        if (asked) before_ = {};
        for (const auto& name : touched_) before_.devices.erase(name);
        return to_bytes(options_.scan(host_, before_));
      },
      [this](const sdk::CommandOutput& output, bool same) { scanned(output, same); });
}

void DiskPlugin::scanned(const sdk::CommandOutput& output, bool same) {
  errors_.pause(plugin_.unacked_events() > kMostUnacked);
  const bool nothing_new = same && trouble_.empty() && touched_.empty() && !watcher_.complete_due();
  if (nothing_new) {
    errors_.know_the_same();
  } else {
    watcher_.news();
    auto scan = output.ok() ? from_bytes(output.out)
                            : Result<DeviceScan>(fail(output.explain("reading /sys/block")));
    trouble_ = scan ? "" : scan.error().text();
    if (scan) look_over(std::move(*scan));
  }
  tell_status();
  watcher_.over(scan_->stuck() ? kSilent : trouble_);
}

void DiskPlugin::look_over(DeviceScan scan) {
  const auto disks = disks_of(scan);
  errors_.know(scan.ways, disks);
  compare_ways(scan.ways);
  before_ = std::move(scan);
  take_in(disks);
  begin_listening();
}

void DiskPlugin::take_in(const std::map<std::string, Disk>& disks) {
  std::vector<std::string> lost;
  for (const auto& [fmri, known] : known_)
    if (!disks.contains(fmri)) lost.push_back(fmri);
  for (const auto& fmri : lost) disappear(fmri);
  for (const auto& [fmri, disk] : disks) {
    const auto known = known_.find(fmri);
    if (known == known_.end())
      appear(fmri, disk);
    else
      update(fmri, known->second, disk);
  }
  touched_.clear();
  looked_ = true;
  // Send the inventory first, so that fmd knows the resource of each event.
  publish(watcher_.complete_due());
  if (!news_.empty()) plugin_.send_events(std::exchange(news_, {}), "");
}

void DiskPlugin::appear(const std::string& fmri, const Disk& disk) {
  known_[fmri] = {disk, disk.in_use ? kInUse : hardware::Content{}};
  // Disks that were present before this process started are not reported as events.
  if (looked_) tell("sysevent.disk.added", fmri, disk);
  if (!disk.in_use) probe(fmri);
}

void DiskPlugin::update(const std::string& fmri, Known& known, const Disk& disk) {
  const bool another_appearance = known.disk.diskseq != disk.diskseq;
  const bool emptied = known.disk.in_use && !disk.in_use;
  const bool written = touched_.contains(disk.identity.name);
  known.disk = disk;
  if (disk.in_use) {
    known.content = kInUse;
  } else if (another_appearance || emptied || written) {
    // Unknown until it has been read again; it must not count as blank.
    if (another_appearance || known.content.kind == hardware::Content::Kind::blank)
      known.content = {};
    probe(fmri);
  }
}

void DiskPlugin::disappear(const std::string& fmri) {
  const Disk disk = std::move(known_[fmri].disk);
  known_.erase(fmri);
  tell("sysevent.disk.removed", fmri, disk);
}

void DiskPlugin::probe(const std::string& fmri, std::function<void()> then) {
  const Disk& disk = known_[fmri].disk;
  const std::string key = key_of(fmri, disk);
  content_.ask(key, disk.identity.name, [this, fmri, key, then](const hardware::Content& content) {
    const auto known = known_.find(fmri);
    // Meanwhile the disk may have gone, been replaced or been partitioned.
    if (known != known_.end() && key_of(fmri, known->second.disk) == key) {
      known->second.content = known->second.disk.in_use ? kInUse : content;
      publish(false);
    }
    if (then) then();
  });
}

// A path is published only if its disk has several paths or the path had errors.
bool DiskPlugin::is_told(const Way& way) const {
  const auto to = ways_to_.find(way.disk);
  return (to != ways_to_.end() && to->second > 1) || errors_.troubled(way) ||
         way.io_timeouts.value_or(0) > 0;
}

void DiskPlugin::compare_ways(const Ways& now) {
  std::set<std::string> before, after;
  const Ways& old = before_.ways;
  for (const auto& [name, way] : old.ways)
    if (is_told(way)) before.insert(way.id);
  ways_to_.clear();
  for (const auto& [name, way] : now.ways) ++ways_to_[way.disk];
  for (const auto& [name, way] : now.ways) after.insert(way.id);
  for (const auto& [name, way] : old.ways)
    if (before.contains(way.id) && !after.contains(way.id))
      news_.push_back({"sysevent.disk.path.removed",
                       way_fmri(way),
                       now_ns(),
                       0,
                       {{"path", way.id}, {"device", way.name}}});
  for (const auto& [name, way] : now.ways)
    if (looked_ && is_told(way) &&
        std::none_of(old.ways.begin(), old.ways.end(),
                     [&id = way.id](const auto& entry) { return entry.second.id == id; }))
      news_.push_back({"sysevent.disk.path.added",
                       way_fmri(way),
                       now_ns(),
                       0,
                       {{"path", way.id}, {"device", way.name}}});
}

namespace {

// By disk: whether any of its paths by native NVMe multipath can be used. A disk whose only path is
// dead is judged by its kernel_state.
std::map<std::string, std::string> nvme_paths(const Ways& ways) {
  std::map<std::string, std::set<std::string>> states;
  std::map<std::string, int> count;
  for (const auto& [name, way] : ways.ways)
    if (const std::string state = nvme_state(way); !state.empty()) {
      states[way.disk].insert(state);
      ++count[way.disk];
    }
  std::map<std::string, std::string> out;
  for (const auto& [disk, all] : states)
    out[disk] = all.contains("usable") ? "usable"
                : all.contains("changing") || (count[disk] == 1 && all.contains("lost"))
                    ? "changing"
                    : "none";
  return out;
}

}  // namespace

void DiskPlugin::add_ways(std::map<std::string, json>& resources) const {
  const auto usable = nvme_paths(before_.ways);
  for (const auto& [fmri, state] : usable)
    if (const auto disk = resources.find(fmri); disk != resources.end())
      disk->second["properties"]["nvme_paths"] = state;
  for (const auto& [name, way] : before_.ways.ways) {
    if (const auto to = ways_to_.find(way.disk);
        to != ways_to_.end() && to->second == 1 && !way.state.empty())
      if (const auto disk = resources.find(way.disk); disk != resources.end())
        disk->second["properties"]["kernel_state"] = way.state;
    if (!is_told(way)) continue;
    json& path = resources[way_fmri(way)];
    path = way_json(way, errors_.errors_by(), resources.contains(way.disk));
    if (const auto at = usable.find(way.disk); at != usable.end())
      path["properties"]["nvme_paths"] = at->second;
    if (!way.hba.empty()) lead(resources, way);
  }
  for (const FileSystem& fs : before_.ways.file_systems)
    if (!fs.disks.empty()) resources[file_system_fmri(fs)] = file_system_json(fs, resources);
}

void DiskPlugin::publish(bool complete) {
  std::map<std::string, json> resources;
  for (const auto& [fmri, known] : known_)
    resources.emplace(fmri, resource_json(fmri, known.disk, known.content));
  add_ways(resources);
  if (complete && plugin_.connected()) watcher_.complete_sent();
  inventory_.send(resources, complete);
}

void DiskPlugin::tell(std::string_view event_class, const std::string& fmri, const Disk& disk) {
  json payload = identity_json(disk);
  set_text(payload, "transport", disk.transport);
  news_.push_back({std::string(event_class), fmri, now_ns(), 0, std::move(payload)});
}

void DiskPlugin::tell_status() {
  if (scan_->stuck() && looked_)  // the known state may be old
    plugin_.send_status("degraded", kSilent);
  else if (!trouble_.empty())
    plugin_.send_status("degraded", "no disks can be seen: " + trouble_);
  else if (!host_.has_tool("blkid"))
    plugin_.send_status("degraded", "blkid is not installed, so a blank disk cannot be recognised");
  else if (host_.real() && errors_.started() && errors_.errors_by() == "counters" &&
           !known_.empty())
    // Normal in a container: the host's fmd sees the disks.
    plugin_.send_status(host_.exists("/run/systemd/container") ? "ok" : "degraded",
                        "the kernel's own disk errors are not observed: neither tracefs nor "
                        "/dev/kmsg can be read");
  else if (const std::string unread = errors_.unread(); !unread.empty())
    plugin_.send_status("degraded", unread);
  else if (before_.nameless > 0)  // usually the system disk of a virtual machine
    plugin_.send_status(
        "ok", "left out: " + counted(before_.nameless, "disk") + " without WWN and serial number");
  else
    plugin_.send_status("ok", errors_.missing());
}

// Called after a look that began once the request had arrived.
void DiskPlugin::answer(const sdk::CommandRequest& request, const sdk::Plugin::Reply& reply) {
  const auto known = known_.find(request.resource);
  if (known == known_.end() || known->second.disk.in_use)
    return reply({"done", "", json::object()});
  probe(request.resource, [reply] { reply({"done", "", json::object()}); });
}

}  // namespace fmd::disk
