// A strict TOML reader with line numbers, for rules, event classes and configuration. The caller
// asks a TomlReader for each key of a table; any other key is an error. Errors are collected, so
// that all mistakes of a file are reported at once.
#pragma once
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "fmd/base/result.h"
#include "fmd/base/value.h"

namespace fmd {

struct TomlMember;

struct TomlNode {
  enum class Kind { value, array, table };
  Kind kind = Kind::value;
  int line = 0;  // 1-based; the key's line if there is one
  Value value;   // bool, int64_t, double or string; monostate for a date, which no caller accepts
  std::vector<TomlNode> items;
  std::vector<TomlMember> members;  // in the order of the file

  const TomlNode* find(std::string_view key) const;
};

struct TomlMember {
  std::string key;
  TomlNode node;
};

Result<TomlNode> parse_toml(std::string_view file, std::string_view text);

// ": is "x" meant?" for a typing error, ": one of a, b, c" for a short list, else "".
std::string suggest(std::string_view word, const std::vector<std::string>& candidates);

class TomlReader {
 public:
  // where: names the table in messages: "rule \"zfs-io\"".
  TomlReader(const TomlNode& table, std::string where, std::string file,
             std::vector<Error>& errors);

  // Each returns empty if the key is absent or of a wrong type (an error).
  std::optional<std::string> text(std::string_view key);
  std::optional<bool> boolean(std::string_view key);
  std::optional<int64_t> integer(std::string_view key, int64_t min, int64_t max);
  std::optional<double> number(std::string_view key);
  std::optional<int64_t> duration(std::string_view key);  // "10min" → ns
  std::vector<std::string> texts(
      std::string_view key);  // an array of strings; one string alone is fine
  const TomlNode* table(std::string_view key);
  const TomlNode* array_of_tables(std::string_view key);  // a single table is refused
  const TomlNode* any(std::string_view key);
  // text() restricted to `words`.
  std::optional<std::string> word(std::string_view key, const std::vector<std::string>& words);
  std::string required_text(std::string_view key);

  bool has(std::string_view key) const { return table_.find(key) != nullptr; }
  int line_of(std::string_view key) const;  // the table's line if the key is absent
  void error(int line, std::string message);
  void finish();  // reports unknown keys

 private:
  const TomlNode* take(std::string_view key);
  void wrong(std::string_view key, const TomlNode& node, std::string_view wanted);

  const TomlNode& table_;
  std::string where_, file_;
  std::vector<Error>& errors_;
  std::set<std::string, std::less<>> known_;
};

}  // namespace fmd
