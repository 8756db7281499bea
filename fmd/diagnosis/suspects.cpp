#include "fmd/diagnosis/suspects.h"

#include <algorithm>
#include <array>
#include <set>

#include "fmd/model/fmri.h"

namespace fmd {
namespace {

using By = CaseBook::By;

constexpr std::array kRelations{Relation::contains, Relation::path, Relation::power,
                                Relation::cooling, Relation::redundancy};

// The bay that holds it, or that it is.
const Resource* bay_of(const Inventory& inventory, const std::string& fru) {
  if (const Resource* r = inventory.find(fru); r && r->type == "bay") return r;
  for (const Resource* holder : inventory.parents(fru, Relation::contains))
    if (holder->type == "bay" && holder->present) return holder;
  return nullptr;
}

// Something else uses what sits there now.
bool is_taken(const Inventory& inventory, const Resource& bay, const std::string& fru) {
  return std::any_of(bay.edges.begin(), bay.edges.end(), [&](const Edge& edge) {
    if (edge.relation != Relation::contains || edge.to == fru) return false;
    const auto users = inventory.parents(edge.to, Relation::redundancy);
    const Resource* there = inventory.find(edge.to);
    return there && there->present && !users.empty() && users.front()->present;
  });
}

bool fill(std::string& field, const std::string& value) {
  if (!field.empty() || value.empty()) return false;
  field = value;
  return true;
}

// The last bay of an absent part. None if another disk is in it by now: the bay's light would point
// to that one.
bool fill_last_bay(const Context& context, Suspect& s) {
  const Tenancy* stay = context.bays ? context.bays->last_of(s.fru) : nullptr;
  const Resource* bay = stay ? context.inventory.find(stay->bay) : nullptr;
  if (!bay) return stay && fill(s.location, stay->label);
  bool learnt = fill(s.location, context.inventory.location(bay->fmri));
  if (is_taken(context.inventory, *bay, s.fru)) return learnt;
  s.bay = bay->fmri;
  s.fru_path = context.inventory.fru_path(s.fru, *bay);
  return true;
}

struct ByUuid {
  bool operator()(const Case* a, const Case* b) const { return a->uuid < b->uuid; }
};
using CaseSet = std::set<Case*, ByUuid>;

void add(CaseSet& out, const CaseBook::List& list) {
  out.insert(list.begin(), list.end());
}

// All parts above or below along one relation, including itself. Parts that are not in the
// inventory have names as well.
std::set<std::string> reached(const Inventory& inventory, const std::string& fmri,
                              Relation relation, bool upwards) {
  std::set<std::string> seen;
  std::vector<std::string> open{fmri};
  while (!open.empty()) {
    const std::string name = std::move(open.back());
    open.pop_back();
    if (!seen.insert(name).second) continue;
    if (upwards) {
      for (const Resource* above : inventory.parents(name, relation)) open.push_back(above->fmri);
    } else if (const Resource* r = inventory.find(name)) {
      for (const Edge& edge : r->edges)
        if (edge.relation == relation) open.push_back(edge.to);
    }
  }
  return seen;
}

}  // namespace

std::vector<std::string> Context::around(const Suspect& suspect) const {
  std::vector<std::string> open{suspect.asru, suspect.resource, suspect.fru}, all;
  std::set<std::string> seen{""};
  while (!open.empty()) {
    const std::string fmri = std::move(open.back());
    open.pop_back();
    if (!seen.insert(fmri).second) continue;
    all.push_back(fmri);
    for (const Resource* whole : inventory.parents(fmri, Relation::redundancy))
      open.push_back(whole->fmri);
  }
  return all;
}

void Context::look_again(const Suspect& suspect) {
  for (std::string& fmri : around(suspect)) recheck.push_back(std::move(fmri));
  for (const Rule& rule : rules->rules()) {
    const auto& faults = rule.unless_elsewhere;
    if (std::find(faults.begin(), faults.end(), suspect.fault_class) == faults.end()) continue;
    for (const auto& [fmri, resource] : inventory.all())
      if (resource.type == rule.resource_type) recheck.push_back(fmri);
  }
}

Suspect make_suspect(const Context& context, const Rule& rule, const std::string& resource) {
  Suspect s;
  s.fault_class = rule.fault->name;
  s.certainty = rule.certainty;
  s.resource = resource;
  s.asru = resource;
  s.repair_on = rule.fault->repair.on;
  // A device is replaced itself, unless the fault says otherwise.
  if (!rule.fault->fru.follow && resource.starts_with("dev://")) s.fru = resource;
  fill_fru(context, s);
  return s;
}

bool fill_fru(const Context& context, Suspect& s) {
  const Inventory& inventory = context.inventory;
  bool learnt = false;
  const FaultClass* fault = context.rules->fault(s.fault_class);
  if (s.fru.empty() && fault && fault->fru.follow) {
    const FruSearch& search = fault->fru;
    if (const Resource* fru = search.upwards
                                  ? inventory.ascend(s.asru, *search.follow, search.scheme)
                                  : inventory.descend(s.asru, *search.follow, search.scheme))
      learnt = fill(s.fru, fru->fmri);
  }
  const Resource* fru = s.fru.empty() ? nullptr : inventory.find(s.fru);
  // A suspect bay, and a bay whose disk is not visible, is its own location.
  const Resource* part = fru ? nullptr : inventory.find(s.asru);
  if (part && part->type == "bay") learnt |= fill(s.location, inventory.location(s.asru));
  if (!fru) return learnt;
  learnt |= fill(s.serial, fru->get("serial"));
  learnt |= fill(s.model, fru->get("model"));
  learnt |= fill(s.part_number, fru->get("part_number"));
  learnt |= fill(s.device_path, fru->get("path"));
  const Resource* bay = fru->present ? bay_of(inventory, s.fru) : nullptr;
  if (bay && bay->fmri != s.bay) {
    s.bay = bay->fmri;
    s.location = inventory.location(s.fru);
    s.fru_path = inventory.fru_path(s.fru);
    return true;
  }
  if (!fru->present && s.bay.empty()) learnt |= fill_last_bay(context, s);
  if (s.location.empty()) learnt |= fill(s.location, inventory.location(s.fru));
  if (s.fru_path.empty() || s.fru_path == s.fru) {
    const std::string path = inventory.fru_path(s.fru);
    learnt |= path != s.fru_path;
    s.fru_path = path;
  }
  return learnt;
}

std::optional<bool> left_bay_is(const Context& context, const std::string& disk,
                                const MemberValues& wanted) {
  const Inventory& inventory = context.inventory;
  const Resource* gone = inventory.find(disk);
  const Tenancy* stay = context.bays ? context.bays->last_of(disk) : nullptr;
  const Resource* bay = stay ? inventory.find(stay->bay) : nullptr;
  if (!gone || gone->present || !bay || !bay->present) return {};
  for (const Edge& edge : bay->edges)
    if (const Resource* there = inventory.find(edge.to);
        edge.relation == Relation::contains && edge.to != disk && there && there->present)
      return false;
  for (const auto& [property, values] : wanted) {
    const auto at = bay->properties.find(property);
    if (at == bay->properties.end()) return {};
    if (std::none_of(values.begin(), values.end(),
                     [&](const Value& v) { return equal_values(at->second, v); }))
      return false;
  }
  return true;
}

bool same_part(const Suspect& a, const Suspect& b) {
  return a.asru == b.asru || a.resource == b.resource || a.resource == b.fru ||
         a.fru == b.resource || (!a.fru.empty() && a.fru == b.fru);
}

bool stands_against(const CaseBook& book, const std::vector<std::string>& faults,
                    const std::string& resource, OfCases which) {
  if (faults.empty()) return false;
  const CaseBook::List& about = book.by(By::resource, resource);
  return std::any_of(about.begin(), about.end(), [&](const Case* c) {
    return c->state != CaseState::unsolved && (which == OfCases::all || !c->acknowledged) &&
           std::any_of(c->suspects.begin(), c->suspects.end(), [&](const Suspect& s) {
             return s.resource == resource && s.status == SuspectStatus::faulty &&
                    std::find(faults.begin(), faults.end(), s.fault_class) != faults.end();
           });
  });
}

bool stands_elsewhere(const CaseBook& book, const std::vector<std::string>& faults,
                      const std::string& resource) {
  const auto box_of = [](const std::string& fmri) {
    const auto parsed = Fmri::parse(fmri);
    return parsed && !parsed->parts.empty() ? parsed->parts.front().second : std::string();
  };
  const std::string box = faults.empty() ? "" : box_of(resource);
  if (box.empty()) return false;
  return std::any_of(book.all().begin(), book.all().end(), [&](const auto& entry) {
    const Case& c = entry.second;
    return is_convictable(c) &&
           std::any_of(c.suspects.begin(), c.suspects.end(), [&](const Suspect& s) {
             return s.status == SuspectStatus::faulty && s.resource != resource &&
                    std::find(faults.begin(), faults.end(), s.fault_class) != faults.end() &&
                    box_of(s.resource) == box;
           });
  });
}

bool is_convictable(const Case& c) {
  return c.state == CaseState::solved || c.state == CaseState::close_wait ||
         c.state == CaseState::closed;
}

std::vector<Case*> same_part_cases(const CaseBook& book, const Suspect& suspect,
                                   const Case* except) {
  CaseSet found;
  add(found, book.by(By::asru, suspect.asru));
  add(found, book.by(By::resource, suspect.resource));
  add(found, book.by(By::fru, suspect.resource));
  if (!suspect.fru.empty()) {
    add(found, book.by(By::resource, suspect.fru));
    add(found, book.by(By::fru, suspect.fru));
  }
  std::erase_if(found, [&](const Case* c) {
    return c == except || !is_convictable(*c) ||
           std::none_of(c->suspects.begin(), c->suspects.end(), [&](const Suspect& s) {
             return s.status == SuspectStatus::faulty && same_part(s, suspect);
           });
  });
  return {found.begin(), found.end()};
}

std::vector<Case*> concerned_cases(const CaseBook& book, const Inventory& inventory,
                                   const std::vector<InventoryChange>& changes) {
  CaseSet out;
  for (const InventoryChange& change : changes) {
    for (const By name : {By::resource, By::asru, By::fru, By::bay})
      add(out, book.by(name, change.fmri));
    for (const std::string& part : reached(inventory, change.fmri, Relation::contains, false))
      add(out, book.by(By::fru, part));
    for (const Resource* holder : inventory.parents(change.fmri, Relation::contains))
      add(out, book.by(By::bay, holder->fmri));
    for (const Edge& edge : change.was().edges)
      if (edge.relation == Relation::redundancy) add(out, book.by(By::resource, edge.to));
    const CaseBook::List& seeking = book.by(By::fru, "");
    if (seeking.empty()) continue;
    for (const Relation relation : kRelations)
      for (const bool upwards : {true, false})
        for (const std::string& between : reached(inventory, change.fmri, relation, upwards))
          for (Case* c : book.by(By::asru, between))
            if (std::binary_search(seeking.begin(), seeking.end(), c, ByUuid{})) out.insert(c);
  }
  return {out.begin(), out.end()};
}

}  // namespace fmd
