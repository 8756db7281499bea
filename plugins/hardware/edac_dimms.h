// EdacDimms: the memory counted by the kernel's EDAC (/sys/devices/system/edac/mc), and the module
// of each entry. Shared by all plugins, so that their reports about one module have one FMRI.
// Source: Documentation/admin-guide/ras.rst of Linux.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "plugins/hardware/dimm_names.h"
#include "plugins/sdk/host.h"

namespace fmd::hardware {

struct EdacDimm {
  unsigned controller = 0, number = 0;  // mc0/dimm3, or mc0/rank3 of older drivers
  std::string folder;                   // in sysfs
  std::optional<unsigned> channel;
  std::optional<unsigned> socket;  // of the processor with its controller, if the driver names it
  std::string kernel_label;        // as in the kernel's trace
  std::string label;               // as printed on the board, if configured; otherwise the kernel's
  uint64_t size_bytes = 0;
  std::string module;      // FMRI of the module; a rank has that of its module
  bool own_counts = true;  // true for the module's first entry, false for further ranks
  bool operator==(const EdacDimm&) const = default;

  std::string own_fmri() const;  // mem://mc=…/dimm=…
};

// Omits entries without memory.
std::vector<EdacDimm> edac_dimms(const sdk::Host& host, const DimmNames& names);

// FMRI of the module that the kernel or firmware gives this name.
std::string module_called(std::string_view label, const std::vector<EdacDimm>& dimms,
                          const DimmNames& names);

}  // namespace fmd::hardware
