// Part names: derives the name of a power supply or fan from its sensors, which are named after
// what they measure: "PS2 Status" and "Fan3 RPM" belong to "PS2" and "Fan3". Pure.
#pragma once
#include <string>
#include <vector>

namespace fmd::ipmi {

// The name without its trailing measurement words; "" if nothing remains ("Status").
std::string part_name(const std::string& sensor);
// The last number in the part's name, or its last letter ("PSU A"), lower case; "" if none.
std::string side_of(const std::string& sensor);
// The name of the fan if all sensors are its own or its rotors' ("Fan1A", "Fan1B", "Fan1 Present":
// "Fan1"); "" if they are of several fans ("CPU Fan", "Rear Fan"; "FAN1", "FAN2").
std::string fan_of_all(const std::vector<std::string>& sensors);
// True for a sensor that compares several parts ("PSU Mismatch", "PS Redundancy").
bool compares_parts(const std::string& sensor);

// Meaning of the asserted state of a digital sensor (event/reading type 03h), by the sensor's name:
// failure "PS2 Fail", no_input "PSU1_AC_Lost". unknown: the state may be good, such as "present".
enum class Asserted { unknown, failure, no_input };
Asserted asserted_by(const std::string& sensor);

}  // namespace fmd::ipmi
