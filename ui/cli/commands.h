// What the subcommands of fmadm do once their options are read. Each prints to standard output and
// returns an error for the caller to print; the tests run the programs themselves.
#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "fmd/base/result.h"
#include "ui/cli/daemon.h"

namespace fmd::cli {

// Writes to standard output at once; an error when that fails (a full disk, a closed pipe).
Result<void> print(std::string_view text);
// What print() writes may be long: on a terminal a pager stands before it.
extern bool pages_output;
// doc, indented, with a newline; broken UTF-8 is replaced.
std::string json_text(const nlohmann::json& doc);
std::string json_line(const nlohmann::json& doc);  // in one
// "%x-…-%x" of 36 characters: a case's id and not a part's name.
bool is_uuid(std::string_view text);

struct FaultyOptions {
  bool all = false, by_fru = false, by_resource = false, summary = false, verbose = false;
  bool fma = false;  // FMA's layout, for scripts and for people who know it
  bool json = false;
  std::string uuid;
  std::string part;  // only cases about it; "" all
  size_t max = 0;    // 0: no limit
};
Result<void> faulty(Client& client, const FaultyOptions& options);

// Who is accused, by which rule and numbers, what it explains, and how it came to that.
Result<void> why(Client& client, const std::string& uuid, bool json);

// verdict: "repaired", "replaced", "acquitted"; each of what is a part or a case's uuid. force: replaced
// though it is still there.
struct JudgeOptions {
  std::string verdict;
  std::vector<std::string> what = {};
  bool force = false, json = false;
};
Result<void> judge(Client& client, const JudgeOptions& options);
Result<void> acknowledge(Client& client, const std::string& uuid, const std::string& comment);
// Waits up to wait_ms until the enclosure has been seen to obey.
Result<void> locate(Client& client, const std::string& part, bool on, int wait_ms, bool json);
// What fmd has done and is in force.
Result<void> actions(Client& client, bool json);
struct OrderOptions {
  enum class What { retire, restore, replace };
  What what = What::retire;
  std::vector<std::string> words;  // the part; replace: and the disk that takes its place
  std::string level;               // to retire to: "degraded", "out-of-service"
  bool force = false, json = false;
};
// Waits for the part's plugin, and prints fmd's sentence.
Result<void> order(Client& client, const OrderOptions& options);
Result<void> dry_run(Client& client, bool on);
Result<void> show_dry_run(Client& client);
Result<void> reload(Client& client);

// Which disk sat in which bay. part: "" all bays.
Result<void> history(Client& client, const std::string& part, bool json);

struct ReadingsOptions {
  std::string part;
  std::vector<std::string> names;  // or globs; all when empty
  std::optional<int64_t> from_ns, to_ns = {};
  size_t points = 20;  // rows of a single name
  bool json = false;
};
Result<void> readings(Client& client, const ReadingsOptions& options);

struct ConfigOptions {
  bool store = false;  // its figures in place of everything else
  bool json = false;   // both
};
Result<void> config(Client& client, const ConfigOptions& options);

// Each program's own check of its file: fmd.toml, and a plugin's, such as zfs.toml.
struct ConfigCheckOptions {
  std::string folder, programs;  // of the files; of the programs
  bool json = false;
};
Result<void> config_check(const ConfigCheckOptions& options);

struct ResilverOptions {
  bool wait = false, json = false;
};
// What the machine's BMC says, and how each sensor is read.
Result<void> ipmi(Client& client, bool json);
Result<void> resilver(Client& client, const ResilverOptions& options);

}  // namespace fmd::cli
