#include "fmd/daemon/config.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <iterator>
#include <map>
#include <optional>
#include <stdexcept>

#include "fmd/base/build_paths.h"
#include "fmd/base/duration.h"
#include "fmd/base/text.h"
#include "fmd/base/toml.h"
#include "fmd/daemon/notify_config.h"
#include "fmd/daemon/shipped_grants.h"

namespace fmd {
namespace {

constexpr int64_t kMostDays = 36500;

// "512MiB", "1 GiB", "200000": bytes.
std::optional<uint64_t> parse_size(std::string_view text) {
  size_t digits = 0;
  while (digits < text.size() && text[digits] >= '0' && text[digits] <= '9') ++digits;
  if (digits == 0 || digits > 12) return {};
  const uint64_t value = std::stoull(std::string(text.substr(0, digits)));
  std::string_view unit = text.substr(digits);
  while (!unit.empty() && unit.front() == ' ') unit.remove_prefix(1);
  static const std::map<std::string_view, int> shifts = {
      {"", 0}, {"KiB", 10}, {"MiB", 20}, {"GiB", 30}, {"TiB", 40}};
  const auto shift = shifts.find(unit);
  if (shift == shifts.end() || value > (UINT64_MAX >> shift->second)) return {};
  return value << shift->second;
}

template <class T>
void put(T& out, std::optional<T> value) {
  if (value) out = std::move(*value);
}

class ConfigReader {
 public:
  ConfigReader(std::string file, Config& config, std::vector<Error>& errors)
      : file_(std::move(file)), config_(config), errors_(errors) {}

  void read(const TomlNode& root) {
    TomlReader top(root, "the configuration", file_, errors_);
    if (const TomlNode* node = top.table("daemon")) daemon(*node);
    if (const TomlNode* node = top.table("action")) action(*node);
    if (const TomlNode* node = top.table("retention")) retention(*node);
    if (const TomlNode* node = top.table("store")) store(*node);
    read_notify(top, root, file_, config_.notify, errors_);
    if (const TomlNode* node = top.table("plugin")) plugins(*node);
    top.finish();
  }

 private:
  void daemon(const TomlNode& node) {
    TomlReader in(node, "[daemon]", file_, errors_);
    put(config_.socket, in.text("socket"));
    put(config_.state_dir, in.text("state_dir"));
    put(config_.bus, in.text("bus"));
    put(config_.plugin_group, in.text("plugin_group"));
    if (in.has("rules")) config_.rules = in.texts("rules");
    if (in.has("events")) config_.events = in.texts("events");
    in.finish();
  }

  void action(const TomlNode& node) {
    TomlReader in(node, "[action]", file_, errors_);
    put(config_.action.dry_run, in.boolean("dry_run"));
    put(config_.action.auto_replace, in.boolean("auto_replace"));
    if (const auto most = in.integer("max_retired", 0, 1000000))
      config_.action.max_retired = static_cast<uint64_t>(*most);
    put(config_.action.max_retired_within_ns, in.duration("max_retired_within"));
    put(config_.action.locate_off_after_ns, in.duration("locate_off_after"));
    in.finish();
  }

  void retention(const TomlNode& node) {
    TomlReader in(node, "[retention]", file_, errors_);
    if (const auto days = in.integer("journal_days", 1, kMostDays))
      config_.retention.journal_age_ns = *days * kDayNs;
    if (const auto days = in.integer("resolved_days", 1, kMostDays))
      config_.retention.resolved_age_ns = *days * kDayNs;
    if (const auto days = in.integer("readings_days", 1, kMostDays))
      config_.retention.readings_age_ns = *days * kDayNs;
    if (const auto days = in.integer("bay_history_days", 1, kMostDays))
      config_.retention.bay_history_age_ns = *days * kDayNs;
    size(in, "journal_size", config_.retention.journal_bytes);
    size(in, "readings_size", config_.retention.readings_bytes);
    in.finish();
  }

  void store(const TomlNode& node) {
    TomlReader in(node, "[store]", file_, errors_);
    if (const auto name = in.text("compression")) {
      auto parsed = parse_compression(*name);
      if (parsed)
        config_.compression = std::move(*parsed);
      else
        in.error(in.line_of("compression"), parsed.error().message);
    }
    in.finish();
  }

  static void size(TomlReader& in, const char* key, uint64_t& into) {
    const auto text = in.text(key);
    if (!text) return;
    const auto bytes = parse_size(*text);
    if (bytes && *bytes >= (uint64_t{1} << 20))
      into = *bytes;
    else
      in.error(in.line_of(key),
               fmt::format("\"{}\" must be a size of at least \"1MiB\", such as \"512MiB\" or "
                           "\"2GiB\"",
                           key));
  }

  static bool may_be_called(TomlReader& in, const std::string& name, int line, const char* what) {
    if (!name.empty() && name.size() <= 32 &&
        name.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-") == std::string::npos)
      return true;
    in.error(line, fmt::format("\"{}\" cannot be a {}'s name: use a-z, 0-9 and - only",
                               display(name), what));
    return false;
  }

  void plugins(const TomlNode& node) {
    TomlReader in(node, "[plugin]", file_, errors_);
    for (const auto& [name, member] : node.members) {
      const TomlNode* table = in.table(name);
      if (table && may_be_called(in, name, member.line, "plugin")) plugin(*table, name);
    }
    in.finish();
  }

  void plugin(const TomlNode& node, const std::string& name) {
    TomlReader in(node, fmt::format("[plugin.{}]", name), file_, errors_);
    PluginGrant& out = config_.plugins[name];
    put(out.user, in.text("user"));
    put(out.group, in.text("group"));
    put(out.notifier, in.boolean("notifier"));
    put(out.reads_serials, in.boolean("reads_serials"));
    if (in.has("observes")) out.observes = in.texts("observes");
    if (in.has("handles")) out.handles = in.texts("handles");
    if (in.has("describes")) out.describes = in.texts("describes");
    if (out.notifier && !(out.observes.empty() && out.handles.empty() && out.describes.empty()))
      in.error(node.line,
               fmt::format("[plugin.{}] is a notifier: it delivers, and neither observes, "
                           "handles nor describes anything",
                           name));
    in.finish();
  }

  std::string file_;
  Config& config_;
  std::vector<Error>& errors_;
};

}  // namespace

namespace {

bool has_line(std::string_view text, std::string_view beginning) {
  return text.starts_with(beginning) || text.find("\n" + std::string(beginning)) != text.npos;
}

// TOML's own word for a section before an array of the same name speaks of tables and arrays.
Error explained(Error error, std::string_view text) {
  if (has_line(text, "[notify") && has_line(text, "[[notify]]"))
    error.message +=
        "; [notify] and [notify.NAME] cannot stand beside [[notify]]: delete these sections, and "
        "name their channels in \"channels\" of a rule";
  return error;
}

}  // namespace

Config default_config() {
  Config config;
  config.rules = {FMD_RULES_DIR, FMD_SYSCONF_DIR "/rules.d"};
  config.events = {FMD_EVENTS_DIR, FMD_SYSCONF_DIR "/events.d"};
  config.notify = default_preferences();
  std::vector<Error> errors;
  const Result<TomlNode> grants = parse_toml("grant.toml", kShippedGrants);
  if (grants) ConfigReader("grant.toml", config, errors).read(*grants);
  // Without its grant a plugin would have no bounds: no fmd rather than such a one.
  if (!grants || !errors.empty())
    throw std::logic_error((grants ? errors.front() : grants.error()).text());
  return config;
}

std::pair<Config, std::vector<Error>> parse_config(std::string_view text, std::string_view file) {
  std::vector<Error> errors;
  Config config = default_config();
  config.file = file;
  if (const Result<TomlNode> root = parse_toml(file, text))
    ConfigReader(config.file, config, errors).read(*root);
  else
    errors.push_back(explained(root.error(), text));
  std::stable_sort(errors.begin(), errors.end(),
                   [](const Error& a, const Error& b) { return a.line < b.line; });
  return {std::move(config), std::move(errors)};
}

std::pair<Config, std::vector<Error>> load_config(const std::string& file, bool required) {
  std::ifstream in(file, std::ios::binary);
  if (!in) {
    if (errno == ENOENT && !required) return {default_config(), {}};
    return {default_config(),
            {Error{fmt::format("cannot be read: {}", std::strerror(errno)), file, 0}}};
  }
  const std::string text(std::istreambuf_iterator<char>(in), {});
  return parse_config(text, file);
}

}  // namespace fmd
