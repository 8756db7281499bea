#include "fmd/store/machine.h"

#include <fmt/format.h>
#include <sqlite3.h>

#include <algorithm>
#include <array>
#include <utility>

#include "fmd/base/json.h"
#include "fmd/base/state_row.h"

namespace fmd::store {
namespace {

using nlohmann::json;

constexpr std::array<std::string_view, 2> kBeginnings{"hc://system=", "hc://chassis="};
constexpr std::string_view kPut =
    "INSERT INTO state (kind, key, doc) VALUES (?,?,?) "
    "ON CONFLICT (kind, key) DO UPDATE SET doc = excluded.doc";

// The characters of an FMRI's value.
bool in_value(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
         std::string_view("._:@+-%").find(c) != std::string_view::npos;
}

std::string replaced(std::string text, std::string_view from, std::string_view to) {
  for (const std::string_view beginning : kBeginnings) {
    const std::string old = std::string(beginning) + std::string(from);
    for (size_t at = 0; (at = text.find(old, at)) != text.npos;) {
      const size_t end = at + old.size();
      if (end < text.size() && in_value(text[end])) {
        at = end;
        continue;
      }
      text.replace(at + beginning.size(), from.size(), to);
      at += beginning.size() + to.size();
    }
  }
  return text;
}

Result<std::vector<StateRow>> rows_of(const Database& database, std::string_view where) {
  auto statement = database.prepare(fmt::format("SELECT kind, key, doc FROM state {}", where));
  if (!statement) return tl::unexpected(statement.error());
  std::vector<StateRow> rows;
  int code = SQLITE_ROW;
  while ((code = statement->step()) == SQLITE_ROW)
    rows.push_back({std::string(statement->data(0)), std::string(statement->data(1)),
                    std::string(statement->data(2))});
  if (code != SQLITE_DONE) return tl::unexpected(database.failure(code, "read"));
  return rows;
}

Result<void> put(const Database& database, const StateRow& row) {
  auto statement = database.prepare(kPut);
  if (!statement) return tl::unexpected(statement.error());
  statement->bind(1, row.kind).bind(2, row.key).bind(3, row.doc);
  return database.finish(*statement, "write");
}

Result<void> erase(const Database& database, const StateRow& row) {
  auto statement = database.prepare("DELETE FROM state WHERE kind = ? AND key = ?");
  if (!statement) return tl::unexpected(statement.error());
  statement->bind(1, row.kind).bind(2, row.key);
  return database.finish(*statement, "write");
}

// The machine's name in a store without that row, written by an fmd without machine-ids, or "".
Result<std::string> name_of_old(const Database& database) {
  const auto systems = rows_of(database, "WHERE kind = 'resource' AND key GLOB '* hc://system=*'");
  if (!systems) return tl::unexpected(systems.error());
  for (const StateRow& row : *systems) {
    const json doc = json::parse(row.doc, nullptr, false);
    if (!doc.is_object() || doc.value("type", json()) != "system") continue;
    const json fmri = doc.value("fmri", json());
    if (fmri.is_string() && fmri.get_ref<const std::string&>().starts_with(kBeginnings[0]))
      return fmri.get_ref<const std::string&>().substr(kBeginnings[0].size());
  }
  return std::string();
}

Result<void> rename_state(const Database& database, const std::string& from,
                          const std::string& to) {
  const auto rows = rows_of(database, "WHERE kind NOT IN ('machine', 'renamed')");
  if (!rows) return tl::unexpected(rows.error());
  for (const StateRow& row : *rows) {
    const StateRow now{row.kind, replaced(row.key, from, to), replaced(row.doc, from, to)};
    if (now.key == row.key && now.doc == row.doc) continue;
    if (auto erased = erase(database, row); !erased) return erased;
    if (auto written = put(database, now); !written) return written;
  }
  return {};
}

}  // namespace

Result<MachineNames> MachineNames::load(const Database& database) {
  MachineNames names;
  const auto rows = rows_of(database, "WHERE kind IN ('machine', 'renamed')");
  if (!rows) return tl::unexpected(rows.error());
  for (const StateRow& row : *rows) {
    const json doc = json::parse(row.doc, nullptr, false);
    if (row.kind == "renamed")
      names.former_.push_back(row.key);
    else if (doc.is_object() && doc.contains("name") && doc["name"].is_string())
      names.name_ = doc["name"];
  }
  return names;
}

Result<void> MachineNames::name(const Database& database, const std::string& name) {
  if (name == name_) return {};
  std::string old = name_;
  if (old.empty()) {
    auto found = name_of_old(database);
    if (!found) return tl::unexpected(found.error());
    old = std::move(*found);
  }
  MachineNames next = *this;
  next.name_ = name;
  std::erase(next.former_, name);
  if (!old.empty() && old != name) {
    if (auto done = rename_state(database, old, name); !done) return done;
    next.former_.push_back(old);
  }
  if (auto done = erase(database, {"renamed", name, ""}); !done) return done;
  if (auto saved = next.save(database); !saved) return saved;
  *this = std::move(next);
  return {};
}

Result<void> MachineNames::save(const Database& database) const {
  if (name_.empty()) return {};
  for (const std::string& old : former_)
    if (auto done = put(database, {"renamed", old, "{}"}); !done) return done;
  return put(database, {"machine", "name", json{{"name", name_}}.dump()});
}

std::string MachineNames::present(std::string_view text) const {
  std::string out(text);
  for (const std::string& old : former_) out = replaced(std::move(out), old, name_);
  return out;
}

std::vector<std::string> MachineNames::former(std::string_view fmri) const {
  std::vector<std::string> out;
  for (const std::string& old : former_)
    if (std::string was = replaced(std::string(fmri), name_, old); was != fmri)
      out.push_back(std::move(was));
  return out;
}

}  // namespace fmd::store
