// One connection of the hub. Internal.
#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "fmd/hub/hub.h"
#include "fmd/hub/rpc.h"
#include "fmd/protocol/parse.h"

namespace fmd {

struct PluginHub::Session {
  std::shared_ptr<Connection> connection;
  std::string name;  // "" before hello
  int64_t since_ns = 0;
  size_t line_bytes = 0;    // of the one that is taken now
  bool knows_kept = false;  // the word
  // The events of the line that is taken now, when they were read with their request.
  std::optional<protocol::EventsMessage> told;

  // Takes a line apart: events in one pass, into `told`, where that can be.
  Result<RpcMessage> read(std::string_view text, const protocol::EventInterest& interest);
};

}  // namespace fmd
