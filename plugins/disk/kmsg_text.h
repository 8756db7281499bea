// Parses records of /dev/kmsg ("6,1234,177444648,-;text\n SUBSYSTEM=…\n") about disks, their
// controllers and file systems. The kernel rate-limits them, so they are no measure of frequency,
// but they have sense data that some trace events lack. Pure; accepts any bytes. Sources:
// Documentation/ABI/testing/dev-kmsg; drivers/scsi/scsi_logging.c, block/blk-mq.c,
// drivers/nvme/host, fs/ext4/super.c, fs/xfs; recorded on Linux 6.1.
#pragma once
#include <cstdint>
#include <optional>
#include <string_view>

#include "plugins/disk/kernel_error.h"

namespace fmd::disk {

struct KmsgRecord {
  uint64_t sequence = 0;
  int64_t uptime_ns = 0;
  std::string_view text;  // first line; a view into the parsed record
};
std::optional<KmsgRecord> parse_kmsg(std::string_view record);

// Reads disk failures from the kernel log, record by record. Remembers the last ATA command, since
// libata prints its result ("res …") on a separate line.
class LogText {
 public:
  std::optional<Indication> said_in(const KmsgRecord& record);

 private:
  DeviceName ata_;  // of the preceding "cmd" line; ata_port 0: the last record was no such line
};

// Parses a single record without context.
inline std::optional<Indication> indication_in(const KmsgRecord& record) {
  return LogText().said_in(record);
}

}  // namespace fmd::disk
