// Sensors of the board: temperatures, fans, power. Source: /sys/class/hwmon. Disk sensors
// (drivetemp, nvme) are excluded: reading them queries the disk, which may be asleep; fmd-smart
// reports them.
#pragma once
#include "plugins/sdk/host.h"
#include "plugins/system/facts.h"

namespace fmd::machine {

// Adds `sensor` resources and their gauges: "value", the flags "alarm" and "fault", and for a fan
// "pwm".
void add_sensors(const sdk::Host& host, Facts& facts);

}  // namespace fmd::machine
