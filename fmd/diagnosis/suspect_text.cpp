#include "fmd/diagnosis/suspect_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "fmd/base/duration.h"
#include "fmd/base/text.h"
#include "fmd/diagnosis/serd_bank.h"
#include "fmd/model/fmri.h"
#include "fmd/model/part_name.h"

namespace fmd {
namespace {

// Escapes text from a device, so that it cannot end a sentence or a quotation: "A'; rm" becomes "A\x27\x3b rm".
std::string in_sentence(const std::string& text) {
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    const bool ends = text[i] == '.' && i + 1 < text.size() && text[i + 1] == ' ';
    if (ends || std::string_view(";'\"!?").find(text[i]) != std::string_view::npos)
      out += fmt::format("\\x{:02x}", static_cast<unsigned char>(text[i]));
    else
      out += text[i];
  }
  return out;
}

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
  // A text that a person may paste into a shell: the characters of an FMRI have no meaning there.
  if (name == "part") return s.fru.empty() ? s.asru : s.fru;
  return {};
}

// The placeholder {box}: "machine" if the BMC reports the part, else its enclosure ("enclosure Shelf A").
std::string box_of(const Inventory& inventory, const std::string& part) {
  const Resource* r = inventory.find(part);
  if (r && r->is("observed_by", "bmc")) return "machine";
  const Resource* box = r ? inventory.find(r->get("enclosure")) : nullptr;
  if (const auto holders = inventory.parents(part, Relation::contains); !box && !holders.empty())
    box = holders.front()->type == "enclosure" ? holders.front() : nullptr;
  const std::string label = box ? box->get("label") : "";
  return label.empty() ? "enclosure" : "enclosure " + display(label, 60);
}

std::string value_of(const Inventory& inventory, const Suspect& suspect, std::string_view name) {
  if (std::string own = suspect_value(suspect, name); !own.empty()) return own;
  if (const auto fact = suspect.facts.find(name); fact != suspect.facts.end())
    return display(fact->second, name.starts_with("property.") || name == "grown" ? 1000 : 200);
  if (name == "name") return name_of(inventory, suspect.resource);
  if (name == "box") return box_of(inventory, suspect.resource);
  if (name == "repeated") return {};  // of a case from before there was such a fact
  return "unknown";
}

// "pending sectors: from 0 to 16"
std::string in_words(const Rule& rule, const Observation& seen) {
  if (seen.baseline.empty())
    return fmt::format("{}: {} when fmd first saw it", rule.counter, seen.value);
  return fmt::format("{}: from {} to {}", rule.counter, seen.baseline, seen.value);
}

// Each counter that led to the suspect, once, with its latest value.
std::string counters_of(const Context& context, const Case& c, const Suspect& s) {
  std::map<std::string, std::string> counters;  // by the name of the counter
  const auto rule_of = [&](const std::string& name) -> const Rule* {
    const Rule* rule = context.rules->find(name);
    return rule && !rule->counter.empty() && rule->fault->name == s.fault_class ? rule : nullptr;
  };
  for (const Observation& seen : c.observations)
    if (const Rule* rule = rule_of(seen.rule); rule && seen.resource == s.resource)
      counters[rule->counter] = in_words(*rule, seen);
  const auto count = s.facts.find("count");
  for (const std::string& name : c.rules)
    if (const Rule* rule = rule_of(name); rule && rule->kind == RuleKind::serd)
      if (count != s.facts.end() && count->second != "0")
        counters[rule->counter] =
            fmt::format("{}: {} within {}", rule->counter, count->second,
                        format_duration(window_of(*rule, context.inventory, s.resource)));
  std::string all;
  for (const auto& [name, words] : counters) all += (all.empty() ? "" : "; ") + words;
  return all;
}

// "15 minutes", "1 day": for sentences.
std::string long_duration(int64_t ns) {
  for (const auto& [unit, name] : {std::pair{kDayNs, "day"},
                                   {3600 * kSecondNs, "hour"},
                                   {60 * kSecondNs, "minute"},
                                   {kSecondNs, "second"}})
    if (ns % unit == 0) return fmt::format("{} {}{}", ns / unit, name, ns == unit ? "" : "s");
  return format_duration(ns);
}

}  // namespace

// "4" → "bay 4", "Bay 4" as it is.
std::string in_words(const std::string& label) {
  if (label.empty()) return "an unknown bay";
  const bool says_so = label.starts_with("bay") || label.starts_with("Bay");
  return (says_so ? "" : "bay ") + display(label);
}

std::string doubt_words(std::string_view failed, std::string_view span, std::string_view instead,
                        std::string_view part) {
  return fmt::format("{} within {} of each other, so it may be {} and not the {}", failed, span,
                     instead, part);
}

std::string span_words(int64_t ns) {
  constexpr int64_t kWhole = 1'000'000'000;
  return ns < kWhole ? "a second" : format_duration(ns / kWhole * kWhole);
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
  const std::string printed = r->printed_name();
  learn("name", printed.empty() ? r->get("name") : printed);
  learn("pool", r->type == "zfs-pool" ? r->get("name") : r->get("pool"));
  learn("type", r->type);
  if (r->type != "disk") return;
  const std::string serial = r->get("serial");
  std::string disk = r->get("path");
  for (const std::string& more : {serial.empty() ? serial : "serial " + serial, r->get("model")})
    if (!more.empty()) disk += (disk.empty() ? "" : ", ") + more;
  learn("disk", disk);
}

void learn_facts(Facts& facts, const Context& context, const Rule& rule,
                 const std::string& resource, const Event* event) {
  if (const int64_t within = window_of(rule, context.inventory, resource); within > 0)
    facts["within"] = format_duration(within);
  if (event)
    if (const Value* pool = event->payload.find("pool")) facts["pool"] = to_text(*pool);
  const Resource* r = context.inventory.find(resource);
  const FaultClass& f = *rule.fault;
  for (const std::string* text : {&f.title, &f.description, &f.response, &f.impact, &f.action})
    for (const std::string& name : placeholders::in(*text)) {
      const std::string_view own = std::string_view(name).substr(name.find('.') + 1);
      if (name.starts_with("event.") && event)
        if (const Value* value = event->payload.find(own)) facts[name] = to_text(*value);
      if (name == "hold" && rule.hold_ns > 0) facts[name] = long_duration(rule.hold_ns);
      if (name.starts_with("property.") && r)
        if (const std::string value = r->get(own); !value.empty()) facts[name] = value;
    }
  learn_names(facts, context.inventory, resource);
}

std::string fill_text(const Inventory& inventory, const Suspect& suspect, std::string_view text) {
  return placeholders::fill(
      text, [&](std::string_view name) { return value_of(inventory, suspect, name); });
}

std::string fill_action(const Inventory& inventory, const Suspect& suspect, std::string_view text) {
  return placeholders::fill(
      text, [&](std::string_view name) { return in_sentence(value_of(inventory, suspect, name)); });
}

void take_order(const FaultClass& fault, Case& c) {
  c.replaces = fault.replaces;
  c.urgency = fault.urgency;
}

void render(const Context& context, Case& c) {
  const FaultClass* fault = context.rules->fault(c.fault_class);
  if (!fault || c.suspects.empty()) return;
  auto suspect = std::find_if(c.suspects.begin(), c.suspects.end(), [&](const Suspect& s) {
    return s.fault_class == c.fault_class && s.status == SuspectStatus::faulty;
  });
  if (suspect == c.suspects.end()) suspect = c.suspects.begin();
  Suspect told_of = *suspect;
  if (std::string counters = counters_of(context, c, *suspect); !counters.empty())
    told_of.facts["counters"] = std::move(counters);
  const auto fill = [&](const std::string& text) {
    return fill_text(context.inventory, told_of, text);
  };
  c.code = fault->code;
  c.severity = fault->severity;
  take_order(*fault, c);
  c.title = fill(fault->title);
  c.description = fill(fault->description);
  c.response = fill(fault->response);
  c.impact = fill(fault->impact);
  c.action = fill_action(context.inventory, told_of, fault->action);
  if (const std::string& why = c.undecided(); !why.empty())
    c.description += fmt::format(" {}.", why);
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
  if (!c.consequence) return;
  if (severity_rank(c.consequence->severity) > severity_rank(c.severity))
    c.severity = c.consequence->severity;
  c.description += fmt::format(" It leads to: {}.", c.consequence->text);
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
