// Part names: derives the name of a power supply or fan from its sensors, which are named after
// what they measure: "PS2 Status" and "Fan3 RPM" belong to "PS2" and "Fan3". Pure.
#pragma once
#include <string>

namespace fmd::ipmi {

// The name without its trailing measurement words; "" if nothing remains ("Status").
std::string part_name(const std::string& sensor);
// The last number in the part's name, or its last letter ("PSU A"), lower case; "" if none.
std::string side_of(const std::string& sensor);
// The name of the fan if both sensors are its rotors ("Fan1A", "Fan1B": "Fan1"); "" if they are two
// fans ("CPU Fan", "Rear Fan"; "FAN1", "FAN2").
std::string fan_with_rotors(const std::string& sensor, const std::string& other);
// True for a sensor that compares several parts ("PSU Mismatch", "PS Redundancy").
bool compares_parts(const std::string& sensor);

// Meaning of the asserted state of a digital sensor (event/reading type 03h), by the sensor's name:
// failure "PS2 Fail", no_input "PSU1_AC_Lost". unknown: the state may be good, such as "present".
enum class Asserted { unknown, failure, no_input };
Asserted asserted_by(const std::string& sensor);

}  // namespace fmd::ipmi
