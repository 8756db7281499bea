#include "plugins/cpu/mca.h"

#include <algorithm>
#include <array>

namespace fmd::cpu {
namespace {

constexpr uint64_t bit(unsigned n) {
  return uint64_t{1} << n;
}
constexpr uint64_t bits(uint64_t value, unsigned high, unsigned low) {
  return (value >> low) & ((uint64_t{1} << (high - low + 1)) - 1);
}

// Intel: SDM volume 3B (order number 253669), sections numbered as in editions up to 2021 (chapter
// 15; later ones renumber only the chapter). AMD: APM volume 2 (24593), chapter 9; SMCA: the
// processors' PPRs (54945 for family 17h, 55898 for 19h), section 3.1.

// MCi_STATUS, both vendors (SDM 15.3.2.2; APM 9.3.2).
constexpr uint64_t kValid = bit(63), kOver = bit(62), kUncorrected = bit(61), kEnabled = bit(60),
                   kAddressValid = bit(58), kContextCorrupt = bit(57);
// Intel (SDM 15.6.2, 15.6.3): signaled, with MCG_CAP[24] (software error recovery).
constexpr uint64_t kSignaled = bit(56), kActionRequired = bit(55), kCapRecovery = bit(24);
// Intel: with MCG_CAP[11], [54:53] is the threshold status (SDM 15.4, table 15-1); with
// MCG_CAP[10], [52:38] is a count (15.3.1.1, 15.3.2.2.1).
constexpr uint64_t kCapThreshold = bit(11), kCapCounts = bit(10);
// AMD (PPR 3.1, MCA_STATUS).
constexpr uint64_t kCorrectedEcc = bit(46), kUncorrectedEcc = bit(45), kDeferred = bit(44),
                   kPoison = bit(43);

constexpr std::array<std::string_view, 4> kContents{"instruction", "data", "generic", ""};
constexpr std::array<std::string_view, 9> kRequests{"",          "read",       "write",
                                                    "data read", "data write", "instruction fetch",
                                                    "prefetch",  "evict",      "snoop"};
constexpr std::array<std::string_view, 5> kMemoryRequests{"", "read", "write", "address or command",
                                                          "scrub"};

template <size_t N>
std::string word(const std::array<std::string_view, N>& words, uint64_t at) {
  return std::string(at < N ? words[at] : "");
}

// LL (SDM 15.9.2.3): 3 is "generic", so the level is unknown.
std::string level_of(uint64_t code) {
  const uint64_t level = code & 3;
  return level == 3 ? "unknown" : "L" + std::to_string(level);
}

// TT and RRRR: SDM 15.9.2.2 and 15.9.2.4.
void cache(uint64_t code, McaError& out) {
  out.kind = ErrorKind::cache;
  out.level = level_of(code);
  out.content = word(kContents, bits(code, 3, 2));
  out.operation = word(kRequests, bits(code, 7, 4));
}

// SDM 15.9.2.6.
void memory_controller(uint64_t code, McaError& out) {
  out.kind = ErrorKind::memory;
  out.operation = word(kMemoryRequests, bits(code, 6, 4));
  if (const uint64_t channel = code & 15; channel != 15)  // 15: unknown
    out.channel = static_cast<unsigned>(channel);
}

// Simple and compound codes (SDM 15.9.1, 15.9.2; AMD's are a subset: APM, table "Error Codes"; bus
// errors: 15.9.2.5). Ignores bit 12, which only says that reports were filtered (15.9.2.1).
void read_code(uint64_t status, McaError& out) {
  const uint64_t code = status & 0xefff;
  if (code == 0)
    out.kind = ErrorKind::nothing;
  else if (code == 1)
    out.kind = ErrorKind::unclassified;
  else if (code == 2 || code == 4 || code == 5 || code == 6 || (code & 0xfc00) == 0x0400)
    out.kind = ErrorKind::internal;
  else if (code == 3 || code == 0x0e0b)
    out.kind = ErrorKind::external;
  else if ((code & 0xfffc) == 0x000c) {  // generic cache hierarchy
    out.kind = ErrorKind::cache;
    out.level = level_of(code);
  } else if ((code & 0xfff0) == 0x0010) {
    out.kind = ErrorKind::tlb;
    out.level = level_of(code);
    out.content = word(kContents, bits(code, 3, 2));
  } else if ((code & 0xff80) == 0x0080 || (code & 0xff80) == 0x0280)  // also memory used as a cache
    memory_controller(code, out);
  else if ((code & 0xff00) == 0x0100)
    cache(code, out);
  else if ((code & 0xf800) == 0x0800) {
    out.kind = ErrorKind::bus;
    out.operation = word(kRequests, bits(code, 7, 4));
  } else
    out.kind = ErrorKind::unclassified;
}

// MCA_IPID: HardwareID [43:32], McaType [63:48]; table of blocks in section 3.1 of the PPRs
// (kernel: arch/x86/kernel/cpu/mce/amd.c).
struct SmcaUnit {
  unsigned hardware, type;
  std::string_view name;
  ErrorKind kind;  // kind of each error in it; `nothing`: given by the error code
  std::string_view level;
};
constexpr std::array kSmca{
    SmcaUnit{0xb0, 0x00, "load-store", ErrorKind::nothing, "L1"},
    SmcaUnit{0xb0, 0x10, "load-store", ErrorKind::nothing, "L1"},
    SmcaUnit{0xb0, 0x01, "instruction fetch", ErrorKind::nothing, "L1"},
    SmcaUnit{0xb0, 0x02, "L2 cache", ErrorKind::cache, "L2"},
    SmcaUnit{0xb0, 0x03, "decode", ErrorKind::internal, ""},
    SmcaUnit{0xb0, 0x05, "execution", ErrorKind::internal, ""},
    SmcaUnit{0xb0, 0x06, "floating point", ErrorKind::internal, ""},
    SmcaUnit{0xb0, 0x07, "L3 cache", ErrorKind::cache, "L3"},
    SmcaUnit{0x2e, 0x00, "coherent station", ErrorKind::uncore, ""},
    SmcaUnit{0x2e, 0x02, "coherent station", ErrorKind::uncore, ""},
    SmcaUnit{0x2e, 0x01, "power, interrupts", ErrorKind::uncore, ""},
    SmcaUnit{0x96, 0x00, "memory controller", ErrorKind::memory, ""},
    SmcaUnit{0x96, 0x01, "memory controller", ErrorKind::memory, ""},
    SmcaUnit{0x05, 0x00, "parameter block", ErrorKind::uncore, ""},
    SmcaUnit{0xff, 0x00, "platform security processor", ErrorKind::uncore, ""},
    SmcaUnit{0xff, 0x01, "platform security processor", ErrorKind::uncore, ""},
    SmcaUnit{0x01, 0x00, "system management unit", ErrorKind::uncore, ""},
    SmcaUnit{0x01, 0x01, "system management unit", ErrorKind::uncore, ""},
    SmcaUnit{0x01, 0x02, "microprocessor 5", ErrorKind::uncore, ""},
    SmcaUnit{0x18, 0x00, "northbridge I/O", ErrorKind::uncore, ""},
    SmcaUnit{0x46, 0x00, "PCIe root port", ErrorKind::uncore, ""},
    SmcaUnit{0x46, 0x01, "PCIe root port", ErrorKind::uncore, ""},
    SmcaUnit{0x2e, 0x04, "memory-attached cache", ErrorKind::uncore, ""},
    SmcaUnit{0x01, 0x03, "DMA processor", ErrorKind::uncore, ""},
    SmcaUnit{0x50, 0x00, "link between sockets", ErrorKind::uncore, ""},
    SmcaUnit{0x259, 0x00, "link between sockets", ErrorKind::uncore, ""},
    SmcaUnit{0x241, 0x00, "link between dies", ErrorKind::uncore, ""},
    SmcaUnit{0x269, 0x00, "link between dies", ErrorKind::uncore, ""},
    SmcaUnit{0x267, 0x00, "link between dies", ErrorKind::uncore, ""},
    SmcaUnit{0x6c, 0x00, "northbridge I/O", ErrorKind::uncore, ""},
    SmcaUnit{0x80, 0x00, "system hub", ErrorKind::uncore, ""},
    SmcaUnit{0xa8, 0x00, "SATA controller", ErrorKind::uncore, ""},
    SmcaUnit{0xaa, 0x00, "USB controller", ErrorKind::uncore, ""},
};
constexpr unsigned kSmcaCore = 0xb0;  // HardwareID of all blocks of a core, and of its L3 cache

void read_smca(const MceRecord& record, McaError& out) {
  const auto hardware = static_cast<unsigned>(bits(record.ipid, 43, 32)),
             type = static_cast<unsigned>(bits(record.ipid, 63, 48));
  // Blocks outside the cores use the error code of a core's internal error as well. The core is only
  // the one that read the bank.
  const bool core_code =
      out.kind == ErrorKind::internal || out.kind == ErrorKind::tlb || out.kind == ErrorKind::cache;
  if (hardware != kSmcaCore && core_code) {
    out.kind = ErrorKind::uncore;
    out.level.clear();
  }
  for (const SmcaUnit& unit : kSmca) {
    if (unit.hardware != hardware || unit.type != type) continue;
    out.unit = unit.name;
    if (unit.kind != ErrorKind::nothing) out.kind = unit.kind;
    const bool has_level = out.kind == ErrorKind::cache || out.kind == ErrorKind::tlb;
    if (has_level && (out.level.empty() || out.level == "unknown")) out.level = unit.level;
    if (!has_level) out.level.clear();
  }
  // The memory controller's instance number is its channel (kernel: drivers/edac/amd64_edac.c).
  if (out.kind == ErrorKind::memory) out.channel = static_cast<unsigned>(bits(record.ipid, 31, 20));
}

void read_amd(const MceRecord& record, McaError& out) {
  const uint64_t s = record.status;
  out.poison = s & kPoison;
  if (s & kDeferred && !(s & kUncorrected)) out.severity = ErrorSeverity::deferred;
  if (record.ipid != 0) return read_smca(record, out);
  // Without SMCA, the northbridge (bank 4) reports memory ECC errors.
  if (out.kind == ErrorKind::bus && record.bank == 4 && s & (kCorrectedEcc | kUncorrectedEcc))
    out.kind = ErrorKind::memory;
}

void read_intel(const MceRecord& record, McaError& out) {
  const uint64_t s = record.status;
  const bool uncorrected = s & kUncorrected;
  if (!uncorrected && record.mcg_cap & kCapCounts) {
    const uint64_t count = bits(s, 52, 38);
    if (count > 1) out.count = count;
  }
  if (!uncorrected && out.kind == ErrorKind::cache && record.mcg_cap & kCapThreshold) {
    const uint64_t word = bits(s, 54, 53);  // 0: not tracked, 3: reserved
    out.word = word == 1 ? CacheWord::green : word == 2 ? CacheWord::yellow : CacheWord::none;
  }
  // Without MCG_CAP: only processors that can recover set bit 56.
  const bool has_recovery = record.mcg_cap == 0 ? s & kSignaled : record.mcg_cap & kCapRecovery;
  const bool recoverable = has_recovery && uncorrected && !(s & kContextCorrupt);
  out.recoverable = recoverable;
  if (!recoverable) return;
  if (!(s & kSignaled)) out.severity = ErrorSeverity::deferred;  // UCNA: no action
  // Architectural recoverable errors (SDM 15.9.3.1, 15.9.3.2): a load or fetch of poisoned data, or
  // poison written back from the last-level cache. The cache itself is good.
  const uint64_t code = s & 0xefff;
  if (s & kSignaled && (code == 0x0134 || code == 0x0150 || code == 0x017a))
    out.kind = ErrorKind::poison;
}

// Corrected and deferred errors are reported whatever EN is (SDM 15.6.3, table "MCA recovery": EN
// is "x" for CE, UCNA and SRAO; APM 9.3.2.1). An uncorrected error without EN was not enabled in
// the bank's control register: a speculative access, or left over by the firmware.
bool is_enabled(uint64_t status, const McaError& error) {
  const bool optional_action =
      status & kSignaled && !(status & (kContextCorrupt | kActionRequired));
  return status & kEnabled || error.severity <= ErrorSeverity::deferred ||
         (error.recoverable && optional_action);
}

}  // namespace

Vendor vendor_of(unsigned kernel_number) {
  switch (kernel_number) {
    case 0:   // Intel
    case 5:   // Centaur
    case 10:  // Zhaoxin
      return Vendor::intel;
    case 2:  // AMD
    case 9:  // Hygon
      return Vendor::amd;
    default:
      return Vendor::other;
  }
}

std::string_view kind_name(ErrorKind kind) {
  constexpr std::array<std::string_view, 10> kNames{"nothing",  "cache",       "tlb",      "bus",
                                                    "memory",   "poison",      "internal", "uncore",
                                                    "external", "unclassified"};
  return kNames.at(static_cast<size_t>(kind));
}

std::string_view severity_name(ErrorSeverity severity) {
  constexpr std::array<std::string_view, 5> kNames{"corrected", "deferred", "uncorrected", "fatal",
                                                   "unknown"};
  return kNames.at(static_cast<size_t>(severity));
}

std::string_view cache_word_name(CacheWord word) {
  constexpr std::array<std::string_view, 3> kNames{"none", "green", "yellow"};
  return kNames.at(static_cast<size_t>(word));
}

std::optional<McaError> decode(const MceRecord& record) {
  const uint64_t s = record.status;
  if (!(s & kValid)) return std::nullopt;
  McaError out;
  read_code(s, out);
  out.overflow = s & kOver;
  out.has_address = s & kAddressValid;
  if (s & kUncorrected)
    out.severity = s & kContextCorrupt ? ErrorSeverity::fatal : ErrorSeverity::uncorrected;
  if (record.vendor == Vendor::intel) read_intel(record, out);
  if (record.vendor == Vendor::amd) read_amd(record, out);
  // For consumed poison, the source of the data is at fault.
  const bool of_core = out.kind == ErrorKind::cache || out.kind == ErrorKind::tlb ||
                       out.kind == ErrorKind::internal || out.kind == ErrorKind::bus;
  if (out.poison && of_core) out.kind = ErrorKind::poison;
  out.enabled = is_enabled(s, out);
  if (out.overflow) out.count = std::max<uint64_t>(out.count, 2);  // at least one was lost
  if (out.kind == ErrorKind::nothing) return std::nullopt;
  return out;
}

std::string McaError::text() const {
  std::string said(severity_name(severity));
  switch (kind) {
    case ErrorKind::cache:
      said += " error in the " + (level == "unknown" ? "" : level + " ") +
              (content.empty() || content == "generic" ? "" : content + " ") + "cache";
      break;
    case ErrorKind::tlb:
      said += " error in the " + (level == "unknown" ? "" : level + " ") +
              (content.empty() || content == "generic" ? "" : content + " ") + "TLB";
      break;
    case ErrorKind::bus:
      said += " bus or interconnect error";
      break;
    case ErrorKind::memory:
      said += " memory error";
      if (channel) said += " on channel " + std::to_string(*channel);
      break;
    case ErrorKind::poison:
      said += " use of data that memory had lost";
      break;
    case ErrorKind::internal:
      said += " internal error of the core";
      break;
    case ErrorKind::uncore:
      said += " error of the processor outside its cores";
      break;
    case ErrorKind::external:
      said += " error reported from outside the processor";
      break;
    default:
      said += " unclassified error";
  }
  if (!unit.empty() && unit.find("cache") == unit.npos) said += ", " + unit;
  if (!operation.empty()) said += " (" + operation + ")";
  if (overflow) said += "; more errors came than the bank could record";
  return said;
}

}  // namespace fmd::cpu
