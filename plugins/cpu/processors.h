// Processors: which thread is whose core's and socket's, which threads share a cache, what is online. The
// kernel takes an offline thread's topology away, so what was known of it is kept (CpuMemory).
#pragma once
#include <cstdint>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "plugins/hardware/dimm_names.h"
#include "plugins/hardware/edac_dimms.h"
#include "plugins/sdk/host.h"

namespace fmd::cpu {

struct ThreadPlace {
  unsigned socket = 0, core = 0;
  bool operator==(const ThreadPlace&) const = default;
};

struct Thread {
  ThreadPlace place;
  bool online = true;
  bool can_go = true;                                    // the kernel lets it go offline
  std::map<std::string, std::vector<unsigned>> sharing;  // cache level → threads, itself included
  bool operator==(const Thread&) const = default;
};

struct Processors {
  std::string boot;  // the kernel's id of this boot
  std::map<unsigned, Thread> threads;
  std::vector<hardware::EdacDimm> modules;
  // RAS_CEC keeps corrected memory errors from EDAC; nothing: without debugfs it is not known.
  std::optional<bool> collector;
  uint64_t memory_bytes = 0;
  hardware::DimmNames dimms;                // as SMBIOS and a description have them
  std::map<unsigned, std::string> printed;  // socket → its printed name

  // processors: as SMBIOS has them. The kernel numbers as many sockets in the firmware's order.
  void name_sockets(const std::vector<std::string>& processors);
  std::string name_of_socket(const std::string& number) const;  // "CPU1", without one "CPU 0"

  std::vector<unsigned> of_core(const std::string& core) const;  // its FMRI
  bool operator==(const Processors&) const = default;
};

using KnownPlaces = std::map<unsigned, ThreadPlace>;
// known: places of threads, also of those that are offline now; learns.
// before: the look before, whose word on caches holds while the same threads are online.
Processors look_at_processors(const sdk::Host& host, KnownPlaces& known,
                              hardware::DimmNames dimms = {}, const Processors& before = {});

std::vector<unsigned> cpu_list(std::string_view text);  // "0-3,8"
std::string socket_fmri(unsigned socket);
std::string core_fmri(const ThreadPlace& place);
std::string core_name(const ThreadPlace& place);  // "CPU 0 core 3"

}  // namespace fmd::cpu
