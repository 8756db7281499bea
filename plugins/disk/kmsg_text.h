// A record of /dev/kmsg ("6,1234,177444648,-;text\n SUBSYSTEM=…\n"): what the kernel writes about
// disks, their controllers and the file systems on them. Rate limited by the kernel, so it counts
// nothing; but it has the sense data where no trace event has. Pure; any bytes may come. Source:
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
  std::string_view text;  // of the first line; a part of what was parsed
};
std::optional<KmsgRecord> parse_kmsg(std::string_view record);

// Reads disk failures from the kernel log, record by record. It remembers which ATA command the last record was about, since
// libata prints the result ("res …") on a line of its own.
class LogText {
 public:
  std::optional<Indication> said_in(const KmsgRecord& record);

 private:
  DeviceName ata_;  // of the last "cmd" line; ata_port 0: the last record was none
};

// The same of one record alone.
inline std::optional<Indication> indication_in(const KmsgRecord& record) {
  return LogText().said_in(record);
}

}  // namespace fmd::disk
