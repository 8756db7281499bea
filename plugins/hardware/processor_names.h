// The machine's processors by the names of SMBIOS ("CPU1") and of a BMC's sensors ("CPU1 Status").
// Pure.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace fmd::hardware {

// Which of them is called so, counted from 0; the only one is, by any name. processors: as SMBIOS calls
// those that are there, in the kernel's order.
std::optional<size_t> processor_called(std::string_view name,
                                       const std::vector<std::string>& processors);

}  // namespace fmd::hardware
