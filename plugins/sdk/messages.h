// Messages: events for the core, its commands and the replies to them. They contain JSON by value:
// include this file only in sources that fill or read them; plugin.h declares the types for
// headers.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "fmd/base/json.h"

namespace fmd::sdk {

// A present part in an inventory message.
inline nlohmann::json resource(const std::string& fmri, std::string_view type,
                               nlohmann::json properties = nlohmann::json::object(),
                               nlohmann::json edges = nlohmann::json::array()) {
  return {{"fmri", fmri},
          {"type", type},
          {"properties", std::move(properties)},
          {"edges", std::move(edges)},
          {"present", true}};
}
inline nlohmann::json edge(std::string_view relation, const std::string& to) {
  return {{"relation", relation}, {"to", to}};
}

struct OutEvent {
  std::string event_class, resource;
  int64_t time_ns = 0;
  uint64_t ena = 0;
  nlohmann::json payload = nlohmann::json::object();
};

struct CommandRequest {
  std::string name, resource, key;
  nlohmann::json args;
  int64_t deadline_ms = 60000;
};

struct CommandReply {
  std::string status;  // "done", "refused", "failed"
  std::string reason;
  nlohmann::json detail = nlohmann::json::object();
};
inline CommandReply done(std::string reason) {
  return {"done", std::move(reason)};
}
inline CommandReply refused(std::string reason) {
  return {"refused", std::move(reason)};
}
inline CommandReply failed(std::string reason) {
  return {"failed", std::move(reason)};
}

}  // namespace fmd::sdk
