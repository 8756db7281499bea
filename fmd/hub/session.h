// One connection of the hub's. Inside the hub only.
#pragma once
#include <cstdint>
#include <memory>
#include <string>

#include "fmd/hub/hub.h"

namespace fmd {

struct PluginHub::Session {
  std::shared_ptr<Connection> connection;
  std::string name;  // "" before hello
  int64_t since_ns = 0;
  size_t line_bytes = 0;    // of the one that is taken now
  bool knows_kept = false;  // the word
};

}  // namespace fmd
