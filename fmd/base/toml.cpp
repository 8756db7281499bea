#include "fmd/base/toml.h"

#include <fmt/format.h>
#include <toml++/toml.h>

#include <algorithm>
#include <utility>

#include "fmd/base/text.h"

namespace fmd {
namespace {

constexpr size_t kLargest = 4 << 20;  // bytes of one file

int line_at(const toml::source_region& source) {
  return static_cast<int>(source.begin.line);
}

TomlNode convert(const toml::node& node, int line) {
  TomlNode out;
  out.line = line > 0 ? line : line_at(node.source());
  if (const toml::table* table = node.as_table()) {
    out.kind = TomlNode::Kind::table;
    for (const auto& [key, child] : *table)
      out.members.push_back({std::string(key.str()), convert(child, line_at(key.source()))});
    std::stable_sort(out.members.begin(), out.members.end(),
                     [](const auto& a, const auto& b) { return a.node.line < b.node.line; });
  } else if (const toml::array* array = node.as_array()) {
    out.kind = TomlNode::Kind::array;
    for (const toml::node& child : *array) out.items.push_back(convert(child, 0));
  } else if (const auto* text = node.as_string()) {
    out.value = text->get();
  } else if (const auto* integer = node.as_integer()) {
    out.value = integer->get();
  } else if (const auto* number = node.as_floating_point()) {
    out.value = number->get();
  } else if (const auto* boolean = node.as_boolean()) {
    out.value = boolean->get();
  }
  return out;
}

}  // namespace

const TomlNode* TomlNode::find(std::string_view key) const {
  for (const auto& [name, node] : members)
    if (name == key) return &node;
  return nullptr;
}

Result<TomlNode> parse_toml(std::string_view file, std::string_view text) {
  if (text.size() > kLargest) return fail("the file is larger than 4 MiB", std::string(file));
  try {
    const toml::table table = toml::parse(text, file);
    return convert(table, 1);
  } catch (const toml::parse_error& e) {
    return fail(fmt::format("not valid TOML: {}", display(e.description())), std::string(file),
                line_at(e.source()));
  }
}

std::string suggest(std::string_view word, const std::vector<std::string>& candidates) {
  if (const auto near = nearest(word, candidates)) return fmt::format("; is \"{}\" meant?", *near);
  if (candidates.empty() || candidates.size() > 8) return {};
  std::vector<std::string> sorted = candidates;
  std::sort(sorted.begin(), sorted.end());
  return fmt::format("; it is one of {}", fmt::join(sorted, ", "));
}

TomlReader::TomlReader(const TomlNode& table, std::string where, std::string file,
                       std::vector<Error>& errors)
    : table_(table), where_(std::move(where)), file_(std::move(file)), errors_(errors) {}

void TomlReader::error(int line, std::string message) {
  errors_.push_back({where_.empty() ? std::move(message) : where_ + ": " + message, file_, line});
}

const TomlNode* TomlReader::take(std::string_view key) {
  known_.emplace(key);
  return table_.find(key);
}

void TomlReader::wrong(std::string_view key, const TomlNode& node, std::string_view wanted) {
  error(node.line, fmt::format("\"{}\" must be {}", key, wanted));
}

int TomlReader::line_of(std::string_view key) const {
  const TomlNode* node = table_.find(key);
  return node ? node->line : table_.line;
}

std::optional<std::string> TomlReader::text(std::string_view key) {
  const TomlNode* node = take(key);
  if (!node) return {};
  if (const auto* s = std::get_if<std::string>(&node->value)) return *s;
  wrong(key, *node, "a string");
  return {};
}

std::optional<bool> TomlReader::boolean(std::string_view key) {
  const TomlNode* node = take(key);
  if (!node) return {};
  if (const auto* b = std::get_if<bool>(&node->value)) return *b;
  wrong(key, *node, "true or false");
  return {};
}

std::optional<int64_t> TomlReader::integer(std::string_view key, int64_t min, int64_t max) {
  const TomlNode* node = take(key);
  if (!node) return {};
  const auto* i = std::get_if<int64_t>(&node->value);
  if (i && *i >= min && *i <= max) return *i;
  wrong(key, *node, fmt::format("a whole number from {} to {}", min, max));
  return {};
}

std::optional<double> TomlReader::number(std::string_view key) {
  const TomlNode* node = take(key);
  if (!node) return {};
  if (const auto* i = std::get_if<int64_t>(&node->value)) return static_cast<double>(*i);
  if (const auto* d = std::get_if<double>(&node->value); d && *d - *d == 0) return *d;
  wrong(key, *node, "a finite number");
  return {};
}

std::optional<int64_t> TomlReader::duration(std::string_view key) {
  const auto written = text(key);
  if (!written) return {};
  const Result<int64_t> ns = parse_duration(*written);
  if (ns) return *ns;
  error(line_of(key), fmt::format("\"{}\": {}", key, ns.error().message));
  return {};
}

std::vector<std::string> TomlReader::texts(std::string_view key) {
  const TomlNode* node = take(key);
  if (!node) return {};
  if (const auto* s = std::get_if<std::string>(&node->value)) return {*s};
  std::vector<std::string> out;
  for (const TomlNode& item : node->items) {
    const auto* s = std::get_if<std::string>(&item.value);
    if (item.kind != TomlNode::Kind::value || !s) break;
    out.push_back(*s);
  }
  if (node->kind == TomlNode::Kind::array && out.size() == node->items.size()) return out;
  wrong(key, *node, "an array of strings");
  return {};
}

const TomlNode* TomlReader::table(std::string_view key) {
  const TomlNode* node = take(key);
  if (!node || node->kind == TomlNode::Kind::table) return node;
  wrong(key, *node, "a table");
  return nullptr;
}

const TomlNode* TomlReader::array_of_tables(std::string_view key) {
  const TomlNode* node = take(key);
  if (!node) return nullptr;
  const bool tables = std::all_of(node->items.begin(), node->items.end(), [](const TomlNode& n) {
    return n.kind == TomlNode::Kind::table;
  });
  if (node->kind == TomlNode::Kind::array && tables) return node;
  wrong(key, *node, fmt::format("written as [[{}]] tables", key));
  return nullptr;
}

const TomlNode* TomlReader::any(std::string_view key) {
  return take(key);
}

std::optional<std::string> TomlReader::word(std::string_view key,
                                            const std::vector<std::string>& words) {
  auto written = text(key);
  if (!written || std::find(words.begin(), words.end(), *written) != words.end()) return written;
  error(line_of(key),
        fmt::format("\"{}\" cannot be \"{}\"{}", key, display(*written), suggest(*written, words)));
  return {};
}

std::string TomlReader::required_text(std::string_view key) {
  if (!has(key)) {
    take(key);
    error(table_.line, fmt::format("\"{}\" is missing", key));
    return {};
  }
  auto written = text(key);
  if (written && written->empty()) error(line_of(key), fmt::format("\"{}\" is empty", key));
  return written.value_or("");
}

void TomlReader::finish() {
  const std::vector<std::string> known(known_.begin(), known_.end());
  for (const auto& [key, node] : table_.members)
    if (!known_.count(key))
      error(node.line, fmt::format("unknown key \"{}\"{}", display(key), suggest(key, known)));
}

}  // namespace fmd
