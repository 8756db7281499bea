// EdacDimms: the memory that the kernel's EDAC counts (/sys/devices/system/edac/mc), and the module
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
  std::optional<unsigned>
      socket;                // of the processor that its controller is in, where the driver says
  std::string kernel_label;  // as the kernel's trace prints it
  std::string label;  // as printed on the board, where that is written down; else the kernel's
  uint64_t size_bytes = 0;
  std::string module;      // FMRI of the module that it is, or is a rank of
  bool own_counts = true;  // the first of its module; false: a further rank of it
  bool operator==(const EdacDimm&) const = default;

  std::string own_fmri() const;  // mem://mc=…/dimm=…
};

// What has no memory in it is left out.
std::vector<EdacDimm> edac_dimms(const sdk::Host& host, const DimmNames& names);

// FMRI of the module that the kernel or the firmware calls so.
std::string module_called(std::string_view label, const std::vector<EdacDimm>& dimms,
                          const DimmNames& names);

}  // namespace fmd::hardware
