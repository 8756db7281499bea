#include "plugins/hardware/system_id.h"

#include <algorithm>
#include <array>

#include "fmd/base/lower_case.h"
#include "fmd/base/machine_id.h"

namespace fmd::hardware {
namespace {

std::string attribute(const sdk::Host& host, std::string_view name) {
  auto text = host.read("/sys/class/dmi/id/" + std::string(name));
  if (!text) return {};
  const size_t first = text->find_first_not_of(" \t\n");
  if (first == text->npos) return {};
  return text->substr(first, text->find_last_not_of(" \t\n") - first + 1);
}

}  // namespace

bool is_nobodys_text(std::string_view text) {
  // The last one is the UUID of boards whose vendor never set one.
  constexpr std::array<std::string_view, 14> kFillers = {"to be filled by o.e.m.",
                                                         "to be filled by o.e.m",
                                                         "default string",
                                                         "not specified",
                                                         "not settable",
                                                         "not applicable",
                                                         "not available",
                                                         "none",
                                                         "n/a",
                                                         "unknown",
                                                         "system serial number",
                                                         "no dimm",
                                                         "empty",
                                                         "03000200-0400-0500-0006-000700080009"};
  const std::string lower = lower_case(text);
  const auto only = [&](std::string_view characters) {
    return lower.find_first_not_of(characters) == std::string::npos;
  };
  return only("0-: ") || only("f-: ") || only(".x ") || lower == "123456789" ||
         lower == "0123456789" ||
         std::find(kFillers.begin(), kFillers.end(), lower) != kFillers.end();
}

std::string system_id(const sdk::Host& host) {
  const auto content = host.read("/etc/machine-id");
  return machine_name(content ? *content : "");
}

std::string dmi_id(const sdk::Host& host) {
  if (const std::string uuid = lower_case(attribute(host, "product_uuid")); !is_nobodys_text(uuid))
    return uuid;
  if (const std::string serial = attribute(host, "product_serial"); !is_nobodys_text(serial))
    return serial;
  return {};
}

std::map<std::string, std::string> machine_facts(const sdk::Host& host) {
  return {{"system_id", system_id(host)},
          {"dmi_id", dmi_id(host)},
          {"dmi_vendor", attribute(host, "sys_vendor")},
          {"dmi_product", attribute(host, "product_name")},
          {"dmi_serial", attribute(host, "product_serial")}};
}

}  // namespace fmd::hardware
