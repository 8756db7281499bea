#include "fmd/hub/routing.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "fmd/model/owners.h"

namespace fmd {
namespace {

bool contains(const std::vector<std::string>& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

// The longest prefix of the target that this plugin handles, as far as its grant names it; 0 none.
size_t handled_length(const PluginRecord& record, const PluginGrants& grants,
                      std::string_view target) {
  size_t longest = 0;
  for (const std::string& prefix : record.hello.handles)
    if (!prefix.empty() && target.starts_with(prefix))
      longest = std::max(longest, granted_length(grants, record.hello.name, prefix));
  return longest;
}

// The prefix length that another plugin must exceed. If the acting plugin is not connected, its grant and its last hello
// count.
size_t length_of_acting(const PluginTable& table, const PluginGrants& grants,
                        std::string_view acting, std::string_view target) {
  size_t longest = 1;
  if (const PluginRecord* record = table.find(acting))
    longest = std::max(longest, handled_length(*record, grants, target));
  if (const auto grant = grants.find(acting); grant != grants.end())
    for (const std::string& given : grant->second.handles)
      if (target.starts_with(given)) longest = std::max(longest, given.size());
  return longest;
}

std::string no_taker(const std::vector<std::string>& described_by) {
  if (described_by.empty()) return "no plugin that takes commands for it is connected";
  if (described_by.size() > 1)
    return fmt::format("none of the plugins that described it takes commands for it now: fmd-{}",
                       fmt::join(described_by, ", fmd-"));
  return fmt::format(
      "fmd-{}, which described it, is not connected or takes no commands for it; see: systemctl "
      "status fmd-{}",
      described_by.front(), described_by.front());
}

}  // namespace

Route route_command(const PluginTable& table, const PluginGrants& grants,
                    const std::vector<std::string>& described_by, std::string_view target,
                    std::string_view command) {
  const std::string_view acting = acting_plugin(target);
  const bool acts = contains(described_by, acting);
  const size_t least = acts ? length_of_acting(table, grants, acting, target) + 1 : 1;
  using Rank = std::tuple<size_t, bool, bool>;  // the greater one wins, then the first by name
  const PluginRecord* best = nullptr;
  Rank best_rank{};
  for (const auto& [name, record] : table.all()) {
    if (!record.connected() || (!described_by.empty() && !contains(described_by, name))) continue;
    const size_t length = handled_length(record, grants, target);
    const bool is_acting = acts && name == acting;
    if (length == 0 || (!is_acting && length < least)) continue;
    const Rank rank{length, is_acting, contains(record.hello.commands, command)};
    if (best && rank <= best_rank) continue;
    best = &record;
    best_rank = rank;
  }
  if (best) return {best, ""};
  return {nullptr, no_taker(described_by)};
}

}  // namespace fmd
