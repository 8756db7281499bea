// [[fru]]: parts other than bays. Each type can be found by certain keys; a key that cannot find
// anything is an error.
#include <fmt/format.h>

#include <algorithm>

#include "fmd/base/text.h"
#include "fmd/chassis/parse_bays.h"
#include "fmd/chassis/pattern.h"

namespace fmd::chassis {
namespace {

const std::vector<std::string> kFruTypes{"psu", "fan", "dimm", "cpu", "hba", "sensor"};
const std::vector<std::string> kFruKeys{"ses_element", "ipmi",     "edac",
                                        "locator",     "pci_slot", "socket"};

// The keys that find a part of that type, besides "ipmi", which finds any type.
std::vector<std::string> finders_of(const std::string& type) {
  if (type == "dimm") return {"edac", "locator"};
  if (type == "cpu") return {"socket"};
  if (type == "hba") return {"pci_slot"};
  return {"ses_element"};
}

bool is_number(std::string_view text) {
  return !text.empty() && text.size() < 6 &&
         text.find_first_not_of("0123456789") == std::string_view::npos;
}

void check_values(TomlReader& r, const Fru& fru) {
  if (const std::string socket = fru.key("socket"); !socket.empty() && !is_number(socket))
    r.error(r.line_of("socket"), "\"socket\" must be the number of a socket");
  const std::string element = fru.key("ses_element"), start = fru.type + "/";
  if (!element.empty() &&
      (!element.starts_with(start) || !is_number(std::string_view(element).substr(start.size()))))
    r.error(
        r.line_of("ses_element"),
        fmt::format("\"ses_element\" must be \"{}\" and a number, as in \"{}0\"", start, start));
}

// Checks that the keys fit the type, and that one of them can find the part.
void check_finders(TomlReader& r, const Fru& fru, const Description& out) {
  if (fru.type.empty()) return;
  const auto finders = finders_of(fru.type);
  const bool shelf = out.applies_to == "shelf", by_ses = finders.front() == "ses_element";
  if (shelf && !by_ses)
    return r.error(r.line_of("type"), "a shelf has power supplies, fans and sensors only");
  for (const auto& [key, value] : fru.keys)
    if (std::find(finders.begin(), finders.end(), key) == finders.end() && (shelf || key != "ipmi"))
      r.error(r.line_of(key),
              fmt::format("\"{}\" does not find a {} {}; it takes {}", key, fru.type,
                          shelf ? "of a shelf" : "of a host", fmt::join(finders, " or ")));
  const bool found = std::any_of(finders.begin(), finders.end(),
                                 [&](const std::string& key) { return fru.keys.contains(key); });
  // A host's power supply, fan or sensor may be only drawn until something observes it.
  if (!found && (shelf || !by_ses))
    r.error(r.line_of("type"), fmt::format("{} is missing: how is this {} found?",
                                           fmt::join(finders, " or "), fru.type));
  if (fru.member.empty()) return;
  if (!fru.keys.contains("ses_element"))
    r.error(r.line_of("member"), "\"member\" goes with ses_element only");
  if (std::none_of(out.members.begin(), out.members.end(),
                   [&](const Member& m) { return m.name == fru.member; }))
    r.error(r.line_of("member"), "no [[member]] is called \"" + display(fru.member) + "\"");
}

// Adds part `number` of that shape: fills in templates, moved by `index` steps.
void add_fru(const Fru& shape, int64_t number, int64_t index, double step_x, double step_y,
             TomlReader& r, Description& out) {
  const Values values{{"n", std::to_string(number)}};
  Fru fru = shape;
  const auto filled = [&](const std::string& text, const std::string& key) {
    auto done = fill(text, values);
    if (!done) r.error(r.line_of(key), done.error().message);
    return done.value_or("");
  };
  fru.label = filled(shape.label, "label");
  for (auto& [key, value] : fru.keys) value = filled(value, key);
  if (fru.box.x) {
    *fru.box.x += step_x * static_cast<double>(index);
    *fru.box.y += step_y * static_cast<double>(index);
  }
  check_inside(r, fru.label, fru.view, fru.box, out);
  check_values(r, fru);
  for (const Fru& other : out.frus) {
    if (other.label == fru.label)
      r.error(r.line_of("label"), "a second FRU labelled \"" + display(fru.label) + "\"");
    for (const auto& [key, value] : fru.keys)
      if (other.key(key) == value && other.member == fru.member && other.type == fru.type)
        r.error(r.line_of(key),
                fmt::format("\"{}\" and \"{}\" have the same {} \"{}\"", display(other.label),
                            display(fru.label), key, display(value)));
  }
  out.frus.push_back(std::move(fru));
}

}  // namespace

std::string Fru::key(std::string_view name) const {
  const auto at = keys.find(name);
  return at == keys.end() ? std::string() : at->second;
}

void read_frus(const TomlNode& root, Description& out, Source& source) {
  each(root, "fru", source, [&](const TomlNode& node) {
    check_keys(node, "fru", "[[fru]]", source);
    TomlReader r(node, "[[fru]]", source.file, source.errors);
    Fru shape;
    if (!r.has("type")) r.required_text("type");
    shape.type = r.word("type", kFruTypes).value_or("");
    shape.label = r.required_text("label");
    shape.view = r.text("view").value_or("");
    shape.box = read_box(r);
    check_view(r, shape.view, shape.box, out);
    for (const std::string& key : kFruKeys)
      if (r.has(key)) shape.keys[key] = r.required_text(key);
    shape.member = r.text("member").value_or("");
    check_finders(r, shape, out);
    const int64_t first = r.integer("first", 0, 99999).value_or(1);
    const int64_t count = r.integer("count", 1, 512).value_or(1);
    const double step_x = length(r, "pitch_x_mm").value_or(0);
    const double step_y = length(r, "pitch_y_mm").value_or(0);
    const size_t errors = source.errors.size();
    for (int64_t i = 0; i < count && source.errors.size() == errors; ++i)
      add_fru(shape, first + i, i, step_x, step_y, r, out);
  });
}

}  // namespace fmd::chassis
