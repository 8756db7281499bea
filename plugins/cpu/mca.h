// Machine check architecture: decodes one bank of a processor. Pure; tables with their sources are
// in mca.cpp. Intel: SDM volume 3B, chapter "Machine-Check Architecture" (MCi_STATUS; compound
// error codes). AMD: APM volume 2, chapter 9 "Machine Check Architecture", and scalable MCA (SMCA),
// whose MCA_IPID gives the type of unit that a bank belongs to.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace fmd::cpu {

enum class Vendor : uint8_t { other, intel, amd };
// X86_VENDOR_* of the kernel, as in its trace. Hygon follows AMD, Zhaoxin and Centaur follow Intel.
Vendor vendor_of(unsigned kernel_number);

// Registers of one bank, from the kernel's trace or a crash record.
struct MceRecord {
  Vendor vendor = Vendor::other;
  unsigned cpu = 0;  // the kernel's thread number
  unsigned socket = 0;
  unsigned bank = 0;
  uint64_t status = 0, address = 0, misc = 0, synd = 0, ipid = 0;
  uint64_t mcg_cap = 0, mcg_status = 0;  // mcg_cap 0: unknown, as in the kernel's log
  uint64_t time_s = 0;                   // wall clock; 0 unknown
  std::optional<uint64_t> tsc;           // at the error; 0: read later
};

enum class ErrorKind : uint8_t {
  nothing,       // no error, or a register that was never written
  cache,         // of the core; L3: of the socket
  tlb,           //
  bus,           // interconnect between parts; by itself it accuses no part
  memory,        // seen by a memory controller
  poison,        // use of data already known to be bad: accuses the memory, not the core
  internal,      // the core itself: parity, timer, microcode ROM …
  uncore,        // a unit of the socket outside its cores: fabric, power management, I/O
  external,      // signaled from outside the processor
  unclassified,  //
};
std::string_view kind_name(ErrorKind kind);

// `unknown`: the record gives none, or an unknown one.
enum class ErrorSeverity : uint8_t { corrected, deferred, uncorrected, fatal, unknown };
std::string_view severity_name(ErrorSeverity severity);

// Intel's threshold-based error status: the processor's own verdict on a cache.
enum class CacheWord : uint8_t { none, green, yellow };
std::string_view cache_word_name(CacheWord word);

struct McaError {
  ErrorKind kind = ErrorKind::nothing;
  ErrorSeverity severity = ErrorSeverity::corrected;
  std::string level;      // of a cache or TLB: "L0" … "L3"; "unknown"
  std::string content;    // "instruction", "data", "generic"; "" unknown
  std::string operation;  // "read", "evict", "scrub" …; ""
  std::string unit;       // SMCA's name of the bank: "load-store", "memory controller"; "" unknown
  CacheWord word = CacheWord::none;
  std::optional<unsigned> channel;  // of memory errors, if known
  bool overflow = false;            // more errors came than the bank could record
  bool enabled = true;  // false: the bank was not set to report this error, so it is no evidence
  bool poison = false;  // AMD: the data were marked as bad
  bool has_address = false;
  bool recoverable = false;  // Intel: software may recover from it (MCG_CAP[24])
  uint64_t count = 1;        // corrected errors since the last read, if the bank counts them

  std::string text() const;  // "corrected error in the L1 data cache (read)"
};

// nullopt if the bank holds no valid error.
std::optional<McaError> decode(const MceRecord& record);

}  // namespace fmd::cpu
