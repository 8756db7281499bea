// Sensors of the board: temperatures, fans, power. Source: /sys/class/hwmon. Those of disks
// (drivetemp, nvme) are left out: asking them asks the disk, which may sleep; the smart plugin
// does.
#pragma once
#include "plugins/sdk/host.h"
#include "plugins/system/facts.h"

namespace fmd::machine {

// `sensor` resources and their gauges: "value", the flags "alarm" and "fault", and of a fan "pwm".
void add_sensors(const sdk::Host& host, Facts& facts);

}  // namespace fmd::machine
