// fmadm notify and maintenance: routing of messages, and maintenance windows.
#pragma once
#include <cstdint>
#include <optional>
#include <string>

#include "ui/client/client.h"

namespace fmd::cli {

using ui::Client;
class Program;

void add_notify(Program& program);  // adds the verbs to fmadm

Result<void> notify_list(Client& client, bool json);
// Fails if a channel did.
Result<void> notify_test(Client& client, const std::string& channel, bool json);
Result<void> notify_events(Client& client, bool json_wanted);
Result<void> notify_explain(Client& client, const std::string& uuid, bool json);

struct MaintenanceOptions {
  std::string part, reason;
  std::optional<int64_t> from_ns, until_ns, for_ns;
};
Result<void> maintenance_list(Client& client, bool json);
Result<void> maintenance_add(Client& client, const MaintenanceOptions& options, int64_t now_ns,
                             bool json);
Result<void> maintenance_end(Client& client, const std::string& id);

}  // namespace fmd::cli
