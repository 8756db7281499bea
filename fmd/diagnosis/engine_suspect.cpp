// What people are told about a suspect: the part, where it sits, and the filled in texts.
#include <fmt/format.h>

#include <algorithm>

#include "fmd/base/text.h"
#include "fmd/diagnosis/engine_impl.h"

namespace fmd {
namespace {

// The bay that holds it, or that it is.
const Resource* bay_of(const Inventory& inventory, const std::string& fru) {
  if (const Resource* r = inventory.find(fru); r && r->type == "bay") return r;
  for (const Resource* holder : inventory.parents(fru, Relation::contains))
    if (holder->type == "bay" && holder->present) return holder;
  return nullptr;
}

bool fill(std::string& field, const std::string& value) {
  if (!field.empty() || value.empty()) return false;
  field = value;
  return true;
}

std::string or_else(const std::string& value, std::string_view fallback) {
  return value.empty() ? std::string(fallback) : display(value);
}

// "SLOT 04" → "bay SLOT 04", "4" → "bay 4", "Bay 4" as it is.
std::string in_words(const std::string& label) {
  if (label.empty()) return "an unknown bay";
  const bool says_so = label.starts_with("bay") || label.starts_with("Bay");
  return (says_so ? "" : "bay ") + display(label);
}

std::string suspect_value(const Suspect& s, std::string_view name) {
  if (name == "label") return or_else(s.location, "unknown");
  if (name == "bay") return in_words(s.location);
  if (name == "serial") return or_else(s.serial, "unknown");
  if (name == "model") return or_else(s.model, "unknown model");
  if (name == "part_number") return or_else(s.part_number, "unknown");
  if (name == "device") return or_else(s.device_path, "no device name");
  if (name == "resource") return display(s.resource);
  // What a person may paste into a shell: an FMRI has no character that means anything there.
  if (name == "part") return s.fru.empty() ? s.asru : s.fru;
  return {};
}

}  // namespace

// Fills what is not known yet; what was true at diagnosis stays, but for the bay: the LED must be
// lit where the part is now. True when something was learnt.
bool Engine::Impl::fill_fru(Suspect& s) const {
  bool learnt = false;
  const FaultClass* fault = rules->fault(s.fault_class);
  if (s.fru.empty() && fault && fault->fru.follow) {
    const FruSearch& search = fault->fru;
    if (const Resource* fru = search.upwards
                                  ? inventory.ascend(s.asru, *search.follow, search.scheme)
                                  : inventory.descend(s.asru, *search.follow, search.scheme))
      learnt = fill(s.fru, fru->fmri);
  }
  const Resource* fru = s.fru.empty() ? nullptr : inventory.find(s.fru);
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
  if (s.location.empty()) learnt |= fill(s.location, inventory.location(s.fru));
  if (s.fru_path.empty() || s.fru_path == s.fru) {
    const std::string path = inventory.fru_path(s.fru);
    learnt |= path != s.fru_path;
    s.fru_path = path;
  }
  return learnt;
}

// The inventory has changed: it may tell more about the suspects of open cases.
void Engine::Impl::fill_suspects() {
  for (auto& [uuid, c] : cases) {
    if (c.state == CaseState::unsolved || !c.faulty()) continue;
    bool learnt = false;
    for (Suspect& s : c.suspects) {
      if (s.status != SuspectStatus::faulty) continue;
      const std::string bay = s.bay;
      if (!fill_fru(s)) continue;
      learnt = true;
      learn_names(s.facts, s.resource);
      const std::string where = in_words(s.location);
      if (!bay.empty() && bay != s.bay)
        say(c, "note", fmt::format("the part has moved to {}", where));
      else
        say(c, "note",
            fmt::format("the part to replace is {}, serial {}, in {}", name_of(s.fru),
                        or_else(s.serial, "unknown"), where));
    }
    if (learnt) render(c);
  }
}

void Engine::Impl::learn_names(Facts& facts, const std::string& resource) const {
  const Resource* r = inventory.find(resource);
  if (!r) return;
  const auto learn = [&](const std::string& name, const std::string& value) {
    if (!value.empty()) facts[name] = value;
  };
  learn("name", r->get("name"));
  learn("pool", r->type == "zfs-pool" ? r->get("name") : r->get("pool"));
  learn("type", r->type);
}

// What the texts need and only the rule, the event or the measurement knows.
void Engine::Impl::learn_facts(Facts& facts, const Rule& rule, const std::string& resource,
                               const Event* event) const {
  if (rule.within_ns > 0) facts["within"] = format_duration(rule.within_ns);
  if (event) {
    if (const Value* pool = event->payload.find("pool")) facts["pool"] = to_text(*pool);
    const FaultClass& f = *rule.fault;
    for (const std::string* text : {&f.title, &f.description, &f.response, &f.impact, &f.action})
      for (const std::string& name : placeholders::in(*text))
        if (name.starts_with("event."))
          if (const Value* value = event->payload.find(std::string_view(name).substr(6)))
            facts[name] = to_text(*value);
  }
  learn_names(facts, resource);
  learn_measure(facts, rule, resource);
}

std::string Engine::Impl::fill_text(const Suspect& suspect, std::string_view text) const {
  return placeholders::fill(text, [&](std::string_view name) -> std::string {
    if (const std::string own = suspect_value(suspect, name); !own.empty()) return own;
    if (const auto fact = suspect.facts.find(name); fact != suspect.facts.end())
      return display(fact->second);
    if (name == "name") return name_of(suspect.resource);
    return "unknown";
  });
}

// The texts are those of the class that stands for the case, while a suspect of it is faulty; else
// the gravest of those that are.
void Engine::Impl::choose_texts(Case& c) const {
  const Suspect* best = nullptr;
  int rank = -1;
  for (const Suspect& s : c.suspects) {
    if (s.status != SuspectStatus::faulty) continue;
    if (s.fault_class == c.fault_class) return render(c);
    const FaultClass* fault = rules->fault(s.fault_class);
    if (!fault || severity_rank(fault->severity) <= rank) continue;
    best = &s;
    rank = severity_rank(fault->severity);
  }
  if (best) c.fault_class = best->fault_class;
  render(c);
}

void Engine::Impl::render(Case& c) const {
  const FaultClass* fault = rules->fault(c.fault_class);
  if (!fault || c.suspects.empty()) return;
  auto suspect = std::find_if(c.suspects.begin(), c.suspects.end(), [&](const Suspect& s) {
    return s.fault_class == c.fault_class && s.status == SuspectStatus::faulty;
  });
  if (suspect == c.suspects.end()) suspect = c.suspects.begin();
  c.code = fault->code;
  c.severity = fault->severity;
  c.title = fill_text(*suspect, fault->title);
  c.description = fill_text(*suspect, fault->description);
  c.response = fill_text(*suspect, fault->response);
  c.impact = fill_text(*suspect, fault->impact);
  c.action = fill_text(*suspect, fault->action);
  std::vector<std::string> told{c.fault_class};
  for (const Suspect& s : c.suspects) {
    const FaultClass* other = rules->fault(s.fault_class);
    if (!other || s.status != SuspectStatus::faulty) continue;
    if (std::find(told.begin(), told.end(), s.fault_class) != told.end()) continue;
    told.push_back(s.fault_class);
    if (severity_rank(other->severity) > severity_rank(c.severity)) c.severity = other->severity;
    c.description += fmt::format(" Also found: {} ({}).", fill_text(s, other->title), other->code);
  }
}

}  // namespace fmd
