// Processors: core and socket of each thread, threads that share a cache, online state. The kernel
// removes the topology of an offline thread, so its last known place is kept (CpuMemory).
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
  bool can_go = true;                                    // the kernel allows taking it offline
  std::map<std::string, std::vector<unsigned>> sharing;  // cache level → threads, itself included
  bool operator==(const Thread&) const = default;
};

struct Processors {
  std::string boot;  // boot_id of the kernel
  std::map<unsigned, Thread> threads;
  std::vector<hardware::EdacDimm> modules;
  // True: RAS_CEC hides corrected memory errors from EDAC. nullopt: unknown without debugfs.
  std::optional<bool> collector;
  uint64_t memory_bytes = 0;
  hardware::DimmNames dimms;                // from SMBIOS and the chassis description
  std::map<unsigned, std::string> printed;  // socket → its printed name

  // processors: as SMBIOS has them. The kernel numbers as many sockets in the firmware's order.
  void name_sockets(const std::vector<std::string>& processors);
  std::string name_of_socket(const std::string& number) const;  // "CPU1", without one "CPU 0"

  std::vector<unsigned> of_core(const std::string& core) const;  // takes the core's FMRI
  bool operator==(const Processors&) const = default;
};

using KnownPlaces = std::map<unsigned, ThreadPlace>;
// known: last known places, also of offline threads; updated here. before: the previous result; its
// cache data is reused while the same threads are online.
Processors look_at_processors(const sdk::Host& host, KnownPlaces& known,
                              hardware::DimmNames dimms = {}, const Processors& before = {});

std::vector<unsigned> cpu_list(std::string_view text);  // "0-3,8"
std::string socket_fmri(unsigned socket);
std::string core_fmri(const ThreadPlace& place);
std::string core_name(const ThreadPlace& place);  // "CPU 0 core 3"

}  // namespace fmd::cpu
