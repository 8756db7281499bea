#include "fmd/model/self_events.h"

#include "fmd/base/json.h"
#include "fmd/model/fmri.h"

namespace fmd {

Event self_event(std::string event_class, std::string resource,
                 const std::vector<std::pair<std::string, std::string>>& members, int64_t now_ns) {
  Event event;
  event.event_class = std::move(event_class);
  event.resource = std::move(resource);
  event.time_ns = now_ns;
  event.source = kSelfSource;
  nlohmann::json payload = nlohmann::json::object();
  for (const auto& [name, value] : members) {
    event.payload.set(name, value);
    payload[name] = value;
  }
  event.payload_json = payload.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  return event;
}

std::string plugin_fmri(std::string_view name) {
  return make_fmri("fmd", {{"plugin", std::string(name)}});
}

}  // namespace fmd
