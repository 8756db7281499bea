// Part states: what a sensor of a power supply or fan says about that part. Pure.
#pragma once
#include "plugins/ipmi/sensor_resource.h"

namespace fmd::ipmi {

inline constexpr int kDigital = 0x03;  // event/reading type "digital state"

// Whether the meaning of the sensor's states is known. It is not for a maker's own event types.
bool is_understood(const Sensor& sensor);
// That of a digital sensor depends on its name.
Verdict verdict_of(const Read& read);
bool reports_no_input(const Read& read);

}  // namespace fmd::ipmi
