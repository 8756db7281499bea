#include "plugins/sdk/config.h"

#include <toml++/toml.h>
#include <algorithm>

#include "fmd/base/text.h"

namespace fmd::sdk {

struct Config::Impl {
  std::string file;
  toml::table table;
  std::vector<std::string> asked;
  std::vector<std::pair<int, std::string>> errors;  // line, text

  const toml::node* ask(std::string_view key) {
    asked.emplace_back(key);
    return find(key);
  }
  const toml::node* find(std::string_view key) const { return table.at_path(key).node(); }
  void error(const toml::node* node, std::string_view key, std::string_view what) {
    errors.emplace_back(node ? static_cast<int>(node->source().begin.line) : 0,
                        std::string(key) + " " + std::string(what));
  }

  void check_unknown(const toml::table& from, const std::string& prefix) {
    for (const auto& [name, node] : from) {
      const std::string key = prefix + std::string(name.str());
      if (std::find(asked.begin(), asked.end(), key) != asked.end()) continue;
      const std::string below = key + ".";
      const bool is_section =
          node.is_table() && std::any_of(asked.begin(), asked.end(), [&](const std::string& a) {
            return a.starts_with(below);
          });
      if (is_section) {
        check_unknown(*node.as_table(), below);
        continue;
      }
      std::string text = "unknown key '" + display(key) + "'";
      if (auto near = nearest(key, asked)) text += ", did you mean '" + *near + "'?";
      errors.emplace_back(static_cast<int>(name.source().begin.line), text);
    }
  }
};

Config::Config(const std::string& path) : impl_(std::make_unique<Impl>()) {
  impl_->file = path;
  if (path.empty()) return;
  try {
    impl_->table = toml::parse_file(path);
  } catch (const toml::parse_error& error) {
    impl_->errors.emplace_back(static_cast<int>(error.source().begin.line),
                               std::string(error.description()));
  }
}
Config::~Config() = default;
Config::Config(Config&&) noexcept = default;

bool Config::has(std::string_view key) const {
  return impl_->find(key) != nullptr;
}

std::string Config::text(std::string_view key, std::string usual) {
  const auto* node = impl_->ask(key);
  if (!node) return usual;
  if (const auto value = node->value_exact<std::string>()) return *value;
  impl_->error(node, key, "must be a text in quotes");
  return usual;
}

bool Config::boolean(std::string_view key, bool usual) {
  const auto* node = impl_->ask(key);
  if (!node) return usual;
  if (const auto value = node->value_exact<bool>()) return *value;
  impl_->error(node, key, "must be true or false");
  return usual;
}

int64_t Config::integer(std::string_view key, int64_t usual, int64_t least, int64_t most) {
  const auto* node = impl_->ask(key);
  if (!node) return usual;
  const auto value = node->value_exact<int64_t>();
  if (value && *value >= least && *value <= most) return *value;
  impl_->error(
      node, key,
      "must be a whole number from " + std::to_string(least) + " to " + std::to_string(most));
  return usual;
}

std::vector<std::string> Config::texts(std::string_view key, std::vector<std::string> usual) {
  const auto* node = impl_->ask(key);
  if (!node) return usual;
  std::vector<std::string> result;
  if (const auto* array = node->as_array()) {
    for (const auto& element : *array)
      if (const auto value = element.value_exact<std::string>()) result.push_back(*value);
    if (result.size() == array->size()) return result;
  }
  impl_->error(node, key, "must be an array of texts in quotes");
  return usual;
}

std::chrono::milliseconds Config::duration(std::string_view key, std::chrono::milliseconds usual) {
  const auto* node = impl_->ask(key);
  if (!node) return usual;
  const auto value = node->value_exact<std::string>();
  const auto ns = value ? parse_duration(*value) : Result<int64_t>(fail(""));
  if (ns && *ns >= 1'000'000) return std::chrono::milliseconds(*ns / 1'000'000);
  impl_->error(node, key, "must be a time of at least 1 ms, such as \"30s\" or \"10min\"");
  return usual;
}

void Config::wrong(std::string_view key, std::string_view what) {
  impl_->error(impl_->find(key), key, what);
}

Result<void> Config::finish() {
  impl_->check_unknown(impl_->table, "");
  if (impl_->errors.empty()) return {};
  std::stable_sort(impl_->errors.begin(), impl_->errors.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  std::string text;
  for (const auto& [line, what] : impl_->errors) {
    if (!text.empty()) text += "\n";
    text += Error{what, impl_->file, line}.text();
  }
  return fail(std::move(text));
}

}  // namespace fmd::sdk
