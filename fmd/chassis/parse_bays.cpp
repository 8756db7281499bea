#include "fmd/chassis/parse_bays.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "fmd/base/text.h"
#include "fmd/chassis/parse.h"
#include "fmd/chassis/pattern.h"

namespace fmd::chassis {
namespace {

const std::vector<std::string> kResolvers{"ses_slot", "ses_name", "sas_phy",
                                          "pci_slot", "ata_port", "by_path"};

// The common values of a [[bay]] and of each bay of a [[grid]].
struct Shape {
  std::string id, label, view, orientation, form_factor, ipmi;
  Box box;
  std::vector<Resolver> resolve;  // templates
  Leds leds;
};

std::vector<Resolver> read_resolvers(TomlReader& r, const Description& out, Source& source) {
  std::vector<Resolver> found;
  const TomlNode* list = r.any("resolve");
  if (!list) return found;
  if (list->kind != TomlNode::Kind::array || list->items.empty()) {
    r.error(list->line, "\"resolve\" must be an array of tables such as { ses_slot = \"{n}\" }");
    return found;
  }
  for (const TomlNode& item : list->items) {
    // Only tables know their own line; other items may share one line.
    if (item.kind != TomlNode::Kind::table) {
      r.error(list->line, "\"resolve\" must hold tables such as { ses_slot = \"{n}\" }");
      continue;
    }
    check_keys(item, "resolver", "resolve", source);
    TomlReader one(item, "resolve", source.file, source.errors);
    Resolver resolver;
    int kinds = 0;
    for (const auto& kind : kResolvers)
      if (one.has(kind)) {
        resolver = {kind, one.required_text(kind), ""};
        ++kinds;
      }
    resolver.member = one.text("member").value_or("");
    if (kinds != 1)
      one.error(item.line, fmt::format("each takes one of {}", fmt::join(kResolvers, ", ")));
    if (!resolver.member.empty() &&
        std::none_of(out.members.begin(), out.members.end(),
                     [&](const Member& m) { return m.name == resolver.member; }))
      one.error(item.line, "no [[member]] is called \"" + display(resolver.member) + "\"");
    if (!resolver.member.empty() && !resolver.kind.starts_with("ses_"))
      one.error(item.line, "\"member\" goes with ses_slot or ses_name only");
    if (resolver.kind.starts_with("ses_") && !found.empty() &&
        !found.back().kind.starts_with("ses_"))
      one.error(item.line, "ses_slot and ses_name go before the other ways");
    if (out.applies_to == "shelf" && kinds == 1 && !resolver.kind.starts_with("ses_"))
      one.error(item.line, "the bays of a shelf are found by ses_slot or ses_name");
    found.push_back(std::move(resolver));
  }
  return found;
}

Shape read_shape(TomlReader& r, const Description& out, Source& source) {
  Shape shape;
  shape.id = r.text("id").value_or("{n}");
  shape.label = r.required_text("label");
  shape.view = r.text("view").value_or("");
  shape.orientation = read_orientation(r);
  shape.form_factor = read_form_factor(r);
  shape.box = read_box(r);
  check_view(r, shape.view, shape.box, out);
  shape.resolve = read_resolvers(r, out, source);
  if (shape.resolve.empty() && out.applies_to == "shelf")
    shape.resolve.push_back({"ses_slot", "{n}", ""});
  else if (shape.resolve.empty() && !r.has("resolve"))
    r.error(r.line_of("label"), "\"resolve\" is missing: how is the disk in this bay found?");
  shape.leds = read_leds(r, source);
  shape.ipmi = r.text("ipmi").value_or("");
  if (!shape.ipmi.empty() && out.applies_to == "shelf")
    r.error(r.line_of("ipmi"), "a shelf's bays have no sensors of the machine's BMC");
  return shape;
}

// Adds bay number n of that shape; a template that cannot be filled in is an error.
void add_bay(const Shape& shape, int64_t n, Box box, TomlReader& r, Description& out) {
  if (out.bays.size() >= kMostBays) {
    if (out.bays.size() == kMostBays) r.error(r.line_of("count"), "more than 2000 bays");
    return;
  }
  const Values values{{"n", std::to_string(n)}};
  const auto filled = [&](const std::string& text, const char* key) {
    auto done = fill(text, values);
    if (!done) r.error(r.line_of(key), done.error().message);
    return done.value_or("");
  };
  Bay bay;
  bay.id = filled(shape.id, "id");
  bay.label = filled(shape.label, "label");
  bay.view = shape.view;
  bay.orientation = shape.orientation;
  bay.form_factor = shape.form_factor;
  bay.box = box;
  bay.leds = shape.leds;
  for (auto* led : {&bay.leds.fault, &bay.leds.locate})
    if (*led) {
      (*led)->ipmi_on = filled((*led)->ipmi_on, "label");
      (*led)->ipmi_off = filled((*led)->ipmi_off, "label");
    }
  bay.ipmi = filled(shape.ipmi, "ipmi");
  for (const Resolver& one : shape.resolve)
    bay.resolve.push_back({one.kind, filled(one.value, "resolve"), one.member});
  check_inside(r, "bay " + bay.id, bay.view, bay.box, out);
  for (const Bay& other : out.bays) {
    if (other.id == bay.id)
      r.error(r.line_of("id"),
              fmt::format("a second bay \"{}\"; give one of them an \"id\" such as "
                          "\"rear-{{n}}\"",
                          display(bay.id)));
    else if (other.label == bay.label)
      r.error(r.line_of("label"),
              fmt::format("bays \"{}\" and \"{}\" have the same label \"{}\"", display(other.id),
                          display(bay.id), display(bay.label)));
    else
      continue;
    return;
  }
  out.bays.push_back(std::move(bay));
}

void read_bay(const TomlNode& node, Description& out, Source& source) {
  check_keys(node, "bay", "[[bay]]", source);
  TomlReader r(node, "[[bay]]", source.file, source.errors);
  const auto n = r.integer("n", 0, 99999);
  if (!n && !r.has("n")) r.error(node.line, "\"n\" is missing: the bay's number");
  const Shape shape = read_shape(r, out, source);
  if (n) add_bay(shape, *n, shape.box, r, out);
}

void read_grid(const TomlNode& node, Description& out, Source& source) {
  check_keys(node, "grid", "[[grid]]", source);
  TomlReader r(node, "[[grid]]", source.file, source.errors);
  const auto count = r.integer("count", 1, kMostBays);
  if (!r.has("count")) r.error(node.line, "\"count\" is missing: how many bays");
  const int64_t first = r.integer("first", 0, 99999).value_or(1);
  const int64_t columns = r.integer("columns", 1, kMostBays).value_or(count.value_or(1));
  const bool by_column = r.word("order", {"rows", "columns"}).value_or("rows") == "columns";
  const std::string start =
      r.word("start", {"top-left", "top-right", "bottom-left", "bottom-right"})
          .value_or("top-left");
  const Shape shape = read_shape(r, out, source);
  const double step_x = length(r, "pitch_x_mm").value_or(shape.box.w.value_or(0));
  const double step_y = length(r, "pitch_y_mm").value_or(shape.box.h.value_or(0));
  const int64_t block = r.integer("gap_after", 1, kMostBays).value_or(columns);
  const double gap = length(r, "gap_mm").value_or(0);
  if (r.has("gap_after") != r.has("gap_mm"))
    r.error(r.line_of("gap_mm"), "\"gap_after\" and \"gap_mm\" go together");
  if (!count) return;
  const int64_t rows = (*count + columns - 1) / columns;
  const size_t errors = source.errors.size();
  for (int64_t i = 0; i < *count && source.errors.size() == errors; ++i) {
    int64_t column = by_column ? i / rows : i % columns, row = by_column ? i % rows : i / columns;
    if (start.ends_with("right")) column = columns - 1 - column;
    if (start.starts_with("bottom")) row = rows - 1 - row;
    Box box = shape.box;
    if (box.x) {
      *box.x += static_cast<double>(column) * step_x + static_cast<double>(column / block) * gap;
      *box.y += static_cast<double>(row) * step_y;
    }
    add_bay(shape, first + i, box, r, out);
  }
}

}  // namespace

std::optional<double> length(TomlReader& r, const char* key) {
  const auto value = r.number(key);
  if (value && (*value < 0 || *value > 10000)) {
    r.error(r.line_of(key), fmt::format("\"{}\" must be millimetres from 0 to 10000", key));
    return {};
  }
  return value;
}

Box read_box(TomlReader& r) {
  Box box{length(r, "x_mm"), length(r, "y_mm"), length(r, "w_mm"), length(r, "h_mm")};
  const int told = box.x.has_value() + box.y.has_value() + box.w.has_value() + box.h.has_value();
  if (told == 0 || told == 4) return box;
  r.error(r.line_of("x_mm"), "geometry is \"x_mm\", \"y_mm\", \"w_mm\" and \"h_mm\" together");
  return {};  // a box needs all four values
}

void check_view(TomlReader& r, const std::string& view, const Box& box, const Description& out) {
  if (view.empty()) {
    if (box.x) r.error(r.line_of("x_mm"), "geometry needs a \"view\" that it is in");
    return;
  }
  std::vector<std::string> names;
  for (const View& one : out.views) names.push_back(one.name);
  if (std::find(names.begin(), names.end(), view) == names.end())
    r.error(r.line_of("view"),
            fmt::format("no [[view]] is called \"{}\"{}", display(view), suggest(view, names)));
}

// A box must be inside its view; half a millimetre is tolerated as rounding.
void check_inside(TomlReader& r, const std::string& what, const std::string& name, const Box& box,
                  const Description& out) {
  for (const View& view : out.views)
    if (box.x && view.name == name &&
        (*box.x + *box.w > view.width + 0.5 || *box.y + *box.h > view.height + 0.5))
      r.error(
          r.line_of("x_mm"),
          fmt::format(
              "{} at {:g},{:g} mm, {:g} by {:g} mm, is not inside the {} view of {:g} by {:g} mm",
              display(what), *box.x, *box.y, *box.w, *box.h, name, view.width, view.height));
}

void each(const TomlNode& root, const char* name, Source& source,
          const std::function<void(const TomlNode&)>& read) {
  TomlReader r(root, "", source.file, source.errors);
  if (const TomlNode* list = r.array_of_tables(name))
    for (const TomlNode& node : list->items) read(node);
}

std::string read_form_factor(TomlReader& reader) {
  return reader.word("form_factor", {"3.5", "2.5", "M.2", "E1.S", "E1.L", "E3.S", "E3.L", "card"})
      .value_or("");
}

std::string read_orientation(TomlReader& reader) {
  return reader.word("orientation", {"horizontal", "vertical"}).value_or("");
}

namespace {

// "0x30 0xd5 0x0{n}": bytes and templates.
bool is_request(std::string_view text) {
  size_t words = 0;
  while (!text.empty()) {
    const size_t end = std::min(text.find(' '), text.size());
    const std::string_view word = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    const bool hex = word.starts_with("0x") && word.size() >= 3 && word.size() <= 4 &&
                     word.find_first_not_of("0123456789abcdefABCDEF", 2) == word.npos;
    if (!hex && word.find('{') == word.npos) return false;
    ++words;
  }
  return words >= 2;
}

// The method "ipmi" and both vendor requests require each other.
void check_requests(TomlReader& r, const Led& led) {
  const bool by_ipmi =
      std::find(led.methods.begin(), led.methods.end(), "ipmi") != led.methods.end();
  for (const auto& [key, text] :
       {std::pair{"ipmi_on", &led.ipmi_on}, {"ipmi_off", &led.ipmi_off}}) {
    if (by_ipmi == text->empty())
      r.error(r.line_of(by_ipmi ? "methods" : key),
              fmt::format("\"methods\" with \"ipmi\" and \"{}\" go together", key));
    else if (by_ipmi && !is_request(*text))
      r.error(
          r.line_of(key),
          fmt::format("\"{}\" must be the bytes of a request, such as \"0x30 0xd5 0x01\"", key));
  }
}

}  // namespace

Leds read_leds(TomlReader& reader, Source& source) {
  Leds leds;
  for (auto [key, led] : {std::pair{"fault", &leds.fault}, {"locate", &leds.locate}}) {
    const TomlNode* node = reader.table(key);
    if (!node) continue;
    check_keys(*node, "led", key, source);
    TomlReader r(*node, key, source.file, source.errors);
    *led = Led{r.texts("methods"), r.boolean("reads_back"), r.text("ipmi_on").value_or(""),
               r.text("ipmi_off").value_or("")};
    const std::vector<std::string> known{"ses", "npem", "pci", "ipmi", "ledctl", "none"};
    for (const auto& method : (*led)->methods)
      if (std::find(known.begin(), known.end(), method) == known.end())
        r.error(r.line_of("methods"), fmt::format("no LED is driven by \"{}\"{}", display(method),
                                                  suggest(method, known)));
    check_requests(r, **led);
    if ((*led)->methods == std::vector<std::string>{"ledctl"} && (*led)->reads_back == true)
      r.error(r.line_of("reads_back"), "what ledctl(8) lights cannot be read back");
  }
  return leds;
}

void read_bays(const TomlNode& root, Description& out, Source& source) {
  each(root, "grid", source, [&](const TomlNode& node) { read_grid(node, out, source); });
  each(root, "bay", source, [&](const TomlNode& node) { read_bay(node, out, source); });
}

}  // namespace fmd::chassis
