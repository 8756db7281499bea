#include "fmd/daemon/lights_ahead.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fstream>

#include "fmd/base/json.h"
#include "fmd/base/json_value.h"
#include "fmd/reconcile/intervention.h"

namespace fmd {

namespace {

bool is_of_a_light(const StateRow& row) {
  const auto doc = nlohmann::json::parse(row.doc, nullptr, false);
  if (!doc.is_object()) return false;
  if (row.kind == "resource") return json_text(doc, "type") == "bay";
  const auto lit = intervention_from_json(doc);
  return row.kind == "intervention" && lit && lit->kind == InterventionKind::fault_led;
}

}  // namespace

LightsAhead::LightsAhead(std::string path) : path_(std::move(path)) {}

std::vector<StateRow> LightsAhead::read() const {
  std::vector<StateRow> rows;
  std::ifstream in(path_);
  for (std::string line; std::getline(in, line);)
    if (const auto row = nlohmann::json::parse(line, nullptr, false); row.is_object())
      if (StateRow one{json_text(row, "kind"), json_text(row, "key"), json_text(row, "doc")};
          is_of_a_light(one))
        rows.push_back(std::move(one));
  return rows;
}

Result<void> LightsAhead::keep(const std::vector<StateRow>& rows) const {
  if (rows.empty()) {
    if (unlink(path_.c_str()) != 0 && errno != ENOENT)
      return fail(fmt::format("cannot be removed: {}", strerror(errno)), path_);
    return {};
  }
  const std::string fresh = path_ + ".new";
  {
    std::ofstream out(fresh, std::ios::trunc);
    for (const StateRow& row : rows)
      out << dump_json({{"kind", row.kind}, {"key", row.key}, {"doc", row.doc}}) << '\n';
    if (!out.flush()) return fail("cannot be written", fresh);
  }
  if (rename(fresh.c_str(), path_.c_str()) != 0)
    return fail(fmt::format("cannot be written: {}", strerror(errno)), path_);
  return {};
}

}  // namespace fmd
