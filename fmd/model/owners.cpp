#include "fmd/model/owners.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <stdexcept>
#include <utility>

#include "fmd/base/toml.h"
#include "fmd/model/owners_table.h"

namespace fmd {
namespace {

constexpr std::string_view kTableName = "resources.toml", kAnyType = "*";

// Whether and why a part is out of service, and what may be done about it (schemas/resources.md, "ASRU words").
bool is_asru_word(std::string_view property) {
  static constexpr std::array<std::string_view, 18> kWords{
      "service",        "service_by",      "service_until",
      "spare",          "spare_by",        "spare_key",
      "busy",           "spare_refusal",   "spares_available",
      "retired_by",     "replacing",       "lost",
      "retire_refusal", "degrade_refusal", "losses_left",
      "losses_group",   "group",           "unit"};
  return std::find(kWords.begin(), kWords.end(), property) != kWords.end();
}

// Number of characters of the FMRI that the pattern matches, values for "*" included; 0 no match.
size_t matched_by(std::string_view pattern, std::string_view fmri) {
  size_t at = 0;
  while (!pattern.empty()) {
    const size_t star = std::min(pattern.find('*'), pattern.size());
    if (fmri.substr(at, star) != pattern.substr(0, star)) return 0;
    at += star;
    pattern.remove_prefix(star);
    if (pattern.empty()) return at;
    pattern.remove_prefix(1);
    at = std::min(fmri.find('/', at), fmri.size());
    if (pattern.empty() && at < fmri.size()) return 0;
  }
  return at;
}

// Reads one [resource.TYPE] table: the entry for its FMRIs, and those of the key `named`.
class TypeReader {
 public:
  TypeReader(const TomlNode& table, const std::string& type, std::vector<Error>& errors)
      : reader_(table, "resource " + type, std::string(kTableName), errors) {}

  std::vector<PartOwners> entries() {
    PartOwners all;
    all.patterns = reader_.texts("fmri");
    all.owners = reader_.texts("owners");
    all.fills = reader_.boolean("fills").value_or(false);
    all.own_edges = reader_.boolean("own_edges").value_or(false);
    all.shared = PropertyNames(reader_.texts("properties"));
    all.open = PropertyNames(reader_.texts("open"));
    all.retires = reader_.text("retires").value_or("");
    all.acts = reader_.text("acts").value_or(all.owners.empty() ? "" : all.owners.front());
    for (const auto& [plugin, names] : by_plugin("only")) all.only[plugin] = PropertyNames(names);
    std::vector<PartOwners> out;
    for (const auto& [plugin, patterns] : by_plugin("named")) {
      PartOwners& named = out.emplace_back();
      named.patterns = patterns;
      named.owners = {plugin};
      named.shared = all.shared;
      named.own_edges = all.own_edges;
      named.named = true;
      named.acts = plugin;
    }
    if (!all.patterns.empty()) out.push_back(std::move(all));
    reader_.finish();
    return out;
  }

 private:
  std::map<std::string, std::vector<std::string>> by_plugin(std::string_view key) {
    std::map<std::string, std::vector<std::string>> out;
    const TomlNode* const table = reader_.table(key);
    if (!table) return out;
    for (const auto& [plugin, node] : table->members) {
      if (const auto* one = std::get_if<std::string>(&node.value)) out[plugin].push_back(*one);
      for (const TomlNode& item : node.items)
        if (const auto* one = std::get_if<std::string>(&item.value)) out[plugin].push_back(*one);
      if (out[plugin].empty())
        reader_.error(node.line, fmt::format("{}.{} must be texts", key, plugin));
    }
    return out;
  }

  TomlReader reader_;
};

// Types with the same FMRIs ("pci", "hba") share an entry, because a plugin may claim either type.
void add(std::vector<PartOwners>& all, PartOwners entry, std::vector<Error>& errors) {
  const auto same = std::find_if(all.begin(), all.end(), [&](const PartOwners& other) {
    return other.patterns == entry.patterns;
  });
  if (same == all.end()) return all.push_back(std::move(entry));
  if (same->owners != entry.owners || same->retires != entry.retires || same->acts != entry.acts)
    errors.push_back({fmt::format("{} has two owners", entry.patterns.front()), {}, 0});
  same->shared.add(entry.shared);
  for (auto& [plugin, names] : entry.only) same->only[plugin].add(names);
}

}  // namespace

std::string said_by(std::string_view source, std::string_view property) {
  return fmt::format("{}{}.{}", kSaidBy, source, property);
}

PropertyNames::PropertyNames(const std::vector<std::string>& names) {
  for (const std::string& name : names) {
    if (name.ends_with(".*"))
      beginnings_.push_back(name.substr(0, name.size() - 1));
    else
      whole_.insert(name);
  }
}

void PropertyNames::add(const PropertyNames& others) {
  whole_.insert(others.whole_.begin(), others.whole_.end());
  beginnings_.insert(beginnings_.end(), others.beginnings_.begin(), others.beginnings_.end());
}

bool PropertyNames::contains(std::string_view property) const {
  return whole_.contains(property) ||
         std::any_of(beginnings_.begin(), beginnings_.end(), [&](const std::string& begin) {
           return property.size() > begin.size() && property.starts_with(begin);
         });
}

size_t PartOwners::rank(std::string_view source) const {
  return static_cast<size_t>(std::find(owners.begin(), owners.end(), source) - owners.begin());
}

std::string_view PartOwners::only_source(std::string_view property) const {
  if (!retires.empty() && is_asru_word(property)) return retires;
  for (const auto& [plugin, names] : only)
    if (names.contains(property)) return plugin;
  return {};
}

bool PartOwners::may_set(std::string_view source, std::string_view property) const {
  if (const std::string_view one = only_source(property); !one.empty()) return one == source;
  return is_owner(source) || open.contains(property) || !shared.contains(property);
}

bool PartOwners::is_own(std::string_view source, std::string_view property) const {
  if (const auto own = only.find(source); own != only.end() && own->second.contains(property))
    return true;
  if (const std::string_view one = only_source(property); !one.empty()) return one == source;
  return (owners.size() == 1 && owners.front() == source) || open.contains(property) ||
         !shared.contains(property);
}

size_t PartOwners::matched(std::string_view fmri) const {
  size_t most = 0;
  for (const std::string& pattern : patterns) most = std::max(most, matched_by(pattern, fmri));
  return most;
}

Result<std::vector<PartOwners>> parse_owners(std::string_view toml) {
  auto root = parse_toml(std::string(kTableName), toml);
  if (!root) return tl::unexpected(root.error());
  std::vector<Error> errors;
  std::vector<PartOwners> out;
  PropertyNames of_any;
  TomlReader reader(*root, "", std::string(kTableName), errors);
  if (const TomlNode* types = reader.table("resource"))
    for (const auto& [type, table] : types->members) {
      if (type == kAnyType)
        of_any = PropertyNames(
            TomlReader(table, type, std::string(kTableName), errors).texts("properties"));
      else
        for (PartOwners& entry : TypeReader(table, type, errors).entries())
          add(out, std::move(entry), errors);
    }
  for (PartOwners& entry : out) entry.shared.add(of_any);
  if (!errors.empty()) return tl::unexpected(errors.front());
  return out;
}

const PartOwners* owners_of(std::string_view fmri) {
  static const std::vector<PartOwners> kAll = [] {
    auto all = parse_owners(kOwnersTable);
    if (!all) throw std::logic_error(all.error().message);  // impossible: the tests parse the table
    return std::move(*all);
  }();
  const PartOwners* best = nullptr;
  size_t most = 0;
  for (const PartOwners& one : kAll)
    if (const size_t matched = one.matched(fmri); matched > most) {
      most = matched;
      best = &one;
    }
  return best;
}

bool has_main_owner(std::string_view fmri) {
  const PartOwners* const owners = owners_of(fmri);
  return owners && !owners->named;
}

std::string_view acting_plugin(std::string_view fmri) {
  const PartOwners* const owners = owners_of(fmri);
  return owners ? std::string_view(owners->acts) : std::string_view();
}

}  // namespace fmd
