#include "host.h"

#include <fmt/format.h>

#include <algorithm>

namespace fmd::score {
namespace {

constexpr int kShelfPlaces = 60, kBystanders = 12;

}  // namespace

const char* teller_name(Teller teller) {
  switch (teller) {
    case Teller::disk:
      return "disk";
    case Teller::system:
      return "system";
    case Teller::enclosure:
      return "enclosure";
    case Teller::zfs:
      return "zfs";
    case Teller::smart:
      return "smart";
    case Teller::cpu:
      return "cpu";
    case Teller::ipmi:
      return "ipmi";
  }
  return "";
}

const std::vector<ShapeSpec>& shapes() {
  static const std::vector<ShapeSpec> all = {
      {"tower", 1, 0, 6, false, false, 6, 0, 4},
      {"one controller", 1, 0, 8, false, false, 7, 1},
      {"two controllers", 2, 0, 8, false, false, 8, 0},
      {"controller and shelf", 1, 1, 24, false, false, 8, 0, 8, 2},
      {"two shelves", 2, 1, 12, false, false, 6, 0},
      {"cascaded shelves", 1, 3, 12, false, false, 12, 0},
      {"two paths", 2, 1, 24, true, false, 11, 2, 16, 2},
      {"two paths, cascaded", 2, 2, 12, true, false, 6, 0, 16, 2},
      {"NVMe behind bridges", 2, 0, 12, false, true, 8, 0, 16, 2},
      {"60 disks", 1, 1, 60, false, false, 10, 0, 8, 2},
      {"hyperconverged", 2, 0, 4, false, true, 4, 0, 24, 2},
      {"four shelves", 2, 2, 24, false, false, 8, 0, 16, 2},
      {"shelf, and three elsewhere", 2, 1, 12, false, false, 5, 0, 8, 1, 3},
      {"virtual machine", 1, 0, 8, false, false, 7, 1, 4, 1, 0, true},
  };
  return all;
}

Host::Host(const ShapeSpec& s, Variant variant, HostForm form)
    : spec(s), variant_(variant), form_(form) {
  build_paths();
  build_phys();
  build_shelves();
  build_pools();
  build_board();
  build_bmc();
  if (variant_ == Variant::bystanders) build_bystanders();
}

Resource& Host::add(Teller teller, const std::string& fmri, const char* type) {
  fmris_.push_back(fmri);
  Resource& r = told_[teller][fmri];
  r.fmri = fmri;
  r.type = type;
  return r;
}

void Host::add_hub(HubKind kind, int above) {
  const int at = static_cast<int>(hubs.size());
  const bool expander = kind == HubKind::expander;
  const std::string fmri = expander ? fmt::format("dev://sas=500304801f00{:04x}", number_of(at))
                                    : fmt::format("dev://pci=0000:{:02x}:00.0", number_of(at) + 1);
  Resource& r = add(Teller::system, fmri,
                    expander                      ? "expander"
                    : kind == HubKind::controller ? "hba"
                                                  : "pci");
  r.properties["name"] =
      text(expander ? fmt::format("expander {}", at) : fmt::format("host{}", at));
  const int way = above >= 0 ? hubs[static_cast<size_t>(above)].way : next_way_++;
  hubs.push_back({kind, fmri, above, way, {}});
  if (above >= 0)
    told_[Teller::system][hubs[static_cast<size_t>(above)].fmri].edges.push_back(
        {Relation::path, fmri});
}

void Host::add_disk(int shelf, std::vector<int> above) {
  const int at = static_cast<int>(disks.size());
  Disk d;
  d.fmri = fmt::format("dev://wwn=5000c500a{:07}", number_of(at) + 1);
  d.serial = fmt::format("ZA1{:04}", number_of(at) + 1);
  d.bay = fmt::format("hc://chassis=shelf{}/bay={}", shelf, number_of(at % kShelfPlaces));
  d.nvme = spec.nvme;
  d.hubs = std::move(above);
  Resource& r = add(Teller::disk, d.fmri, "disk");
  r.properties = {{"serial", text(d.serial)},
                  {"model", text("EXAMPLE 8TB")},
                  {"path", text(fmt::format("/dev/sd{}", at))},
                  {"transport", text(spec.nvme       ? "nvme"
                                     : spec.is_blind ? "virtio"
                                                     : "sas")}};
  if (!spec.multipath) r.properties["kernel_state"] = text(spec.nvme ? "live" : "running");
  for (int way = 0; way < (spec.multipath ? spec.controllers : 1); ++way) {
    d.paths.push_back(
        fmt::format("dev://path=pci-0000:0{}:00.0-sas-phy{}-lun-0", way + 1, number_of(at)));
    Resource& p = add(Teller::disk, d.paths.back(), "path");
    p.properties = {{"name", text(d.paths.back().substr(11))}, {"kernel_state", text("running")}};
    if (spec.multipath) p.properties["multipath_state"] = text("active");
    p.edges.push_back({Relation::path, d.fmri});
  }
  if (spec.multipath)
    for (const int hub : d.hubs) {
      const Hub& h = hubs[static_cast<size_t>(hub)];
      if (h.above >= 0) continue;
      Resource& hba = told_[Teller::disk][h.fmri];
      hba.fmri = h.fmri;
      hba.type = "hba";
      hba.edges.push_back({Relation::path, d.paths.at(static_cast<size_t>(h.way))});
    }
  if (spec.multipath) {
    d.map = fmt::format("dm://uuid=mpath-35000c500a{:07}", number_of(at) + 1);
    Resource& m = add(Teller::disk, d.map, "multipath");
    m.properties = {{"name", text(fmt::format("mpath{}", at))},
                    {"paths", number(spec.controllers)},
                    {"paths_missing", number(0)},
                    {"health", text("optimal")}};
    m.edges.push_back({Relation::path, d.fmri});
  }
  Resource& s = add(Teller::smart, d.fmri, "disk");
  s.properties = {{"smart.state", text("observed")},
                  {"smart.status", text("passed")},
                  {"smart.protocol", text(spec.nvme ? "nvme" : "scsi")},
                  {"smart.pending", number(0)}};
  for (const int hub : d.hubs) hubs[static_cast<size_t>(hub)].disks.push_back(at);
  disks.push_back(std::move(d));
}

// Controllers and the parts behind each. With multipath, the second controller has its own
// expanders, which lead to the same disks.
void Host::build_paths() {
  int shelf = 0;
  std::vector<std::vector<int>> ends;  // by shelf: all hubs that lead to it
  for (int c = 0; c < spec.controllers; ++c) {
    const int controller = static_cast<int>(hubs.size());
    add_hub(spec.nvme ? HubKind::bridge : HubKind::controller, -1);
    std::vector<int> chain{controller};
    if (spec.multipath) shelf = 0;
    for (int e = 0; e < std::max(spec.chain, 1); ++e, ++shelf) {
      if (spec.chain > 0) {
        add_hub(HubKind::expander, chain.front());
        chain.insert(chain.begin(), static_cast<int>(hubs.size()) - 1);
      }
      ends.resize(std::max(ends.size(), static_cast<size_t>(shelf) + 1));
      auto& end = ends[static_cast<size_t>(shelf)];
      end.insert(end.end(), chain.begin(), chain.end());
    }
  }
  for (size_t i = 0; i < ends.size(); ++i) {
    shelves.push_back(fmt::format("hc://chassis=shelf{}", i));
    const bool is_last = i + 1 == ends.size();
    const int count = is_last && spec.last > 0 ? spec.last : spec.disks;
    for (int d = 0; d < count; ++d) add_disk(static_cast<int>(i), ends[i]);
  }
  if (spec.is_blind) return;
  // Each part is attached to the nearest part on each path.
  for (const Disk& d : disks) {
    std::set<int> over;
    for (const int hub : d.hubs) over.insert(hubs[static_cast<size_t>(hub)].above);
    for (const int hub : d.hubs)
      if (!over.contains(hub))
        told_[Teller::system][hubs[static_cast<size_t>(hub)].fmri].edges.push_back(
            {Relation::path, d.fmri});
  }
}

void Host::build_phys() {
  if (spec.nvme) return;
  for (const Hub& hub : hubs) {
    if (hub.kind != HubKind::expander) continue;
    for (int n = 0; n < 4; ++n) {
      phys.push_back(fmt::format("{}/phy={}", hub.fmri, n));
      Resource& r = add(Teller::system, phys.back(), "phy");
      r.properties = {{"name", text(fmt::format("phy {}", n))}, {"invalid_dword_count", number(0)}};
    }
  }
}

void Host::build_shelves() {
  for (size_t i = 0; i < shelves.size(); ++i) {
    const std::string& shelf = shelves[i];
    Resource& box = add(Teller::enclosure, shelf, "enclosure");
    box.properties["label"] = text(fmt::format("Shelf {}", i));
    const auto part = [&](const char* type, int n, std::vector<std::string>& list) -> Resource& {
      const std::string fmri = fmt::format("{}/{}={}", shelf, type, n);
      box.edges.push_back({Relation::contains, fmri});
      list.push_back(fmri);
      Resource& r = add(Teller::enclosure, fmri, type);
      r.properties = {{"label", text(fmt::format("{} {}", type, n))}, {"enclosure", text(shelf)}};
      return r;
    };
    for (int n = 0; n < 2; ++n) {
      Resource& r = part("psu", n, supplies);
      r.properties["status"] = text("OK");
      r.properties["ac"] = text("ok");
    }
    for (int n = 0; n < 3; ++n) part("fan", n, fans).properties["status"] = text("OK");
    for (int n = 0; n < 3; ++n) {
      Resource& r = part("sensor", n, sensors);
      r.properties["kind"] = text("temperature");
      r.properties["status"] = text("ok");
    }
  }
  if (form_.bays == Bays::none || spec.is_blind) return;
  int place = 0;
  for (const Disk& d : disks) {
    Resource& bay = add(Teller::enclosure, d.bay, "bay");
    bay.properties = {{"label", text(fmt::format("SLOT {:02}", place++ % kShelfPlaces))},
                      {"led.fault", text("off")},
                      {"led.locate", text("off")}};
    if (form_.bays == Bays::tell) {
      bay.properties["occupied"] = Value(true);
      bay.properties["tells_empty"] = Value(true);
    }
    bay.edges.push_back({Relation::contains, d.fmri});
    auto& box = told_[Teller::enclosure][d.bay.substr(0, d.bay.find("/bay="))];
    box.edges.push_back({Relation::contains, d.bay});
  }
}

void Host::build_bystanders() {
  Resource& controller = add(Teller::system, "dev://pci=0000:f0:00.0", "hba");
  for (int n = 0; n < kBystanders; ++n) {
    Resource& disk = add(Teller::disk, fmt::format("dev://wwn=5000c500f{:07}", n), "disk");
    disk.properties = {{"serial", text(fmt::format("ZB{:05}", n))},
                       {"model", text("EXAMPLE 8TB")},
                       {"transport", text("sas")},
                       {"kernel_state", text("running")}};
    controller.edges.push_back({Relation::path, disk.fmri});
  }
}

std::vector<InventoryUpdate> Host::all() const {
  std::vector<InventoryUpdate> out;
  for (const auto& [teller, resources] : told_) {
    InventoryUpdate update;
    update.source = teller_name(teller);
    update.complete = true;
    for (const auto& [fmri, r] : resources) update.resources.push_back(r);
    out.push_back(std::move(update));
  }
  return out;
}

InventoryUpdate Host::set(Teller teller, const std::string& fmri, std::string_view property,
                          Value value) {
  if (!told_.at(teller).contains(fmri)) return {};  // no such bay
  const bool is_unknown = form_.bays != Bays::tell && property == "occupied";
  if (!is_unknown) told_.at(teller).at(fmri).properties[std::string(property)] = std::move(value);
  return put_back(teller, fmri);
}

InventoryUpdate Host::remove(Teller teller, const std::string& fmri) {
  InventoryUpdate update;
  update.source = teller_name(teller);
  update.gone.push_back({fmri, "removed", ""});
  return update;
}

InventoryUpdate Host::put_back(Teller teller, const std::string& fmri) {
  InventoryUpdate update;
  update.source = teller_name(teller);
  update.resources.push_back(told_.at(teller).at(fmri));
  return update;
}

}  // namespace fmd::score
