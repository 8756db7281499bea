// The subcommands of fmadm, called once their options are parsed. Each prints to standard output
// and returns an error for the caller to print; the tests run the programs themselves.
#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "fmd/base/result.h"
#include "ui/cli/daemon.h"

namespace fmd::cli {

// Writes to standard output immediately; an error if that fails (a full disk, a closed pipe).
Result<void> print(std::string_view text);
// Long output: print() starts a pager on a terminal.
extern bool pages_output;
// doc, indented, with a newline; invalid UTF-8 is replaced.
std::string json_text(const nlohmann::json& doc);
std::string json_line(const nlohmann::json& doc);  // in one line
// "%x-…-%x" of 36 characters: a case's id rather than a part's name.
bool is_uuid(std::string_view text);

struct FaultyOptions {
  bool all = false, by_fru = false, by_resource = false, summary = false, verbose = false;
  bool fma = false;  // FMA's layout, for scripts and Solaris administrators
  bool json = false;
  std::string uuid;
  std::string part;  // only cases about it; "": all
  size_t max = 0;    // 0: no limit
};
Result<void> faulty(Client& client, const FaultyOptions& options);

// The suspects, the rules and numbers behind them, other cases that it explains, and its history.
Result<void> why(Client& client, const std::string& what, bool json);

// verdict: "repaired", "replaced", "acquitted". what: parts or case uuids. force: accept "replaced"
// although the part is still present.
struct JudgeOptions {
  std::string verdict;
  std::vector<std::string> what = {};
  bool force = false, json = false;
};
Result<void> judge(Client& client, const JudgeOptions& options);
Result<void> acknowledge(Client& client, const std::string& uuid, const std::string& comment);
// Waits up to wait_ms until the enclosure reports the new state.
Result<void> locate(Client& client, const std::string& part, bool on, int wait_ms, bool json);
// fmd's actions that are in force.
Result<void> actions(Client& client, bool json);
struct OrderOptions {
  enum class What { retire, restore, replace };
  What what = What::retire;
  std::vector<std::string> words;  // the part; for replace, also the new disk
  std::string level;               // for retire: "degraded", "out-of-service"
  bool force = false, json = false;
};
// Waits for the part's plugin, and prints fmd's sentence.
Result<void> order(Client& client, const OrderOptions& options);
Result<void> dry_run(Client& client, bool on);
Result<void> show_dry_run(Client& client);
Result<void> reload(Client& client);

// Which disk was in which bay. part: "" all bays.
Result<void> history(Client& client, const std::string& part, bool json);

struct ReadingsOptions {
  std::string part;
  std::vector<std::string> names;  // names or globs; empty: all
  std::optional<int64_t> from_ns, to_ns = {};
  size_t points = 20;  // rows for a single name
  bool json = false;
};
Result<void> readings(Client& client, const ReadingsOptions& options);

struct ConfigOptions {
  bool store = false;  // only the store's figures
  bool json = false;   // all of it
};
Result<void> config(Client& client, const ConfigOptions& options);

// Runs each program's own check of its file: fmd.toml, and the plugins', such as zfs.toml.
struct ConfigCheckOptions {
  std::string folder, programs;  // folder: of the files; programs: folder of the programs
  bool json = false;
};
Result<void> config_check(const ConfigCheckOptions& options);

struct ResilverOptions {
  bool wait = false, json = false;
};
// The BMC's sensors, and how each is read.
Result<void> ipmi(Client& client, bool json);
Result<void> resilver(Client& client, const ResilverOptions& options);

}  // namespace fmd::cli
