// fmadm rules test --drive-stats: tests the SMART rules on a fleet's recorded history.
#include <fmt/format.h>

#include <fstream>
#include <iostream>

#include "fmd/base/counted.h"
#include "fmd/base/json.h"
#include "ui/cli/commands.h"
#include "ui/cli/fleet_score.h"
#include "ui/cli/layout.h"
#include "ui/cli/rule_loading.h"
#include "ui/cli/rules_commands.h"

namespace fmd::cli {
namespace {

std::string share(uint64_t part, uint64_t all, int digits) {
  if (all == 0) return "-";
  return fmt::format("{:.{}f} %", 100.0 * static_cast<double>(part) / static_cast<double>(all),
                     digits);
}

std::string text_of(const FleetScore& score, const DriveStats& stats) {
  std::string out =
      fmt::format("{} in {}, {} failed\n", counted(score.failed() + score.others(), "disk"),
                  counted(stats.rows(), "row"), score.failed());
  if (stats.unreadable() > 0) out += counted(stats.unreadable(), "unreadable row") + " left out\n";
  if (score.out_of_order() > 0)
    out += counted(score.out_of_order(), "row") + " left out, older than those before\n";
  Table table({"WHO REPORTS", "FAILED", "OTHERS", "PRECISION"});
  for (const FleetScore::Row& row : score.rows())
    table.add({row.who, share(row.failed, score.failed(), 1), share(row.others, score.others(), 2),
               share(row.failed, row.failed + row.others, 0)});
  return out + "\n" + table.text();
}

nlohmann::json json_of(const FleetScore& score, const DriveStats& stats) {
  nlohmann::json rows = nlohmann::json::array();
  for (const FleetScore::Row& row : score.rows())
    rows.push_back({{"who", row.who}, {"failed", row.failed}, {"others", row.others}});
  return {{"failed", score.failed()},
          {"others", score.others()},
          {"rows", stats.rows()},
          {"unreadable", stats.unreadable()},
          {"out_of_order", score.out_of_order()},
          {"reports", std::move(rows)}};
}

}  // namespace

Result<void> rules_test_drive_stats(const RulesOptions& options) {
  const LoadedRules loaded = load_rules(options.paths, options.events);
  if (!loaded.errors.empty()) return tl::unexpected(say_errors(loaded.errors));
  std::ifstream file;
  const bool is_input = options.drive_stats == "-";
  if (!is_input) {
    file.open(options.drive_stats);
    if (!file) return fail("cannot be opened", options.drive_stats);
  }
  DriveStats stats(is_input ? std::cin : file, is_input ? "standard input" : options.drive_stats);
  FleetScore score(loaded.rules);
  if (auto read = stats.each([&](const DriveDay& day) { score.take(day); }); !read) return read;
  return print(options.json ? json_text(json_of(score, stats)) : text_of(score, stats));
}

}  // namespace fmd::cli
