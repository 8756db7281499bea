// What the kernel says when a request to a disk fails, and whom that speaks against: the disk (its
// medium, its hardware) or the way to it. Pure. Sources: SPC-5 and SBC-4 (sense data), the kernel's
// include/scsi/scsi_status.h (host bytes), block/blk-core.c (errno and its words), libata.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace fmd::disk {

enum class Cause : uint8_t {
  nothing,     // says nothing
  caller,      // what was asked was wrong, or the device was not ready: nobody's fault
  unspecific,  // it failed; disk or path
  medium,      // the disk: it cannot read or write that place
  hardware,    // the disk: its own electronics or mechanics
  transport,   // the path: what was sent did not arrive as it was sent, or not at all
  timeout,     // the path: no answer
  reset,       // the path: link, bus or controller was reset
  interrupt,   // the controller: a completion without its interrupt
  unmapped,    // the path: the target answers, and has no such unit any more
  no_space,    // the path: the storage behind a thin unit has no space left for its data
};
std::string_view cause_name(Cause cause);  // "medium", as in the event's class

struct Sense {
  unsigned key = 0, asc = 0, ascq = 0;
};
Cause cause_of(const Sense& sense);
Cause cause_of_host_byte(std::string_view name);           // "DID_TRANSPORT_DISRUPTED"
Cause cause_of_errno(int error);                           // positive
Cause cause_of_ata_errors(std::string_view words);         // "ATA_BUS TIMEOUT" of libata's err_mask
Cause cause_of_nvme_status(unsigned type, unsigned code);  // of its completion: sct, sc

// What a device is called where something is said of it. One of them is set.
struct DeviceName {
  std::string dev;          // "8:32"
  std::string hctl;         // "0:0:4:0"
  std::string name;         // "sdc"
  std::string nvme;         // "nvme0", a controller
  std::string file_system;  // "dm-0", what a file system is mounted from
  int ata_port = 0;         // of "ata3"
  int ata_unit = -1;        // 1 of "ata3.01"; -1: not said, or the port as a whole
  int scsi_host = -1;       // a whole host adapter
};

// One thing said of one device. Several of them may be about one failed request.
struct Indication {
  DeviceName device;
  Cause cause = Cause::nothing;
  int64_t uptime_ns = 0;  // when, on the clock of its source
  std::string operation;  // "read", "write"; "" unknown
  std::optional<uint64_t> sector;
  std::optional<Sense> sense;
  std::string text;  // "ENODATA", "DID_TIME_OUT", what the kernel wrote
};

}  // namespace fmd::disk
