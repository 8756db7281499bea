// PciLinks: finds the PCIe link of a device or port in sysfs. A link has one port above it and one
// device below it, whose functions share it. Source: PCI Express Base Specification 5.0, 7.5.3.2
// (PCI Express Capabilities Register: Device/Port Type).
#pragma once
#include <string>
#include <string_view>

#include "plugins/cpu/findings.h"
#include "plugins/sdk/host.h"

namespace fmd::cpu {

enum class PciPort { none, down, up };  // down: a root port, or a downstream port of a switch
// config: the first bytes of the configuration space. none: no port, or unknown.
PciPort port_in(std::string_view config);

PciLink look_at_link(const sdk::Host& host, const std::string& address);

}  // namespace fmd::cpu
