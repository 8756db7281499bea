// Describes a sensor of the BMC as a resource, whichever part it belongs to. Pure.
#pragma once
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "plugins/ipmi/parts.h"

namespace fmd::ipmi {

struct Read {
  const Sensor* sensor;
  Judged judged;
};

// The number that is printed on the part: instances from 60h are counted per board (IPMI 2.0,
// section 39.1).
int place_number(const Entity& place);
nlohmann::json resource(const std::string& fmri, const std::string& type);
void set(nlohmann::json& properties, const char* name, const std::string& value);  // unless ""

// The type of part that a sensor is about: psu, fan; "" if none.
std::string part_type(const Sensor& sensor);
std::string kind_of(const Sensor& sensor);

// explained: label of the part whose failure caused this; part: FMRI; "" if none.
nlohmann::json sensor_resource(const Picture& picture, const Read& read,
                               const std::string& explained, const std::string& part);

}  // namespace fmd::ipmi
