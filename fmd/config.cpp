#include "fmd/config.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <fstream>
#include <functional>
#include <iterator>
#include <optional>
#include <set>
#include <sstream>
#include <toml++/toml.h>

#include "fmd/build_paths.h"
#include "fmd/core/text.h"

namespace fmd {
namespace {

constexpr int64_t kDayNs = 86400LL * 1000000000;

// One table being read: knows which keys were asked for, so that the rest can be called unknown.
class Section {
 public:
  Section(const toml::table& table, std::string name, std::string_view file, std::vector<Error>& errors)
      : table_(table), name_(std::move(name)), file_(file), errors_(errors) {}

  const toml::node* take(std::string_view key) {
    known_.emplace_back(key);
    return table_.get(key);
  }

  void wrong(const toml::node& at, std::string message) const {
    errors_.push_back({std::move(message), std::string(file_), static_cast<int>(at.source().begin.line)});
  }

  std::string label(std::string_view key) const {
    return name_.empty() ? std::string(key) : fmt::format("[{}] {}", name_, key);
  }

  void text(std::string_view key, std::string& out) {
    const toml::node* node = take(key);
    if (!node) return;
    auto value = node->value_exact<std::string>();
    if (!value || value->empty()) return wrong(*node, label(key) + " must be a text in quotes");
    out = *value;
  }

  void boolean(std::string_view key, bool& out) {
    const toml::node* node = take(key);
    if (!node) return;
    auto value = node->value_exact<bool>();
    if (!value) return wrong(*node, label(key) + " must be true or false");
    out = *value;
  }

  template <class T>
  void number(std::string_view key, T& out, int64_t least, int64_t most, int64_t unit = 1) {
    const toml::node* node = take(key);
    if (!node) return;
    auto value = node->value_exact<int64_t>();
    if (!value || *value < least || *value > most)
      return wrong(*node, fmt::format("{} must be a whole number from {} to {}", label(key), least, most));
    out = static_cast<T>(*value * unit);
  }

  void duration(std::string_view key, int64_t& out_ns) {
    const toml::node* node = take(key);
    if (!node) return;
    auto value = node->value_exact<std::string>();
    auto parsed = value ? parse_duration(*value) : Result<int64_t>(fail("not a text"));
    if (!parsed || *parsed <= 0)
      return wrong(*node, label(key) + " must be a time such as \"24h\", \"10min\" or \"30d\"");
    out_ns = *parsed;
  }

  void list(std::string_view key, std::vector<std::string>& out,
            const std::vector<std::string>* allowed = nullptr) {
    const toml::node* node = take(key);
    if (!node) return;
    const toml::array* array = node->as_array();
    if (!array) return wrong(*node, label(key) + " must be a list of texts, [\"…\", \"…\"]");
    std::vector<std::string> values;
    for (const toml::node& element : *array) {
      auto value = element.value_exact<std::string>();
      if (!value || value->empty()) {
        wrong(element, label(key) + " must hold texts in quotes only");
        continue;
      }
      if (allowed && std::find(allowed->begin(), allowed->end(), *value) == allowed->end()) {
        wrong(element, fmt::format("{}: \"{}\" is none of {}{}", label(key), display(*value),
                                   fmt::join(*allowed, ", "), suggestion(*value, *allowed)));
        continue;
      }
      values.push_back(std::move(*value));
    }
    out = std::move(values);
  }

  static std::string suggestion(std::string_view word, const std::vector<std::string>& candidates) {
    auto near = nearest(word, candidates);
    return near ? fmt::format("; did you mean \"{}\"?", *near) : std::string();
  }

  void finish() const {
    for (auto&& [key, node] : table_) {
      if (std::find(known_.begin(), known_.end(), key.str()) != known_.end()) continue;
      const std::string what = node.is_table() && name_.empty() ? "section" : "key";
      const std::string where = name_.empty() ? std::string() : fmt::format(" in [{}]", name_);
      errors_.push_back({fmt::format("unknown {} \"{}\"{}{}", what, display(key.str()), where,
                                     suggestion(key.str(), known_)),
                         std::string(file_), static_cast<int>(key.source().begin.line)});
    }
  }

 private:
  const toml::table& table_;
  std::string name_;
  std::string_view file_;
  std::vector<Error>& errors_;
  std::vector<std::string> known_;
};

// "512MiB", "1 GiB", "200000": bytes.
std::optional<uint64_t> parse_size(std::string_view text) {
  size_t digits = 0;
  while (digits < text.size() && text[digits] >= '0' && text[digits] <= '9') ++digits;
  if (digits == 0 || digits > 12) return {};
  uint64_t value = std::stoull(std::string(text.substr(0, digits)));
  std::string_view unit = text.substr(digits);
  while (!unit.empty() && unit.front() == ' ') unit.remove_prefix(1);
  static const std::map<std::string_view, int> shifts = {
      {"", 0}, {"KiB", 10}, {"MiB", 20}, {"GiB", 30}, {"TiB", 40}};
  auto shift = shifts.find(unit);
  if (shift == shifts.end() || value > (UINT64_MAX >> 20 >> shift->second)) return {};
  return value << shift->second;
}

class Reader {
 public:
  Reader(std::string_view file, Config& config, std::vector<Error>& errors)
      : file_(file), config_(config), errors_(errors) {}

  void root(const toml::table& table) {
    Section section(table, "", file_, errors_);
    sub(section, "daemon", [&](Section& s) { daemon(s); });
    sub(section, "action", [&](Section& s) { action(s); });
    sub(section, "retention", [&](Section& s) { retention(s); });
    if (const toml::node* notify = section.take("notify")) notifiers(section, *notify);
    section.finish();
  }

 private:
  void sub(Section& parent, const std::string& name, const std::function<void(Section&)>& read) {
    const toml::node* node = parent.take(name);
    if (!node) return;
    const toml::table* table = node->as_table();
    if (!table) return parent.wrong(*node, fmt::format("{} must be a section, [{}]", name, name));
    Section section(*table, name, file_, errors_);
    read(section);
    section.finish();
  }

  void daemon(Section& s) {
    s.text("socket", config_.socket);
    s.text("state_dir", config_.state_dir);
    s.list("rules", config_.rules);
    s.list("events", config_.events);
    s.text("bus", config_.bus);
    s.text("plugin_group", config_.plugin_group);
  }

  void action(Section& s) {
    s.boolean("dry_run", config_.action.dry_run);
    s.number("max_retired", config_.action.max_retired, 0, 1000000);
    s.duration("max_retired_within", config_.action.max_retired_within_ns);
    s.boolean("auto_replace", config_.action.auto_replace);
  }

  void retention(Section& s) {
    s.number("journal_days", config_.journal_age_ns, 1, 36500, kDayNs);
    s.number("resolved_days", config_.resolved_age_ns, 1, 36500, kDayNs);
    const toml::node* size = s.take("journal_size");
    if (!size) return;
    auto text = size->value_exact<std::string>();
    auto bytes = text ? parse_size(*text) : std::nullopt;
    if (!bytes || *bytes < (uint64_t{1} << 20))
      return s.wrong(*size, "[retention] journal_size must be a size of at least \"1MiB\", such as \"512MiB\" or \"2GiB\"");
    config_.journal_bytes = *bytes;
  }

  void notifiers(Section& root, const toml::node& node) {
    const toml::table* table = node.as_table();
    if (!table) return root.wrong(node, "notify must hold one section for each notifier, such as [notify.mail]");
    for (auto&& [key, child] : *table) {
      const std::string name(key.str());
      if (!child.is_table()) {
        root.wrong(child, fmt::format("notify.{} must be a section, [notify.{}]", display(name), display(name)));
        continue;
      }
      if (name.empty() || name.size() > 32 ||
          name.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-") != std::string::npos) {
        root.wrong(child, fmt::format("\"{}\" cannot be a notifier's name: use a-z, 0-9 and - only", display(name)));
        continue;
      }
      Section section(*child.as_table(), "notify." + name, file_, errors_);
      notifier(section, config_.notify[name]);
      section.finish();
    }
  }

  void notifier(Section& s, NotifierConfig& out) {
    static const std::vector<std::string> events = {"diagnosed", "updated", "repaired", "resolved"};
    static const std::vector<std::string> severities = {"Minor", "Major", "Critical"};
    std::vector<std::string> wanted(out.events.begin(), out.events.end());
    s.list("events", wanted, &events);
    out.events = {wanted.begin(), wanted.end()};
    const toml::node* node = s.take("severity");
    if (!node) return;
    auto text = node->value_exact<std::string>();
    if (!text || std::find(severities.begin(), severities.end(), *text) == severities.end())
      return s.wrong(*node, fmt::format("{} must be one of {}{}", s.label("severity"), fmt::join(severities, ", "),
                                        text ? Section::suggestion(*text, severities) : ""));
    out.severity = *text;
  }

  std::string_view file_;
  Config& config_;
  std::vector<Error>& errors_;
};

}  // namespace

Config default_config() {
  Config config;
  config.rules = {FMD_RULES_DIR, FMD_SYSCONF_DIR "/rules.d"};
  config.events = {FMD_EVENTS_DIR, FMD_SYSCONF_DIR "/events.d"};
  config.notify["mail"].events = {"diagnosed", "updated", "resolved"};
  config.notify["snmp"].events = {"diagnosed", "updated", "repaired", "resolved"};
  return config;
}

std::pair<Config, std::vector<Error>> parse_config(std::string_view text, std::string_view file) {
  std::vector<Error> errors;
  Config config = default_config();
  config.file = file;
  try {
    const toml::table table = toml::parse(text, file);
    Reader(file, config, errors).root(table);
  } catch (const toml::parse_error& error) {
    errors.push_back({std::string(error.description()), std::string(file),
                      static_cast<int>(error.source().begin.line)});
  }
  std::stable_sort(errors.begin(), errors.end(), [](const Error& a, const Error& b) { return a.line < b.line; });
  return {std::move(config), std::move(errors)};
}

std::pair<Config, std::vector<Error>> load_config(const std::string& file, bool required) {
  std::ifstream in(file, std::ios::binary);
  if (!in) {
    if (errno == ENOENT && !required) return {default_config(), {}};
    return {default_config(), {Error{fmt::format("cannot be read: {}", std::strerror(errno)), file, 0}}};
  }
  const std::string text(std::istreambuf_iterator<char>(in), {});
  return parse_config(text, file);
}

}  // namespace fmd
