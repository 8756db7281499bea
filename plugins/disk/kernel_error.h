// The kernel's error of a failed disk request, and the part that it blames: the disk (its medium or
// hardware) or the path. Pure. Sources: SPC-5 and SBC-4 (sense data), the kernel's
// include/scsi/scsi_status.h (host bytes), block/blk-core.c (errno and its names), libata.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace fmd::disk {

enum class Cause : uint8_t {
  nothing,        // no error
  caller,         // invalid request, or device not ready: no part is at fault
  unspecific,     // failed; disk or path
  medium,         // the disk: that place cannot be read or written
  hardware,       // the disk: its own electronics or mechanics
  transport,      // the path: data lost or corrupted in transit
  timeout,        // the path: no response
  reset,          // the path: link, bus or controller was reset
  interrupt,      // the controller: a completion without its interrupt
  unmapped,       // the path: the target answers, and has no such unit any more
  no_space,       // the path: the storage behind a thin unit has no space left for its data
  gave_up,        // the disk: the kernel has stopped trying to reset its link or NVMe controller
  adapter_fault,  // a host adapter: its firmware has failed, and its driver resets it
  adapter_dead,   // a host adapter: its driver has given it up
};
std::string_view cause_name(Cause cause);  // "medium", as in the event class

struct Sense {
  unsigned key = 0, asc = 0, ascq = 0;
};
Cause cause_of(const Sense& sense);
Cause cause_of_host_byte(std::string_view name);           // "DID_TRANSPORT_DISRUPTED"
Cause cause_of_errno(int error);                           // positive
Cause cause_of_ata_errors(std::string_view words);         // "ATA_BUS TIMEOUT" of libata's err_mask
Cause cause_of_nvme_status(unsigned type, unsigned code);  // of its completion: sct, sc

// The device named in a message. One member is set.
struct DeviceName {
  std::string dev;          // "8:32"
  std::string hctl;         // "0:0:4:0"
  std::string name;         // "sdc"
  std::string nvme;         // a controller, "nvme0"
  std::string file_system;  // block device of a mounted file system, "dm-0"; or its UUID
  int ata_port = 0;         // of "ata3"
  int ata_unit = -1;        // 1 of "ata3.01"; -1: unknown, or the whole port
  int scsi_host = -1;       // a whole host adapter
  std::string adapter;      // its driver's name for it: "mpt3sas_cm0", "0000:01:00.0", "aacraid"
};

// One message about one device. Several may be about one failed request.
struct Indication {
  DeviceName device;
  Cause cause = Cause::nothing;
  int64_t uptime_ns = 0;  // time on the clock of its source
  std::string operation;  // "read", "write"; "" unknown
  std::optional<uint64_t> sector;
  std::optional<Sense> sense;
  std::string text;  // the kernel's text: "ENODATA", "DID_TIME_OUT"
};

}  // namespace fmd::disk
