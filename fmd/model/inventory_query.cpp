// Questions to the inventory: relations, and where a part sits.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <deque>

#include "fmd/base/text.h"
#include "fmd/model/fmri.h"
#include "fmd/model/inventory.h"
#include "fmd/model/owners.h"

namespace fmd {
namespace {

constexpr std::array<std::pair<std::string_view, Relation>, 5> kRelations{
    {{"contains", Relation::contains},
     {"path", Relation::path},
     {"power", Relation::power},
     {"cooling", Relation::cooling},
     {"redundancy", Relation::redundancy}}};

bool has_scheme(const Resource& r, std::string_view scheme) {
  return r.fmri.starts_with(scheme) && std::string_view(r.fmri).substr(scheme.size(), 3) == "://";
}

bool describes_led(const Resource& r) {
  return std::any_of(r.properties.begin(), r.properties.end(),
                     [](const auto& property) { return property.first.starts_with("led."); });
}

}  // namespace

Result<Relation> parse_relation(std::string_view name) {
  std::vector<std::string> names;
  for (const auto& [known, relation] : kRelations) {
    if (known == name) return relation;
    names.emplace_back(known);
  }
  const auto near = nearest(name, names);
  return fail(fmt::format("unknown relation \"{}\"; {}", display(name),
                          near ? fmt::format("is \"{}\" meant?", *near)
                               : fmt::format("it is one of {}", fmt::join(names, ", "))));
}

std::string_view relation_name(Relation relation) {
  for (const auto& [name, known] : kRelations)
    if (known == relation) return name;
  return "";
}

std::vector<std::string> Inventory::described_by(std::string_view fmri) const {
  const Part* told = part(fmri);
  if (!told || !told->known) return {};
  const std::string_view acting = acting_plugin(fmri);
  std::vector<std::string> all, of_led;
  bool has_led = false;
  for (const Word& word : told->words) {
    if (!word.declared) continue;
    const std::string& source = sources_[word.source].source;
    const bool led = describes_led(told->said(word));
    has_led = has_led || led;
    all.push_back(source);
    if (led || source == acting) of_led.push_back(source);
  }
  return has_led ? of_led : all;
}

std::vector<const Resource*> Inventory::parents(std::string_view fmri, Relation relation) const {
  std::vector<const Resource*> out;
  const Part* known = part(fmri);
  if (!known) return out;
  for (const Part* from : known->tied) {
    for (const Edge& edge : from->merged.edges)
      if (edge.relation == relation && edge.to == fmri) {
        out.push_back(&from->merged);
        break;
      }
  }
  // The bay that the bays' owner reports comes first. Another plugin may report the disk in a bay of
  // its own.
  if (relation == Relation::contains && out.size() > 1)
    std::stable_partition(out.begin(), out.end(),
                          [](const Resource* r) { return has_main_owner(r->fmri); });
  // Present parts come first.
  std::stable_partition(out.begin(), out.end(), [](const Resource* r) { return r->present; });
  return out;
}

const Resource* Inventory::ascend(std::string_view fmri, Relation relation,
                                  std::string_view scheme) const {
  std::deque<std::string_view> open{fmri};
  std::set<std::string_view> seen{fmri};
  while (!open.empty()) {
    const std::string_view below = open.front();
    open.pop_front();
    for (const Resource* r : parents(below, relation)) {
      if (!seen.insert(r->fmri).second) continue;
      if (has_scheme(*r, scheme)) return r;
      open.push_back(r->fmri);
    }
  }
  return nullptr;
}

const Resource* Inventory::descend(std::string_view fmri, Relation relation,
                                   std::string_view scheme) const {
  std::deque<const Resource*> open;
  std::set<std::string_view> seen;
  if (const Resource* start = find(fmri)) open.push_back(start);
  while (!open.empty()) {
    const Resource* r = open.front();
    open.pop_front();
    if (!seen.insert(r->fmri).second) continue;
    if (has_scheme(*r, scheme)) return r;
    for (const Edge& edge : r->edges)
      if (const Resource* next = edge.relation == relation ? find(edge.to) : nullptr)
        open.push_back(next);
  }
  return nullptr;
}

const Value* Inventory::inherited(std::string_view fmri, Relation relation,
                                  std::string_view property) const {
  std::deque<const Resource*> open;
  std::set<std::string_view> seen;
  if (const Resource* start = find(fmri)) open.push_back(start);
  while (!open.empty()) {
    const Resource* r = open.front();
    open.pop_front();
    if (!seen.insert(r->fmri).second) continue;
    if (const auto at = r->properties.find(property);
        at != r->properties.end() && !std::holds_alternative<std::monostate>(at->second))
      return &at->second;
    for (const Resource* parent : parents(r->fmri, relation)) open.push_back(parent);
  }
  return nullptr;
}

std::string Inventory::fru_path(std::string_view fmri) const {
  if (fmri.starts_with("hc://")) return std::string(fmri);
  const auto holders = parents(fmri, Relation::contains);
  const auto holder = std::find_if(holders.begin(), holders.end(),
                                   [](const Resource* r) { return r->fmri.starts_with("hc://"); });
  return holder == holders.end() ? std::string(fmri) : fru_path(fmri, **holder);
}

std::string Inventory::fru_path(std::string_view fmri, const Resource& holder) const {
  const Resource* part = find(fmri);
  Result<Fmri> path = Fmri::parse(holder.fmri);
  if (!part || !path) return std::string(fmri);
  std::string serial = part->get("serial");
  if (serial.empty()) serial = part->get("wwn");
  if (serial.empty()) return std::string(fmri);
  path->parts.emplace_back(part->type.empty() ? "part" : part->type, serial);
  return path->str();
}

std::string Inventory::location(std::string_view fmri) const {
  std::set<std::string> seen;
  std::vector<std::string> open{std::string(fmri)};
  while (!open.empty()) {
    const std::string at = std::move(open.back());
    open.pop_back();
    if (!seen.insert(at).second) continue;
    const Resource* r = find(at);
    if (r && r->type == "bay") {
      const std::string label = r->get("label");
      if (!label.empty()) return label;
      const std::string slot = r->get("slot");
      if (!slot.empty()) return "bay " + slot;
    }
    if (const std::string printed = r ? r->printed_name() : ""; !printed.empty()) return printed;
    // A path, and the phy that it uses, are located at its disk.
    if (r && (r->type == "path" || r->type == "phy"))
      for (const Edge& edge : r->edges)
        if (const Resource* disk = edge.relation == Relation::path ? find(edge.to) : nullptr;
            disk && disk->type == "disk")
          open.push_back(edge.to);
    const auto holders = parents(at, Relation::contains);
    for (auto holder = holders.rbegin(); holder != holders.rend(); ++holder)
      open.push_back((*holder)->fmri);
  }
  return {};
}

}  // namespace fmd
