// The properties that a description adds to a bay or another part: label, view, position. Used by
// all plugins that describe parts of a chassis. Pure.
#pragma once
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "fmd/chassis/library.h"

namespace fmd::chassis {

void describe(const Bay& bay, nlohmann::json& properties);
// Also "ipmi", by which the BMC's plugins find the part.
void describe(const Fru& fru, nlohmann::json& properties);

// For the chassis: "views", and "view.<name>" if a view has a label other than its name.
void describe(const std::vector<View>& views, nlohmann::json& properties);

// The part of that type with this value of the key in any description, or nullptr.
const Fru* find_fru(const std::vector<Library::Found>& descriptions, std::string_view type,
                    std::string_view key, std::string_view value);

// EDAC's name of a memory module → its SMBIOS locator, or its label.
std::vector<std::pair<std::string, std::string>> edac_names(
    const std::vector<Library::Found>& descriptions);

}  // namespace fmd::chassis
