// Machine check architecture: what a bank of the processor says of one error. Pure; tables with their
// sources in mca.cpp. Intel: SDM volume 3B, chapter "Machine-Check Architecture" (MCi_STATUS; compound
// error codes). AMD: APM volume 2, chapter 9 "Machine Check Architecture", and the scalable one (SMCA),
// whose MCA_IPID says what kind of unit a bank belongs to.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace fmd::cpu {

enum class Vendor : uint8_t { other, intel, amd };
// X86_VENDOR_* of the kernel, as its trace prints it. Hygon's are AMD's, Zhaoxin's Intel's.
Vendor vendor_of(unsigned kernel_number);

// One bank's registers, as the kernel's trace gives them.
struct MceRecord {
  Vendor vendor = Vendor::other;
  unsigned cpu = 0;  // the kernel's number of the thread
  unsigned socket = 0;
  unsigned bank = 0;
  uint64_t status = 0, address = 0, misc = 0, synd = 0, ipid = 0;
  uint64_t mcg_cap = 0, mcg_status = 0;  // mcg_cap 0: not told, as by the kernel's log
  uint64_t time_s = 0;                   // wall clock; 0 unknown
  std::optional<uint64_t>
      tsc;  // of the moment of the error; 0: read later, without a time of its own
};

enum class ErrorKind : uint8_t {
  nothing,       // no error, or a register that was never written
  cache,         // the core's, or the socket's when its level is L3
  tlb,           //
  bus,           // interconnect between the parts of a machine; nobody's by itself
  memory,        // seen by a memory controller
  poison,        // data that were bad already were used: the memory's, not the core's
  internal,      // parity, timer, microcode ROM …: the core itself
  uncore,        // a unit of the socket that is no core: fabric, power management, I/O
  external,      // somebody outside asserted it
  unclassified,  //
};
std::string_view kind_name(ErrorKind kind);

// `unknown`: the record does not say, or in a word that is not known.
enum class ErrorSeverity : uint8_t { corrected, deferred, uncorrected, fatal, unknown };
std::string_view severity_name(ErrorSeverity severity);

// Intel's threshold-based error status: the processor's own word on a cache.
enum class CacheWord : uint8_t { none, green, yellow };
std::string_view cache_word_name(CacheWord word);

struct McaError {
  ErrorKind kind = ErrorKind::nothing;
  ErrorSeverity severity = ErrorSeverity::corrected;
  std::string level;      // of a cache or TLB: "L0" … "L3"; "unknown"
  std::string content;    // "instruction", "data", "generic"; "" when it does not say
  std::string operation;  // "read", "evict", "scrub" …; ""
  std::string unit;       // SMCA's name of the bank: "load-store", "memory controller"; ""
  CacheWord word = CacheWord::none;
  std::optional<unsigned> channel;  // of memory errors, where it is told
  bool overflow = false;            // more came than the bank could keep
  bool enabled = true;  // false: the bank was not set to report this error, so it proves nothing
  bool poison = false;  // AMD: data were marked as bad
  bool has_address = false;
  bool recoverable = false;  // Intel: software may recover from it (MCG_CAP[24])
  uint64_t count = 1;        // corrected since the last look, where the bank counts

  std::string text() const;  // "corrected error in the L1 data cache (read)"
};

// Nothing when the bank holds no valid error.
std::optional<McaError> decode(const MceRecord& record);

}  // namespace fmd::cpu
