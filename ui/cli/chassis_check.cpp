// fmadm chassis check: reports errors in chassis descriptions.
#include <fmt/format.h>

#include <filesystem>

#include "fmd/base/counted.h"
#include "fmd/base/json.h"
#include "fmd/chassis/library.h"
#include "ui/cli/chassis_commands.h"
#include "ui/cli/commands.h"
#include "ui/cli/rule_loading.h"
#include "ui/cli/source_files.h"
#include "ui/client/paths.h"

namespace fmd::cli {
namespace {

// The vendor's folder, and the administrator's if it contains any.
std::vector<std::string> installed() {
  std::vector<std::string> folders{FMD_CHASSIS_DIR};
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(FMD_SYSCONF_DIR "/chassis.d", error))
    if (entry.path().extension() == ".toml") return {FMD_CHASSIS_DIR, FMD_SYSCONF_DIR "/chassis.d"};
  return folders;
}

}  // namespace

Result<void> chassis_check(const ChassisCheckOptions& options) {
  const auto files = read_toml(options.paths.empty() ? installed() : options.paths);
  if (!files) return tl::unexpected(files.error());
  const auto [library, errors] = chassis::Library::load(*files);
  if (options.json) {
    nlohmann::json names = nlohmann::json::array(), wrong = nlohmann::json::array();
    for (const auto& file : *files) names.push_back(file.name);
    for (const Error& e : errors)
      wrong.push_back({{"file", e.file}, {"line", e.line}, {"message", e.message}});
    auto said = print(
        json_text({{"files", names}, {"descriptions", library.all().size()}, {"errors", wrong}}));
    if (!said) return said;
    if (!errors.empty()) return fail(counted(errors.size(), "error"));
    return {};
  }
  if (!errors.empty()) return tl::unexpected(say_errors(errors));
  size_t bays = 0;
  for (const auto& one : library.all()) bays += one->bays.size();
  return print(fmt::format("{} with {}: no errors\n", counted(library.all().size(), "description"),
                           counted(bays, "bay")));
}

}  // namespace fmd::cli
