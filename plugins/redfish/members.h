// Members of a document, independent of its schema: names, identity, a disk's identifiers. Pure.
#pragma once
#include <cstdint>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

#include "plugins/redfish/documents.h"
#include "plugins/redfish/health.h"

namespace fmd::redfish {

std::string kind_of(const nlohmann::json& doc);  // its schema: "PowerSupply"
// Maps a document's URI to the schema named by the link to it. The link takes precedence over the
// document's own type, which vendors rename ("#Cisco_Power").
std::map<std::string, std::string> kinds_by_link(const Documents& documents);
void set(nlohmann::json& properties, const char* name, const std::string& value);  // unless ""
nlohmann::json resource(const std::string& fmri, const std::string& type);
// A short, stable name: the URI below /redfish/v1/, "Chassis.1.PowerSupplies.0".
std::string name_of(const std::string& uri);
std::string label_of(const nlohmann::json& doc,
                     const std::string& uri);  // as printed on the part, else its name
// The number printed at its bay, if the service provides it.
std::optional<int64_t> bay_of(const nlohmann::json& doc);
// If several parts of one type have the same name ("HpeServerPowerSupply"), appends their bay
// number or URI. bays: by FMRI.
void tell_apart(std::map<std::string, nlohmann::json>& resources,
                const std::map<std::string, int64_t>& bays);
// Without what no maker has filled in.
void set_identity(const nlohmann::json& doc, nlohmann::json& properties);
// A serial number that several supplies or fans have says which one none of them is.
void drop_shared_serials(std::map<std::string, nlohmann::json>& resources);
// The older Power has no LineInputStatus. A supply with a problem and an input of 0 V has no input.
bool reads_no_input(const nlohmann::json& supply, const Health& health);
bool is_too_hot(
    const nlohmann::json& processor);  // throttled because of its temperature (Processor.v1_16_0)
std::string disk_fmri(const nlohmann::json& doc);  // "" if it has no identifier

}  // namespace fmd::redfish
