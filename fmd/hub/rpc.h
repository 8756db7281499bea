// RpcMessage: one line of the plugin protocol, parsed as far as all messages are alike (JSON-RPC
// 2.0); small messages are parsed completely. fmd/protocol/parse.h parses the content of events,
// inventory and readings. Hostile input: every error is a value that says what is wrong.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "fmd/base/result.h"
#include "fmd/hub/plugin_table.h"

namespace fmd {

struct RpcMessage {
  std::string method;          // "" when it is an answer
  std::optional<uint64_t> id;  // none: a notification
  // JSON text; "{}" when absent. Valid until this thread reads the next message (protocol/room.h).
  std::string_view params;
  std::string_view result;  // of an answer; "" when it is an error
  std::string error;        // of an answer: its message
};
Result<RpcMessage> parse_rpc(std::string_view line);

struct PluginAnswer {
  std::string status;  // "done", "refused", "failed"
  std::string reason;
  std::string detail;       // JSON object
  bool unanswered = false;  // failed: none came, late or because the connection was lost
};

Result<PluginHello> parse_hello(std::string_view params);
struct PluginStatus {
  std::string state, reason;
};
Result<PluginStatus> parse_plugin_status(std::string_view params);
// Anything but a well-formed result counts as "failed" with the reason.
PluginAnswer parse_answer(const RpcMessage& message);

}  // namespace fmd
