// Events that fmd sends about itself. The classes are declared in schemas/events/, the rules are in
// diagnosis-rules/.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "fmd/model/event.h"

namespace fmd {

inline constexpr const char* kSelfSource = "fmd";
inline constexpr const char* kStoreResource = "fmd://store";
inline constexpr const char* kServiceResource = "fmd://service";
inline constexpr const char* kStoreFull = "ereport.fmd.store.full";
inline constexpr const char* kStoreFailed = "ereport.fmd.store.failed";
inline constexpr const char* kStoreDamaged = "ereport.fmd.store.damaged";
inline constexpr const char* kStoreOk = "sysevent.fmd.store.ok";
inline constexpr const char* kStoreSlow = "ereport.fmd.store.slow";
inline constexpr const char* kStoreFast = "sysevent.fmd.store.fast";
inline constexpr const char* kActionForgotten = "ereport.fmd.action.forgotten";

Event self_event(std::string event_class, std::string resource,
                 const std::vector<std::pair<std::string, std::string>>& members, int64_t now_ns);

std::string plugin_fmri(std::string_view name);  // "fmd://plugin=zfs"

}  // namespace fmd
