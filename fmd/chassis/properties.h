// The properties that a description adds to a bay or another part: label, view, position. Shared by
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
// Also "ipmi": a later observer finds its part by that.
void describe(const Fru& fru, nlohmann::json& properties);

// Of the chassis: "views", and "view.<name>" where a view's label says more than its name.
void describe(const std::vector<View>& views, nlohmann::json& properties);

// The part of that type whose key has that value in one of these; nullptr: none is told of.
const Fru* find_fru(const std::vector<Library::Found>& descriptions, std::string_view type,
                    std::string_view key, std::string_view value);

// What EDAC calls a memory module → its locator by SMBIOS, or its label.
std::vector<std::pair<std::string, std::string>> edac_names(
    const std::vector<Library::Found>& descriptions);

}  // namespace fmd::chassis
