#include "plugins/disk/disk_plugin.h"

#include <syslog.h>
#include <time.h>

#include <utility>

namespace fmd::disk {
namespace {

using nlohmann::json;

constexpr std::chrono::milliseconds kCoalesce{
    100};  // a disk and its partitions come as many messages

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

json resource_json(const std::string& fmri, const Disk& disk, const std::string& content) {
  json properties = identity_json(disk);
  set_text(properties, "firmware", disk.identity.firmware);
  set_text(properties, "part_number", disk.identity.model);  // what one orders
  set_text(properties, "by_id", disk.by_id);
  set_text(properties, "diskseq", disk.diskseq);
  properties["rotational"] = disk.rotational;
  properties["transport"] = disk.transport;
  properties["content"] = content;
  return {{"fmri", fmri},
          {"type", "disk"},
          {"properties", std::move(properties)},
          {"edges", json::array()},
          {"present", true}};
}

}  // namespace

DiskPlugin::DiskPlugin(sd_event* loop, sdk::Host& host, const std::string& socket, Options options)
    : host_(host),
      options_(options),
      plugin_(loop, {"disk", {"sysevent.disk.*"}, {"refresh"}, {"dev://"}}, socket),
      inventory_(plugin_),
      content_(host, options.probe_deadline),
      periodic_(loop),
      soon_(loop) {
  plugin_.on_connected([this](const std::string&) {
    rescan();
    publish(true);
  });
  plugin_.on_command([this](const sdk::CommandRequest& request, const sdk::Plugin::Reply& reply) {
    on_command(request, reply);
  });
  if (host.real()) {
    auto udev = sdk::UdevMonitor::open(
        loop, {"block"}, [this](const sdk::UdevMonitor::Event& event) { on_udev(event); });
    if (udev)
      udev_ = std::move(*udev);
    else
      sdk::log(LOG_WARNING, udev.error().text() + "; looking from time to time only");
  }
  rescan();
}

void DiskPlugin::on_udev(const sdk::UdevMonitor::Event& event) {
  if (event.action == "change") touched_.insert(event.name);
  // Not moved by later ones: a storm of messages must not keep us from looking.
  if (!soon_.running()) soon_.start(kCoalesce, [this] { rescan(); });
}

void DiskPlugin::rescan() {
  soon_.stop();
  periodic_.start(options_.rescan, [this] { rescan(); });
  auto scan = scan_disks(host_);
  tell_status(scan);
  if (!scan) return;
  std::vector<std::string> lost;
  for (const auto& [fmri, known] : known_)
    if (!scan->disks.contains(fmri)) lost.push_back(fmri);
  for (const auto& fmri : lost) disappear(fmri);
  for (const auto& [fmri, disk] : scan->disks) {
    const auto known = known_.find(fmri);
    if (known == known_.end())
      appear(fmri, disk);
    else
      update(fmri, known->second, disk);
  }
  touched_.clear();
  looked_ = true;
  // The inventory first: an event's resource should be known.
  publish(false);
  if (!news_.empty()) plugin_.send_events(std::exchange(news_, {}), "");
}

void DiskPlugin::appear(const std::string& fmri, const Disk& disk) {
  known_[fmri] = {disk, disk.in_use ? "used" : "unknown"};
  // Disks that were there before us are no news.
  if (looked_) tell("sysevent.disk.added", fmri, disk);
  if (!disk.in_use) probe(fmri);
}

void DiskPlugin::update(const std::string& fmri, Known& known, const Disk& disk) {
  const bool another_appearance = known.disk.diskseq != disk.diskseq;
  const bool emptied = known.disk.in_use && !disk.in_use;
  const bool written = touched_.contains(disk.identity.name);
  known.disk = disk;
  if (disk.in_use) {
    known.content = "used";
  } else if (another_appearance || emptied || written) {
    // Until it is known again it must not be taken for blank.
    if (another_appearance || known.content == "blank") known.content = "unknown";
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
  content_.ask(key, disk.identity.name, [this, fmri, key, then](const std::string& content) {
    const auto known = known_.find(fmri);
    // It may have gone, or come anew, or been given partitions meanwhile.
    if (known != known_.end() && key_of(fmri, known->second.disk) == key) {
      known->second.content = known->second.disk.in_use ? "used" : content;
      publish(false);
    }
    if (then) then();
  });
}

void DiskPlugin::publish(bool complete) {
  std::map<std::string, json> resources;
  for (const auto& [fmri, known] : known_)
    resources.emplace(fmri, resource_json(fmri, known.disk, known.content));
  inventory_.send(std::move(resources), complete);
}

void DiskPlugin::tell(std::string_view event_class, const std::string& fmri, const Disk& disk) {
  news_.push_back({std::string(event_class), fmri, now_ns(), 0, identity_json(disk)});
}

void DiskPlugin::tell_status(const Result<DiskScan>& scan) {
  if (!scan)
    plugin_.send_status("not-observed", "no disks can be seen: " + scan.error().text());
  else if (!host_.has_tool("blkid"))
    plugin_.send_status("degraded", "blkid is not installed, so a blank disk cannot be recognised");
  else if (scan->nameless > 0)  // the system disk of a virtual machine, mostly
    plugin_.send_status("ok", std::to_string(scan->nameless) +
                                  " disk(s) without WWN and serial number are left out");
  else
    plugin_.send_status("ok", "");
}

void DiskPlugin::on_command(const sdk::CommandRequest& request, const sdk::Plugin::Reply& reply) {
  rescan();
  const auto known = known_.find(request.resource);
  if (known == known_.end() || known->second.disk.in_use)
    return reply({"done", "", json::object()});
  probe(request.resource, [reply] { reply({"done", "", json::object()}); });
}

}  // namespace fmd::disk
