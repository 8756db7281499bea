#include "plugins/disk/kernel_error.h"

#include <errno.h>

#include <algorithm>
#include <array>

namespace fmd::disk {
namespace {

constexpr unsigned kMedium = 3, kHardware = 4, kIllegal = 5, kUnitAttention = 6, kProtect = 7,
                   kAborted = 11;
constexpr unsigned kUnitNotSupported = 0x25;
constexpr unsigned kWriteProtected = 0x27, kSpaceAllocationFailed = 7;

// Additional sense codes for link errors: unit communication, CRC or parity, initiator detected
// error, command phase, data phase and NAKs.
bool is_of_the_link(unsigned asc) {
  constexpr std::array<unsigned, 8> kLink{0x08, 0x10, 0x43, 0x45, 0x47, 0x48, 0x4a, 0x4b};
  return std::find(kLink.begin(), kLink.end(), asc) != kLink.end();
}

bool one_of(std::string_view name, std::initializer_list<std::string_view> names) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

}  // namespace

std::string_view cause_name(Cause cause) {
  switch (cause) {
    case Cause::nothing:
      return "nothing";
    case Cause::caller:
      return "caller";
    case Cause::unspecific:
      return "unspecific";
    case Cause::medium:
      return "medium";
    case Cause::hardware:
      return "hardware";
    case Cause::transport:
      return "transport";
    case Cause::timeout:
      return "timeout";
    case Cause::reset:
      return "reset";
    case Cause::interrupt:
      return "interrupt";
    case Cause::unmapped:
      return "unmapped";
    case Cause::no_space:
      return "no_space";
    case Cause::gave_up:
      return "gave_up";
    case Cause::adapter_fault:
      return "fault";
    case Cause::adapter_dead:
      return "dead";
  }
  return "nothing";
}

Cause cause_of(const Sense& sense) {
  switch (sense.key) {
    case 0:
    case 1:
      return Cause::nothing;  // succeeded, possibly after retries
    case kMedium:
      return Cause::medium;
    case kHardware:
      return sense.asc == 0x08 ? Cause::transport : Cause::hardware;
    // A storage array no longer presents the unit to this host.
    case kIllegal:
      return sense.asc == kUnitNotSupported ? Cause::unmapped : Cause::caller;
    case kProtect:
      return sense.asc == kWriteProtected && sense.ascq == kSpaceAllocationFailed ? Cause::no_space
                                                                                  : Cause::caller;
    // 29h: power on, reset, or I_T nexus loss. The other codes report changes (capacity, mode
    // pages).
    case kUnitAttention:
      return sense.asc == 0x29 ? Cause::reset : Cause::caller;
    case kAborted:
      return is_of_the_link(sense.asc) ? Cause::transport : Cause::unspecific;
    default:
      return Cause::caller;  // not ready, miscompare, ...
  }
}

Cause cause_of_host_byte(std::string_view name) {
  if (name.empty() || name == "DID_OK" || name == "0") return Cause::nothing;
  if (name == "DID_TIME_OUT") return Cause::timeout;
  if (name == "DID_RESET") return Cause::reset;
  // Kernels before 5.19 put into the host byte what the sense data says: reserved by another host, a thin
  // unit without space, an unreadable place.
  if (one_of(name, {"DID_NEXUS_FAILURE", "DID_ALLOC_FAILURE"})) return Cause::caller;
  if (name == "DID_MEDIUM_ERROR") return Cause::medium;
  // Aborts by the driver, and consequences of a timeout that is reported separately.
  if (one_of(name, {"DID_ABORT", "DID_IMM_RETRY", "DID_REQUEUE", "DID_PASSTHROUGH"}))
    return Cause::nothing;
  if (one_of(name, {"DID_NO_CONNECT", "DID_BUS_BUSY", "DID_BAD_TARGET", "DID_PARITY", "DID_ERROR",
                    "DID_BAD_INTR", "DID_SOFT_ERROR", "DID_TRANSPORT_DISRUPTED",
                    "DID_TRANSPORT_FAILFAST", "DID_TRANSPORT_MARGINAL"}))
    return Cause::transport;
  return Cause::unspecific;
}

Cause cause_of_errno(int error) {
  switch (error) {
    case ENODATA:
      return Cause::medium;
    case ENOLINK:
    case EILSEQ:
      return Cause::transport;  // protection information mismatch
    case ETIMEDOUT:
      return Cause::timeout;
    case ENOSPC:
      return Cause::no_space;
    // The target refused, because of its hardware (sense key 4h) or the request (5h): the sense
    // data decides.
    case EREMOTEIO:
    case EIO:
      return Cause::unspecific;
    default:
      return Cause::caller;  // unsupported, reserved by another host, going away
  }
}

Cause cause_of_ata_errors(std::string_view words) {
  const auto has = [&](std::string_view word) { return words.find(word) != words.npos; };
  if (has("MEDIA")) return Cause::medium;
  if (has("ATA_BUS") || has("HSM")) return Cause::transport;
  if (has("TIMEOUT")) return Cause::timeout;
  return Cause::nothing;  // DEV: the drive refused; its sense data explains why
}

// NVM Express base specification 2.0, figures "Status Code – Generic" and "– Media and Data Integrity Errors".
Cause cause_of_nvme_status(unsigned type, unsigned code) {
  constexpr unsigned kGeneric = 0, kMedia = 2;
  if (type == kGeneric && code == 0x0b) return Cause::unmapped;  // invalid namespace or format
  if (type == kGeneric && code == 0x81) return Cause::no_space;  // capacity exceeded
  if (type == kMedia && (code == 0x80 || code == 0x81)) return Cause::medium;
  // The data does not agree with its protection information.
  if (type == kMedia && code >= 0x82 && code <= 0x84) return Cause::transport;
  return Cause::nothing;
}

}  // namespace fmd::disk
