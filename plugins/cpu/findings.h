// Findings: turns a kernel record into events about the part it blames. Pure.
//
//   cache, TLB, internal   the core (its L3 cache: the socket, whose cores share it)
//   bus, uncore, external  the socket
//   memory                 the page, if the address is physical; the channel, if EDAC does not count
//                          errors; the channel of a module named by EDAC, a possible shared cause
//   PCIe, CXL link         the device at the lower end of the link
//   CXL memory             the page, if it is mapped, and the device
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
// bank: the machine check bank; each memory controller has its own.
std::string channel_fmri(unsigned socket, unsigned bank, unsigned channel);
// A channel as EDAC numbers it, by memory controller.
std::string controller_fmri(unsigned controller);  // of EDAC
std::string edac_channel_fmri(unsigned controller, unsigned channel);

// FMRI of the processor whose bank reported the error.
std::string socket_of(const MceRecord& record, const Processors& machine);

// A PCIe link and its slot. The plugin reads it from sysfs.
struct PciLink {
  std::string port, device;  // PCI addresses; one is "" if unknown
  std::string slot;          // its name; "" no slot
};
using LinkOf = std::function<PciLink(const std::string& address)>;

// The physical page that a machine check names; nullopt if its address is of another kind.
std::optional<uint64_t> frame_of(const MceRecord& record, const McaError& error);

// The events' times are 0.
std::vector<sdk::OutEvent> findings(const TraceRecord& record, const Processors& machine,
                                    const LinkOf& link_of);
// Why a record is no evidence against a part: not enabled in its bank, older than this boot, or
// left over from before it. "" if it is evidence. booted_s: wall clock time, 0 unknown. Checks only
// what may take a part out of service: uncorrected errors and yellow caches.
std::string doubt(const MceRecord& record, uint64_t booted_s);
// As doubt(), for a pstore record of a crash before this boot.
std::string doubt_of_crash(const MceRecord& record, uint64_t booted_s);
// The event that records such a record in the journal; no rule uses it.
sdk::OutEvent leftover(const MceRecord& record, const std::string& why, const Processors& machine);

// For a machine check without a trace record, such as one of a crash.
std::vector<sdk::OutEvent> findings(const MceRecord& record, const Processors& machine);

}  // namespace fmd::cpu
