// Command: what the reconciler wants a plugin to do (schemas/plugin-protocol.md § commands).
#pragma once
#include <cstdint>
#include <string>
#include <string_view>

#include "fmd/model/case.h"
#include "fmd/reconcile/intervention.h"

namespace fmd {

enum class CommandName { retire, restore, spare_in, spare_out, replace, set_led };
std::string_view command_name(CommandName name);  // "spare_in"

struct Command {
  CommandName name = CommandName::retire;
  std::string resource;  // FMRI
  std::string key;       // idempotency key
  std::string args;      // JSON object
  int64_t deadline_ms = 60000;
  InterventionKind kind = InterventionKind::retire;  // the kind that it makes or undoes
  bool undo = false;
};

enum class CommandStatus { done, refused, failed };

struct CommandResult {
  CommandStatus status = CommandStatus::failed;
  bool unanswered =
      false;             // failed: no answer came (late, connection lost), it may take effect yet
  bool already = false;  // done: it was so before, by someone else
  std::string reason;
  bool busy = false;  // refused: only as long as what the command named `unless_busy` goes on
};

}  // namespace fmd
