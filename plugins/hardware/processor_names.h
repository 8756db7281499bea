// Matches a name from a BMC's sensors ("CPU1 Status") with SMBIOS's processors ("CPU1"). Pure.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace fmd::hardware {

// Index of the processor with that name, from 0; a single processor matches any name. processors:
// SMBIOS names of those present, in the kernel's order.
std::optional<size_t> processor_called(std::string_view name,
                                       const std::vector<std::string>& processors);

}  // namespace fmd::hardware
