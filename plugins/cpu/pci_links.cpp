#include "plugins/cpu/pci_links.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "plugins/hardware/pci_address.h"

namespace fmd::cpu {
namespace {

constexpr const char* kPci = "/sys/bus/pci/devices";
constexpr const char* kSlots = "/sys/bus/pci/slots";

std::string folder_of(const std::string& address) {
  return std::string(kPci) + "/" + address;
}

bool is_bridge(const sdk::Host& host, const std::string& address) {
  return host.read(folder_of(address) + "/class").value_or("").starts_with("0x0604");
}

// Function 0 represents the device.
std::string device_of(const sdk::Host& host, const std::string& address) {
  const std::string first = address.substr(0, address.rfind('.')) + ".0";
  return host.exists(folder_of(first)) ? first : address;
}

std::string parent_of(const sdk::Host& host, const std::string& address) {
  const auto real = host.resolve(folder_of(address));
  return real ? hardware::pci_address_in(real->substr(0, real->rfind('/'))) : "";
}

std::string first_below(const sdk::Host& host, const std::string& port) {
  const auto names = host.list(folder_of(port));
  if (!names) return {};
  const auto at = std::find_if(names->begin(), names->end(), hardware::is_pci_address);
  return at == names->end() ? "" : device_of(host, *at);
}

// Slot address of an empty slot: derived from the bus below the port.
std::string bus_below(const sdk::Host& host, const std::string& port) {
  const auto bus = host.read(folder_of(port) + "/secondary_bus_number");
  const auto number = cpu_list(bus.value_or(""));
  return number.size() == 1
             ? fmt::format("{}:{:02x}:00", port.substr(0, port.find(':')), number.front())
             : "";
}

std::string slot_at(const sdk::Host& host, const std::string& place) {
  const auto slots = host.list(kSlots);
  for (const std::string& slot : slots ? *slots : std::vector<std::string>())
    if (const auto at = host.read(std::string(kSlots) + "/" + slot + "/address");
        at && !place.empty() && *at == place)
      return slot;
  return {};
}

}  // namespace

PciPort port_in(std::string_view config) {
  constexpr size_t kFirst = 0x34, kCapabilityExpress = 0x10, kMost = 48;
  const auto byte = [&](size_t at) -> size_t {
    return at < config.size() ? static_cast<uint8_t>(config[at]) : 0;
  };
  size_t at = byte(kFirst) & 0xfc;
  for (size_t n = 0; n < kMost && at >= 0x40; ++n, at = byte(at + 1) & 0xfc) {
    if (byte(at) != kCapabilityExpress) continue;
    switch (byte(at + 2) >> 4) {
      case 4:  // root port of a root complex
      case 6:  // downstream port of a switch
        return PciPort::down;
      case 5:  // upstream port of a switch
        return PciPort::up;
      default:
        return PciPort::none;
    }
  }
  return PciPort::none;
}

PciLink look_at_link(const sdk::Host& host, const std::string& address) {
  PciLink out;
  if (!hardware::is_pci_address(address) || !host.resolve(folder_of(address))) return out;
  // A bridge that gives no port type counts as a port.
  const PciPort port = port_in(host.read(folder_of(address) + "/config").value_or(""));
  std::string place;
  if (port == PciPort::down || (port == PciPort::none && is_bridge(host, address))) {
    out.port = address;
    out.device = first_below(host, address);
    place = out.device.empty() ? bus_below(host, address) : "";
  } else {
    out.device = device_of(host, address);
    out.port = parent_of(host, address);
  }
  if (!out.device.empty()) place = out.device.substr(0, out.device.rfind('.'));
  out.slot = slot_at(host, place);
  return out;
}

}  // namespace fmd::cpu
