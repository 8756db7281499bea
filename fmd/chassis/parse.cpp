#include "fmd/chassis/parse.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "fmd/base/text.h"
#include "fmd/chassis/parse_bays.h"
#include "fmd/chassis/pattern.h"

namespace fmd::chassis {

const std::vector<TableKeys>& tables() {
  static const std::vector<TableKeys> all{
      {"chassis", {"label", "applies_to", "generic", "source", "verified", "notes", "quirks"}},
      {"match",
       {"system_id", "dmi_vendor", "dmi_product", "dmi_serial", "ses_vendor", "ses_product",
        "ses_revision", "ses_id", "ses_name", "ses_slots"}},
      {"member",
       {"name", "ses_vendor", "ses_product", "ses_revision", "ses_id", "ses_name", "ses_slots"}},
      {"view", {"name", "label", "width_mm", "height_mm"}},
      {"bay",
       {"n", "id", "label", "view", "x_mm", "y_mm", "w_mm", "h_mm", "orientation", "form_factor",
        "resolve", "fault", "locate", "ipmi"}},
      {"grid", {"first",      "count",      "id",        "label",  "view",        "columns",
                "order",      "start",      "x_mm",      "y_mm",   "w_mm",        "h_mm",
                "pitch_x_mm", "pitch_y_mm", "gap_after", "gap_mm", "orientation", "form_factor",
                "resolve",    "fault",      "locate",    "ipmi"}},
      {"led", {"methods", "reads_back", "ipmi_on", "ipmi_off"}},
      {"resolver",
       {"ses_slot", "ses_name", "sas_phy", "pci_slot", "ata_port", "by_path", "member"}},
      {"fru",
       {"type", "label", "first", "count", "view", "x_mm", "y_mm", "w_mm", "h_mm", "pitch_x_mm",
        "pitch_y_mm", "ses_element", "member", "ipmi", "edac", "locator", "pci_slot", "socket"}},
      {"fault_domain", {"name", "label", "kind", "fru", "bays"}},
      {"discover", {"by", "label", "form_factor", "orientation", "fault", "locate"}},
  };
  return all;
}

bool Description::has_quirk(std::string_view quirk) const {
  return std::find(quirks.begin(), quirks.end(), quirk) != quirks.end();
}

void check_keys(const TomlNode& node, const std::string& table, const std::string& where,
                Source& source) {
  for (const auto& known : tables()) {
    if (known.table != table) continue;
    for (const auto& [key, child] : node.members)
      if (std::find(known.keys.begin(), known.keys.end(), key) == known.keys.end())
        source.errors.push_back(
            {fmt::format("{}: unknown key \"{}\"{}", where, display(key), suggest(key, known.keys)),
             source.file, child.line});
  }
}

namespace {

std::string stem(const std::string& file) {
  const size_t slash = file.rfind('/');
  std::string name = slash == file.npos ? file : file.substr(slash + 1);
  if (name.ends_with(".toml")) name.erase(name.size() - 5);
  return name;
}

void read_chassis(const TomlNode& node, Description& out, Source& source) {
  check_keys(node, "chassis", "[chassis]", source);
  TomlReader r(node, "[chassis]", source.file, source.errors);
  out.label = r.required_text("label");
  if (!r.has("applies_to")) r.required_text("applies_to");
  out.applies_to = r.word("applies_to", {"host", "shelf"}).value_or("");
  out.generic = r.boolean("generic").value_or(false);
  out.source = r.texts("source");
  if (out.source.empty() || std::any_of(out.source.begin(), out.source.end(),
                                        [](const std::string& s) { return s.empty(); }))
    r.error(r.line_of("source"), "\"source\" must say where the facts of this file come from");
  if (out.generic && r.has("verified"))
    r.error(r.line_of("verified"), "\"verified\": a generic description labels no bays");
  if (r.has("verified"))
    out.verified =
        r.word("verified", {"by SES descriptors", "by a person", "drawing only"}).value_or("");
  out.notes = r.text("notes").value_or("");
  const std::vector<std::string> known{"occupied-by-link", "ignore-component-status"};
  out.quirks = r.texts("quirks");
  for (const auto& quirk : out.quirks)
    if (std::find(known.begin(), known.end(), quirk) == known.end())
      r.error(r.line_of("quirks"),
              fmt::format("there is no quirk \"{}\"{}", display(quirk), suggest(quirk, known)));
}

Facts read_keys(const TomlNode& node, const std::string& table, Source& source) {
  const std::string where = "[[" + table + "]]";
  check_keys(node, table, where, source);
  TomlReader r(node, where, source.file, source.errors);
  Facts facts;
  for (const auto& known : tables()) {
    if (known.table != table) continue;
    for (const auto& key : known.keys) {
      if (key == "name" || !r.has(key)) continue;
      if (key == "ses_slots")
        facts[key] = std::to_string(r.integer(key, 1, kMostBays).value_or(1));
      else
        facts[key] = r.required_text(key);
    }
  }
  if (facts.empty()) r.error(node.line, "names nothing to know it by");
  return facts;
}

void read_matches(const TomlNode& root, Description& out, Source& source) {
  each(root, "match", source, [&](const TomlNode& node) {
    Facts facts = read_keys(node, "match", source);
    for (const auto& [key, value] : facts)
      if (out.applies_to == "shelf" && (key.starts_with("dmi_") || key == "system_id"))
        source.error(node.line, "[[match]]: a shelf has no \"" + key + "\"");
      else if (out.applies_to == "host" && key.starts_with("ses_"))
        source.error(node.line, "[[match]]: a host is not known by \"" + key +
                                    "\"; its backplanes are [[member]]s");
    out.match.push_back(std::move(facts));
  });
  if (out.match.empty())
    source.error(1, "no [[match]]: nothing would ever be known to be this chassis");
}

void read_members(const TomlNode& root, Description& out, Source& source) {
  each(root, "member", source, [&](const TomlNode& node) {
    Member member;
    TomlReader r(node, "[[member]]", source.file, source.errors);
    member.name = r.required_text("name");
    member.keys = read_keys(node, "member", source);
    for (const auto& other : out.members)
      if (other.name == member.name)
        source.error(node.line, "[[member]]: a second \"" + display(member.name) + "\"");
    out.members.push_back(std::move(member));
  });
}

void read_views(const TomlNode& root, Description& out, Source& source) {
  each(root, "view", source, [&](const TomlNode& node) {
    check_keys(node, "view", "[[view]]", source);
    TomlReader r(node, "[[view]]", source.file, source.errors);
    View view;
    if (!r.has("name")) r.required_text("name");
    view.name = r.word("name", {"front", "rear", "top", "inside"}).value_or("");
    view.label = r.text("label").value_or(view.name);
    view.width = r.number("width_mm").value_or(0);
    view.height = r.number("height_mm").value_or(0);
    if (view.width <= 0 || view.height <= 0)
      r.error(node.line, "\"width_mm\" and \"height_mm\" must be numbers above 0");
    for (const auto& other : out.views)
      if (other.name == view.name)
        r.error(node.line, "a second view \"" + display(view.name) + "\"");
    out.views.push_back(std::move(view));
  });
}

void read_domains(const TomlNode& root, Description& out, Source& source) {
  std::vector<std::string> ids, names;
  for (const Bay& bay : out.bays) ids.push_back(bay.id);
  each(root, "fault_domain", source, [&](const TomlNode& node) {
    check_keys(node, "fault_domain", "[[fault_domain]]", source);
    TomlReader r(node, "[[fault_domain]]", source.file, source.errors);
    FaultDomain domain;
    domain.name = r.required_text("name");
    domain.label = r.text("label").value_or(domain.name);
    if (!r.has("kind")) r.required_text("kind");
    domain.kind =
        r.word("kind", {"backplane", "expander", "psu", "cable", "hba", "sled"}).value_or("");
    domain.fru = r.text("fru").value_or("");
    if (!domain.fru.empty() && std::none_of(out.frus.begin(), out.frus.end(),
                                            [&](const Fru& f) { return f.label == domain.fru; }))
      r.error(r.line_of("fru"), "no [[fru]] has the label \"" + display(domain.fru) + "\"");
    auto bays = expand_ids(r.texts("bays"), ids);
    if (!bays)
      r.error(r.line_of("bays"), bays.error().message);
    else if (bays->empty())
      r.error(node.line, "\"bays\" is missing or empty");
    else
      domain.bays = std::move(*bays);
    if (std::find(names.begin(), names.end(), domain.name) != names.end())
      r.error(node.line, "a second fault domain \"" + display(domain.name) + "\"");
    names.push_back(domain.name);
    for (Bay& bay : out.bays)
      if (std::find(domain.bays.begin(), domain.bays.end(), bay.id) != domain.bays.end())
        bay.fault_domain += (bay.fault_domain.empty() ? "" : ",") + domain.name;
    out.domains.push_back(std::move(domain));
  });
}

void read_discoveries(const TomlNode& root, Description& out, Source& source) {
  each(root, "discover", source, [&](const TomlNode& node) {
    check_keys(node, "discover", "[[discover]]", source);
    TomlReader r(node, "[[discover]]", source.file, source.errors);
    Discovery found;
    const bool shelf = out.applies_to == "shelf";
    if (!r.has("by")) r.required_text("by");
    found.by = r.word("by", shelf ? std::vector<std::string>{"ses"}
                                  : std::vector<std::string>{"ata-port", "pci-slot"})
                   .value_or("");
    found.label = r.text("label").value_or("");
    const auto tried = fill(found.label, {{"n", "1"}, {"name", "x"}, {"at", "x"}});
    if (!tried) r.error(r.line_of("label"), tried.error().message);
    found.form_factor = read_form_factor(r);
    found.orientation = read_orientation(r);
    found.leds = read_leds(r, source);
    out.discover.push_back(std::move(found));
  });
}

// fmadm chassis map writes the id of the box whose bays it has lit.
void set_verified(Description& out) {
  if (out.generic) return;
  const bool mapped = std::any_of(out.match.begin(), out.match.end(), [](const Facts& keys) {
    return keys.contains("ses_id") || keys.contains("system_id");
  });
  if (out.verified.empty()) out.verified = mapped ? "by a person" : "drawing only";
  for (Bay& bay : out.bays) bay.verified = out.verified;
}

// Checks that need the whole file.
void check_whole(const TomlNode& root, Description& out, Source& source) {
  if (out.generic && !out.bays.empty())
    source.error(1, "a generic description has [[discover]] and no [[bay]] or [[grid]]");
  if (out.bays.empty() && out.discover.empty() && out.frus.empty())
    source.error(1, "no [[bay]], [[grid]], [[fru]] or [[discover]]: the file describes nothing");
  const auto* match = root.find("match");
  if (match && out.applies_to == "shelf" && !out.members.empty())
    source.error(match->line, "[[member]]: only a host has members; a shelf is one enclosure");
}

}  // namespace

std::pair<std::optional<Description>, std::vector<Error>> parse(const SourceFile& file) {
  Source source{file.name, {}};
  const auto root = parse_toml(file.name, file.text);
  if (!root) return {std::nullopt, {root.error()}};
  Description out;
  out.file = file.name;
  out.name = stem(file.name);
  const std::vector<std::string> known{"chassis", "match", "member",       "view",    "bay",
                                       "grid",    "fru",   "fault_domain", "discover"};
  for (const auto& [key, node] : root->members)
    if (std::find(known.begin(), known.end(), key) == known.end())
      source.error(node.line,
                   fmt::format("unknown table \"{}\"{}", display(key), suggest(key, known)));
  TomlReader r(*root, "", source.file, source.errors);
  if (const TomlNode* chassis = r.table("chassis"))
    read_chassis(*chassis, out, source);
  else if (!r.has("chassis"))
    source.error(1, "the table [chassis] is missing");
  read_matches(*root, out, source);
  read_members(*root, out, source);
  read_views(*root, out, source);
  read_bays(*root, out, source);
  read_frus(*root, out, source);
  read_domains(*root, out, source);
  read_discoveries(*root, out, source);
  set_verified(out);
  check_whole(*root, out, source);
  std::stable_sort(source.errors.begin(), source.errors.end(),
                   [](const Error& a, const Error& b) { return a.line < b.line; });
  if (!source.errors.empty()) return {std::nullopt, std::move(source.errors)};
  return {std::move(out), {}};
}

}  // namespace fmd::chassis
