#include "ui/cli/topology.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <vector>

#include "fmd/base/capacity.h"
#include "fmd/base/json.h"
#include "fmd/base/natural_less.h"
#include "fmd/base/text.h"
#include "ui/cli/commands.h"
#include "ui/cli/daemon.h"
#include "ui/cli/layout.h"
#include "ui/cli/topology_graph.h"
#include "ui/client/documents.h"

namespace fmd::cli {
namespace {

constexpr size_t kMaxDepth = 16;

std::string scheme_of(std::string_view fmri) {
  return std::string(fmri.substr(0, fmri.find("://")));
}

// The order of the parts on one level; other types come between "sensor" and "plugin".
int rank(std::string_view type) {
  constexpr std::array<std::string_view, 14> kOrder = {
      "system",    "enclosure", "bay",      "psu",      "fan", "cpu", "dimm",
      "edac-dimm", "hba",       "expander", "pci-slot", "nic", "pci", "sensor"};
  if (type == "plugin") return static_cast<int>(kOrder.size()) + 1;
  return static_cast<int>(std::find(kOrder.begin(), kOrder.end(), type) - kOrder.begin());
}

bool comes_before(const Resource* a, const Resource* b) {
  const int left = rank(a->type), right = rank(b->type);
  // Members of a pool come in the order of `zpool status`.
  const std::string first = a->get("position"), second = b->get("position");
  if (a->type == b->type && !first.empty() && !second.empty() && first != second)
    return natural_less(first, second);
  return left != right ? left < right : natural_less(a->fmri, b->fmri);
}

// Numerous parts that are never replaced: shown only on request.
bool is_detail(const Resource& r) {
  if (r.type == "core" || r.type == "thread" || r.type == "phy" || r.type == "path") return true;
  return r.type == "pci" && (r.get("class").starts_with("06") || r.get("class").starts_with("08"));
}

// The properties shown after the FMRI, by type.
std::vector<std::string_view> properties_shown(std::string_view type) {
  if (type == "system") return {"name", "vendor", "model", "serial"};
  if (type == "cpu") return {"label", "model", "cores", "threads", "collector"};
  if (type == "psu" || type == "fan") return {"label", "status", "reason", "value"};
  if (type == "dimm" || type == "edac-dimm")
    return {"label", "size_bytes", "manufacturer", "part_number", "serial"};
  if (type == "hba" || type == "pci")
    return {"label", "class_name", "vendor", "model", "board", "name", "driver"};
  if (type == "filesystem") return {"name", "fs_type", "device", "disks", "errors"};
  if (type == "nic") return {"name", "driver", "speed_mbps", "link"};
  if (type == "sensor") return {"label", "value", "status"};
  if (type == "phy") return {"name", "link_rate"};
  if (type == "disk") return {"model", "serial", "path", "size_bytes"};
  return {"label", "name", "model", "serial", "path", "health", "state", "service"};
}

std::string shown(const Resource& r, std::string_view property) {
  const std::string value = r.get(property);
  // The part is only known from the chassis description; no sensor reports it.
  if (value.empty() && property == "status" && r.type != "sensor") return "not observed";
  if (value.empty()) return {};
  const bool usual = (property == "service" && value == "in-service") ||
                     (property == "status" && (value == "ok" || value == "OK"));
  if (usual) return {};
  if (property == "collector")
    return value == "active" ? "corrected memory errors kept by the kernel (RAS_CEC)" : "";
  if (property == "size_bytes") {
    const auto bytes = static_cast<uint64_t>(std::clamp(number_of(r, property, 0), 0.0, 1e18));
    return r.type == "disk" ? format_capacity(bytes) : format_bytes(bytes);
  }
  if (property == "cores" || property == "threads")
    return clean(value) + " " + std::string(property);
  if (property == "speed_mbps") return clean(value) + " Mbit/s";
  if (property == "value" && !r.get("unit").empty()) return clean(value + " " + r.get("unit"));
  return clean(value);
}

// The property with the part's name, shown before its FMRI; "" if the FMRI is the only name.
std::string_view name_property(const Resource& r) {
  for (const std::string_view property : {"label", "name"})
    if (!r.get(property).empty()) return property;
  return r.type == "disk" ? "path" : "";
}

}  // namespace

std::string part_summary(const Resource& r) {
  std::string text;
  for (const std::string_view property : properties_shown(r.type))
    if (property == name_property(r))
      continue;
    else if (const std::string value = shown(r, property); !value.empty())
      text += (text.empty() ? "" : "  ") + value;
  if (!r.present) text += text.empty() ? "not present" : "  (not present)";
  return text;
}

std::string part_name(const Resource& r) {
  return clean(r.get(name_property(r)));
}

namespace {

struct Accusation {
  std::string uuid, severity;
};
using Accused = std::map<std::string, Accusation, std::less<>>;  // FMRI → the most severe open case

Result<Accused> accused_parts(Client& client) {
  const auto cases = ui::fetch_cases(client, nlohmann::json::object());
  if (!cases) return tl::unexpected(cases.error());
  Accused accused;
  for (const Case& c : *cases) {
    if (!c.open() || c.state == CaseState::unsolved) continue;
    for (const Suspect& s : c.suspects) {
      if (s.status != SuspectStatus::faulty) continue;
      for (const std::string& fmri : {s.fru, s.asru, s.resource}) {
        const auto at = accused.find(fmri);
        if (fmri.empty() || (at != accused.end() &&
                             severity_rank(at->second.severity) >= severity_rank(c.severity)))
          continue;
        accused[fmri] = {c.uuid, c.severity};
      }
    }
  }
  return accused;
}

class Tree {
 public:
  Tree(const Inventory& inventory, const Accused& accused, const TopoOptions& options)
      : inventory_(inventory),
        accused_(accused),
        options_(options),
        details_(options.all || !options.scheme.empty() || !options.part.empty()) {}

  std::string all() {
    std::vector<const Resource*> roots, others;
    for (const auto& [fmri, resource] : inventory_.all())
      (is_root(resource) ? roots : others).push_back(&resource);
    std::sort(roots.begin(), roots.end(), comes_before);
    for (const Resource* root : roots) add(*root, 0);
    // Parts that are reachable only through a cycle have no root.
    for (const Resource* other : others)
      if (!shown_.contains(other->fmri) && (details_ || !is_hidden(*other))) add(*other, 0);
    return std::move(out_);
  }
  std::string below(const Resource& resource) {
    add(resource, 0);
    return std::move(out_);
  }

 private:
  const Inventory& inventory_;
  const Accused& accused_;
  const TopoOptions& options_;
  const bool details_;
  std::set<std::string_view> shown_;
  std::string out_;

  bool is_root(const Resource& r) const {
    if (!inventory_.parents(r.fmri, Relation::contains).empty() ||
        !inventory_.parents(r.fmri, Relation::redundancy).empty())
      return false;
    const bool fabric = r.type == "expander" || r.type == "phy";
    return !fabric || inventory_.parents(r.fmri, Relation::path).empty();
  }

  // A detail, or a part that only details contain.
  bool is_hidden(const Resource& r) const {
    if (is_detail(r)) return true;
    const auto holders = inventory_.parents(r.fmri, Relation::contains);
    return !holders.empty() && std::all_of(holders.begin(), holders.end(),
                                           [](const Resource* h) { return is_detail(*h); });
  }

  // Skips details in between: an HBA is followed by its expanders, not by its phys.
  void collect_path(const Resource& r, std::vector<const Resource*>& out) const {
    for (const Edge& edge : r.edges) {
      const Resource* next = edge.relation == Relation::path ? inventory_.find(edge.to) : nullptr;
      if (!next) continue;
      if (next->type == "phy" && r.type != "phy" && !details_)
        collect_path(*next, out);
      else if (next->type == "expander" || (details_ && (next->type == "phy" || r.type == "phy")))
        out.push_back(next);
    }
  }

  std::vector<const Resource*> children(const Resource& r) const {
    std::vector<const Resource*> out;
    for (const Edge& edge : r.edges)
      if (edge.relation == Relation::contains || edge.relation == Relation::redundancy)
        if (const Resource* found = inventory_.find(edge.to))
          if (details_ || !is_detail(*found)) out.push_back(found);
    if (r.type == "hba" || r.type == "expander" || r.type == "phy") collect_path(r, out);
    std::sort(out.begin(), out.end(), comes_before);
    out.erase(std::unique(out.begin(), out.end()), out.end());
    return out;
  }

  void add(const Resource& r, size_t depth) {
    const bool again = !shown_.insert(r.fmri).second;
    const bool wanted = options_.scheme.empty() || scheme_of(r.fmri) == options_.scheme;
    // With a scheme, bay and vdev are not printed, so a second line for a disk adds nothing.
    const bool tells = !again || options_.scheme.empty() || depth > 0;
    if (wanted && tells) line(r, depth, again);
    if (again || depth >= kMaxDepth) return;  // a disk is below both its bay and its vdev
    for (const Resource* child : children(r)) add(*child, depth + (wanted ? 1 : 0));
  }

  void line(const Resource& r, size_t depth, bool again) {
    const std::string called = part_name(r);
    std::string head = std::string(depth * 2, ' '), text = part_summary(r);
    if (const auto at = accused_.find(r.fmri); at != accused_.end()) {
      head += painted(called.empty() ? "FAULTY" : called + "  FAULTY",
                      tone_of_severity(at->second.severity)) +
              "  ";
      text += (text.empty() ? "case " : "  case ") + clean(at->second.uuid.substr(0, 8));
    } else if (!called.empty()) {
      head += called + "  ";
    }
    head += painted(clean(r.fmri), called.empty() ? Tone::plain : Tone::faint);
    const std::string below(depth * 2 + 4, ' ');
    // On the FMRI's line if there is room, otherwise below it.
    if (columns(head) + 2 + columns(text) <= width())
      out_ += head + (text.empty() ? "" : "  " + text) + '\n';
    else if (columns(below) + columns(text) <= width())
      out_ += head + '\n' + below + text + '\n';
    else
      out_ += head + '\n' + wrapped(below, text, depth * 2 + 4, width());
    if (!options_.properties || again) return;
    for (const auto& [name, value] : r.properties) property(name, to_text(value), depth * 2 + 4);
  }

  void property(const std::string& name, const std::string& value, size_t indent) {
    const std::string head = std::string(indent, ' ') + pad(clean(name), 18) + " = ",
                      text = clean(value);
    if (columns(head) + columns(text) <= width())
      out_ += head + text + '\n';
    else
      out_ += wrapped(head, text, indent + 4);
  }
};

}  // namespace

Result<std::vector<const Resource*>> parts_meant(const Inventory& inventory,
                                                 const TopoOptions& options) {
  std::vector<const Resource*> found = inventory.lookup(options.part);
  if (!found.empty()) return found;
  return fail("nothing is known as \"" + clean(options.part) +
              "\"; fmtopo without arguments shows everything");
}

Result<void> topology(Client& client, const TopoOptions& options) {
  nlohmann::json filter = nlohmann::json::object();
  if (options.json && !options.scheme.empty()) filter["scheme"] = options.scheme;
  auto list = client.query("ListResources", filter);
  if (!list) return tl::unexpected(list.error());
  Surroundings around;
  if (auto added = around.add_resources(*list); !added) return tl::unexpected(added.error());
  if (options.why) return print_why(client, around.inventory, options);
  if (options.graph) return print_graph(around.inventory, options);
  if (options.part.empty() && options.json) return print(json_text(*list));
  const auto accused = accused_parts(client);
  if (!accused) return tl::unexpected(accused.error());
  if (options.part.empty()) {
    const std::string text = Tree(around.inventory, *accused, options).all();
    if (!text.empty()) return print(text);
    return print(options.scheme.empty() || around.inventory.all().empty()
                     ? "Nothing is known yet.\n"
                     : "Nothing of the scheme " + options.scheme + " is known.\n");
  }
  const auto found = parts_meant(around.inventory, options);
  if (!found) return tl::unexpected(found.error());
  nlohmann::json docs = nlohmann::json::array();
  std::string text;
  for (const Resource* resource : *found) {
    docs.push_back(Inventory::to_json(*resource));
    text += Tree(around.inventory, *accused, options).below(*resource);
  }
  return print(options.json ? json_text(docs) : text);
}

}  // namespace fmd::cli
