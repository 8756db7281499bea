// Preferences in the form of GetConfig (schemas/dbus/README.md). Pure.
#pragma once
#include <nlohmann/json_fwd.hpp>

#include "fmd/notify/preferences.h"

namespace fmd {

nlohmann::json channels_document(const Preferences& preferences);
nlohmann::json notify_rules_document(const Preferences& preferences);
nlohmann::json escalations_document(const Preferences& preferences);

}  // namespace fmd
