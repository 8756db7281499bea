// Findings: whom a record of the kernel's speaks against, as the event that is told. Pure.
//
//   cache, TLB, internal   the core (its L3 cache: the socket, whose cores share it)
//   bus, uncore, external  the socket
//   memory                 the page, where its address is physical; the channel, where EDAC does not count;
//                          the channel of a module that EDAC names, which others may have in common with it
//   PCIe, CXL's link       the device at the lower end of the link
//   CXL's memory           the page, where it is mapped; the device
#pragma once
#include <functional>
#include <string>
#include <vector>

#include "plugins/cpu/processors.h"
#include "plugins/cpu/trace_records.h"
#include "plugins/sdk/plugin.h"

namespace fmd::cpu {

inline constexpr unsigned kPageShift = 12;

std::string page_fmri(uint64_t frame);
// bank: of the processor's machine check banks, since each memory controller has its own.
std::string channel_fmri(unsigned socket, unsigned bank, unsigned channel);
// One that EDAC tells of, by its memory controllers.
std::string edac_channel_fmri(unsigned controller, unsigned channel);

// FMRI of the processor whose bank told.
std::string socket_of(const MceRecord& record, const Processors& machine);

// Of a PCIe link, and its slot: answered by the plugin, from sysfs.
struct PciLink {
  std::string port, device;  // addresses; one is "" when it is not known
  std::string slot;          // its name; "" none
};
using LinkOf = std::function<PciLink(const std::string& address)>;

// The physical page that a machine check is about; nothing when its address is of another kind.
std::optional<uint64_t> frame_of(const MceRecord& record, const McaError& error);

// Times are left 0.
std::vector<sdk::OutEvent> findings(const TraceRecord& record, const Processors& machine,
                                    const LinkOf& link_of);
// Why a record is no evidence against any part: not enabled in its bank, older than this boot
// (`booted_s`: wall clock, 0 unknown), or left over from before it. "" when it is evidence. Only what a part may be
// taken out of service for is doubted: uncorrected errors and yellow caches.
std::string doubt(const MceRecord& record, uint64_t booted_s);
// As doubt(), for a record that pstore kept of a crash before this boot.
std::string doubt_of_crash(const MceRecord& record, uint64_t booted_s);
// The event that keeps such a record in the journal; no rule judges it.
sdk::OutEvent leftover(const MceRecord& record, const std::string& why, const Processors& machine);

// The same of a machine check alone, as a crash's are.
std::vector<sdk::OutEvent> findings(const MceRecord& record, const Processors& machine);

}  // namespace fmd::cpu
