// Part names: what a person calls the power supply or fan that a sensor is about. Sensors are named
// after what they measure ("PS2 Status", "Fan3 RPM"); the part is "PS2", "Fan3". Pure.
#pragma once
#include <string>

namespace fmd::ipmi {

// Without the words at its end that name a measurement; "" if it has no other ("Status").
std::string part_name(const std::string& sensor);
// The last number in the part's name, or its last letter ("PSU A"): which of several it is; "" none.
std::string side_of(const std::string& sensor);
// The name of the fan that both sensors are rotors of ("Fan1A", "Fan1B": "Fan1"); "" if their names are those
// of two fans ("CPU Fan", "Rear Fan"; "FAN1", "FAN2").
std::string fan_with_rotors(const std::string& sensor, const std::string& other);
// True of a sensor that compares several parts ("PSU Mismatch", "PS Redundancy").
bool compares_parts(const std::string& sensor);

}  // namespace fmd::ipmi
