#include "fmd/daemon/own_state.h"

#include <fmt/format.h>

#include <tuple>
#include <utility>

#include "fmd/base/json.h"
#include "fmd/base/json_value.h"
#include "fmd/base/text.h"

namespace fmd {

StateRow cursor_row(const std::string& name, const Cursor& cursor) {
  nlohmann::json doc = {{"cursor", cursor.text}, {"boot_id", cursor.boot_id}};
  if (cursor.counts_from_ns != 0) doc["counts_from"] = cursor.counts_from_ns;
  return {"cursor", name, dump_json(doc)};
}

StateRow begins_row(int64_t begins_ns, int64_t evidence_from_ns) {
  return {"setting", "begins",
          dump_json({{"wall", begins_ns}, {"evidence_from", evidence_from_ns}})};
}

StateRow dry_run_row(const std::optional<bool>& wish, std::string_view who) {
  return {"setting", "dry_run", wish ? dump_json({{"on", *wish}, {"who", who}}) : ""};
}

std::vector<StateRow> OwnState::all_rows() const {
  std::vector<StateRow> rows;
  for (const auto& [name, cursor] : cursors) rows.push_back(cursor_row(name, cursor));
  if (dry_run_wish) rows.push_back(dry_run_row(dry_run_wish, ""));
  if (begins_ns != 0) rows.push_back(begins_row(begins_ns, evidence_from_ns));
  return rows;
}

int64_t OwnState::counts_from_ns(const std::string& source) const {
  const auto cursor = cursors.find(source);
  return cursor == cursors.end() ? evidence_from_ns : cursor->second.counts_from_ns;
}

Result<void> OwnState::restore(const std::vector<StateRow>& rows) {
  Result<void> outcome;
  for (const StateRow& row : rows) {
    if (row.kind != "cursor" && row.kind != "setting") continue;
    const auto doc = nlohmann::json::parse(row.doc, nullptr, false);
    try {
      if (row.kind == "cursor")
        cursors[row.key] = {doc.at("cursor").get<std::string>(),
                            doc.at("boot_id").get<std::string>(), json_int(doc, "counts_from")};
      else if (row.key == "dry_run")
        dry_run_wish = doc.at("on").get<bool>();
      else if (row.key == "begins")
        std::tie(begins_ns, evidence_from_ns) =
            std::pair(doc.at("wall").get<int64_t>(), json_int(doc, "evidence_from"));
    } catch (const nlohmann::json::exception&) {
      outcome = fail(fmt::format("stored {} \"{}\" cannot be read", row.kind, display(row.key)));
    }
  }
  return outcome;
}

}  // namespace fmd
