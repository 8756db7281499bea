#include "fmd/diagnosis/suspect_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "fmd/base/duration.h"
#include "fmd/base/text.h"

namespace fmd {
namespace {

std::string or_else(const std::string& value, std::string_view fallback) {
  return value.empty() ? std::string(fallback) : display(value);
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

std::string name_of(const Resource& r) {
  for (const std::string_view property : {"name", "label", "serial"})
    if (const std::string name = r.get(property); !name.empty()) return display(name);
  return display(r.fmri);
}

std::string name_of(const Inventory& inventory, const std::string& fmri) {
  const Resource* r = inventory.find(fmri);
  return r ? name_of(*r) : display(fmri);
}

// "4" → "bay 4", "Bay 4" as it is.
std::string in_words(const std::string& label) {
  if (label.empty()) return "an unknown bay";
  const bool says_so = label.starts_with("bay") || label.starts_with("Bay");
  return (says_so ? "" : "bay ") + display(label);
}

std::string serial_in_words(const Suspect& suspect) {
  return or_else(suspect.serial, "unknown");
}

void learn_names(Facts& facts, const Inventory& inventory, const std::string& resource) {
  const Resource* r = inventory.find(resource);
  if (!r) return;
  const auto learn = [&](const std::string& name, const std::string& value) {
    if (!value.empty()) facts[name] = value;
  };
  learn("name", r->get("name"));
  learn("pool", r->type == "zfs-pool" ? r->get("name") : r->get("pool"));
  learn("type", r->type);
}

void learn_facts(Facts& facts, const Context& context, const Rule& rule,
                 const std::string& resource, const Event* event) {
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
  learn_names(facts, context.inventory, resource);
}

std::string fill_text(const Inventory& inventory, const Suspect& suspect, std::string_view text) {
  return placeholders::fill(text, [&](std::string_view name) -> std::string {
    if (const std::string own = suspect_value(suspect, name); !own.empty()) return own;
    if (const auto fact = suspect.facts.find(name); fact != suspect.facts.end())
      return display(fact->second);
    if (name == "name") return name_of(inventory, suspect.resource);
    return "unknown";
  });
}

void render(const Context& context, Case& c) {
  const FaultClass* fault = context.rules->fault(c.fault_class);
  if (!fault || c.suspects.empty()) return;
  auto suspect = std::find_if(c.suspects.begin(), c.suspects.end(), [&](const Suspect& s) {
    return s.fault_class == c.fault_class && s.status == SuspectStatus::faulty;
  });
  if (suspect == c.suspects.end()) suspect = c.suspects.begin();
  c.code = fault->code;
  c.severity = fault->severity;
  c.title = fill_text(context.inventory, *suspect, fault->title);
  c.description = fill_text(context.inventory, *suspect, fault->description);
  c.response = fill_text(context.inventory, *suspect, fault->response);
  c.impact = fill_text(context.inventory, *suspect, fault->impact);
  c.action = fill_text(context.inventory, *suspect, fault->action);
  std::vector<std::string> told{c.fault_class};
  for (const Suspect& s : c.suspects) {
    const FaultClass* other = context.rules->fault(s.fault_class);
    if (!other || s.status != SuspectStatus::faulty) continue;
    if (std::find(told.begin(), told.end(), s.fault_class) != told.end()) continue;
    told.push_back(s.fault_class);
    if (severity_rank(other->severity) > severity_rank(c.severity)) c.severity = other->severity;
    c.description += fmt::format(" Also found: {} ({}).",
                                 fill_text(context.inventory, s, other->title), other->code);
  }
}

void choose_texts(const Context& context, Case& c) {
  const Suspect* best = nullptr;
  int rank = -1;
  for (const Suspect& s : c.suspects) {
    if (s.status != SuspectStatus::faulty) continue;
    if (s.fault_class == c.fault_class) return render(context, c);
    const FaultClass* fault = context.rules->fault(s.fault_class);
    if (!fault || severity_rank(fault->severity) <= rank) continue;
    best = &s;
    rank = severity_rank(fault->severity);
  }
  if (best) c.fault_class = best->fault_class;
  render(context, c);
}

}  // namespace fmd
