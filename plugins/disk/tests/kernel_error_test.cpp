// Kernel trace and log lines, and the part that each blames. Log lines are recorded on Linux 6.1
// (sd, block layer); trace lines are recorded there or follow 6.12's print formats.
#include <errno.h>
#include <gtest/gtest.h>

#include "plugins/disk/kmsg_text.h"
#include "plugins/disk/trace_text.h"

namespace fmd::disk {
namespace {

// Sense data as in SPC-5.
TEST(Sense, TheDiskOrItsPath) {
  EXPECT_EQ(cause_of({3, 0x11, 0}), Cause::medium);    // unrecovered read error
  EXPECT_EQ(cause_of({3, 0x0c, 2}), Cause::medium);    // write error, reallocation failed
  EXPECT_EQ(cause_of({4, 0x32, 0}), Cause::hardware);  // no defect spare location
  EXPECT_EQ(cause_of({4, 0x08, 0}), Cause::transport) << "the unit cannot be spoken to";
  EXPECT_EQ(cause_of({0xb, 0x47, 3}), Cause::transport) << "information unit CRC";
  EXPECT_EQ(cause_of({0xb, 0x4b, 3}), Cause::transport) << "ACK/NAK time-out";
  EXPECT_EQ(cause_of({0xb, 0x00, 6}), Cause::unspecific) << "I/O process terminated";
  EXPECT_EQ(cause_of({6, 0x29, 0}), Cause::reset);
  EXPECT_EQ(cause_of({6, 0x2a, 9}), Cause::caller) << "capacity has changed";
  EXPECT_EQ(cause_of({5, 0x20, 0}), Cause::caller);
  EXPECT_EQ(cause_of({5, 0x25, 0}), Cause::unmapped) << "logical unit not supported";
  EXPECT_EQ(cause_of({7, 0x27, 7}), Cause::no_space);
  EXPECT_EQ(cause_of({7, 0x27, 0}), Cause::caller) << "write protected";
  EXPECT_EQ(cause_of({6, 0x3f, 0x0e}), Cause::caller) << "reported LUNs data has changed";
  EXPECT_EQ(cause_of({2, 0x04, 1}), Cause::caller);
  EXPECT_EQ(cause_of({1, 0x17, 0}), Cause::nothing);
}

TEST(HostByte, TheWayThere) {
  EXPECT_EQ(cause_of_host_byte("DID_OK"), Cause::nothing);
  EXPECT_EQ(cause_of_host_byte("DID_TRANSPORT_DISRUPTED"), Cause::transport);
  EXPECT_EQ(cause_of_host_byte("DID_SOFT_ERROR"), Cause::transport);
  EXPECT_EQ(cause_of_host_byte("DID_TIME_OUT"), Cause::timeout);
  EXPECT_EQ(cause_of_host_byte("DID_RESET"), Cause::reset);
  EXPECT_EQ(cause_of_host_byte("DID_REQUEUE"), Cause::nothing);
}

TEST(Errno, AsTheBlockLayerMeansIt) {
  EXPECT_EQ(cause_of_errno(ENODATA), Cause::medium);
  EXPECT_EQ(cause_of_errno(ENOLINK), Cause::transport);
  EXPECT_EQ(cause_of_errno(ETIMEDOUT), Cause::timeout);
  EXPECT_EQ(cause_of_errno(EREMOTEIO), Cause::unspecific) << "sense 4h or 5h: that tells";
  EXPECT_EQ(cause_of_errno(EIO), Cause::unspecific);
  EXPECT_EQ(cause_of_errno(EOPNOTSUPP), Cause::caller);
  EXPECT_EQ(cause_of_errno(ENOSPC), Cause::no_space);
  EXPECT_EQ(cause_of_errno(EBADE), Cause::caller) << "reserved by another host";
}

TEST(Trace, BlockErrors) {
  const auto said = parse_trace(
      "          <idle>-0       [001] ..s1.   123.456789: block_rq_error: 8,32 R () 4656 + 8 "
      "[-61]");
  ASSERT_TRUE(said);
  EXPECT_EQ(said->device.dev, "8:32");
  EXPECT_EQ(said->cause, Cause::medium);
  EXPECT_EQ(said->operation, "read");
  EXPECT_EQ(said->sector, 4656u);
  EXPECT_EQ(said->text, "ENODATA");
  EXPECT_EQ(said->uptime_ns, 123'456'789'000);
  const auto newer = parse_trace(
      " kworker/0:1H-123 [000] ..... 9.000001: block_rq_error: 259,3 WS () 8 + 8 none,0,0 [-5]");
  ASSERT_TRUE(newer);
  EXPECT_EQ(newer->device.dev, "259:3");
  EXPECT_EQ(newer->operation, "write");
  EXPECT_EQ(newer->cause, Cause::unspecific);
}

// Commands passed through by smartctl and others, and discards that a disk does not support.
TEST(Trace, PassedThroughIsNoNews) {
  const std::string head = " smartctl-77 [000] ..... 9.000001: ";
  for (const char* text :
       {"block_rq_error: 0,0 N (ATA_16) 18446744073709551615 + 0 [-5]",
        "block_rq_error: 8,32 N () 18446744073709551615 + 0 [-5]",
        "block_rq_error: 8,32 DS () 2048 + 8 [-121]",
        "block_rq_error: 8,32 R () 18446744073709551615 + 0 [-5]", "block_rq_error: 8,32",
        "block_rq_error: ", "block_rq_error: 8,32 R () 5 + 8 [0]",
        "scsi_dispatch_cmd_done: host_no=0 channel=0 id=2 lun=0 data_sgl=1 prot_sgl=0 "
        "prot_op=SCSI_PROT_NORMAL driver_tag=3 scheduler_tag=4 cmnd=(LOG_SENSE  raw=4d 00) "
        "result=(driver=DRIVER_OK host=DID_OK message=COMMAND_COMPLETE "
        "status=SAM_STAT_CHECK_CONDITION) sense=(key=0x4 asc=0x24 ascq=0)",
        "scsi_dispatch_cmd_done: host_no=0 channel=0 id=2 lun=0 cmnd=(READ_CAPACITY raw=25) "
        "result=(driver=DRIVER_OK host=DID_ERROR message=COMMAND_COMPLETE status=SAM_STAT_GOOD)"})
    EXPECT_FALSE(parse_trace(head + text)) << text;
}

TEST(Trace, ScsiWithSense) {
  const auto said = parse_trace(
      "  <idle>-0 [001] ..s1. 5.000000: scsi_dispatch_cmd_done: host_no=10 channel=0 id=4 lun=1 "
      "data_sgl=1 prot_sgl=0 prot_op=SCSI_PROT_NORMAL driver_tag=31 scheduler_tag=77 cmnd=(READ_10 "
      "lba=4656 txlen=8 protect=0 raw=28 00 00 00 12 30 00 00 08 00) result=(driver=DRIVER_OK "
      "host=DID_OK message=COMMAND_COMPLETE status=SAM_STAT_CHECK_CONDITION) sense=(key=0xb "
      "asc=0x47 ascq=0x3)");
  ASSERT_TRUE(said);
  EXPECT_EQ(said->device.hctl, "10:0:4:1");
  EXPECT_EQ(said->cause, Cause::transport);
  EXPECT_EQ(said->sector, 4656u);
  ASSERT_TRUE(said->sense);
  EXPECT_EQ(said->sense->ascq, 3u);
}

TEST(Trace, ScsiOfOldKernelsHasTheHostByte) {
  const std::string before =
      " x-1 [0] ..... 5.0: scsi_dispatch_cmd_done: host_no=0 channel=0 id=4 lun=0 data_sgl=1 "
      "prot_sgl=0 prot_op=SCSI_PROT_NORMAL cmnd=(WRITE_16 lba=9 txlen=8) result=(driver=DRIVER_OK ";
  const auto said = parse_trace(
      before + "host=DID_TRANSPORT_DISRUPTED message=COMMAND_COMPLETE status=SAM_STAT_GOOD)");
  ASSERT_TRUE(said);
  EXPECT_EQ(said->cause, Cause::transport);
  EXPECT_EQ(said->operation, "write");
  EXPECT_FALSE(parse_trace(before + "host=DID_OK message=COMMAND_COMPLETE status=SAM_STAT_GOOD)"));
}

TEST(Trace, TimeoutsRecoveryAndLinks) {
  const std::string head = " x-1 [000] ..... 5.000001: ";
  auto said = parse_trace(head +
                          "scsi_dispatch_cmd_timeout: host_no=0 channel=0 id=4 lun=0 data_sgl=1 "
                          "cmnd=(SYNCHRONIZE_CACHE raw=35 00)");
  ASSERT_TRUE(said);
  EXPECT_EQ(said->cause, Cause::timeout);
  EXPECT_EQ(said->operation, "write");
  // Recorded: a timeout has a result, which is ignored.
  said = parse_trace(
      "    kworker/1:1H-132     [001] .....   112.876434: scsi_dispatch_cmd_timeout: host_no=1 "
      "channel=0 id=0 lun=0 data_sgl=1 prot_sgl=0 prot_op=SCSI_PROT_NORMAL driver_tag=31 "
      "scheduler_tag=246 cmnd=(READ_10 lba=1600 txlen=8 protect=0 raw=28 00 00 00 06 40 00 00 08 "
      "00) result=(driver=DRIVER_OK host=DID_OK message=COMMAND_COMPLETE status=SAM_STAT_GOOD)");
  ASSERT_TRUE(said);
  EXPECT_EQ(said->cause, Cause::timeout);
  EXPECT_EQ(said->device.hctl, "1:0:0:0");
  EXPECT_EQ(said->sector, 1600u);
  said = parse_trace(head + "scsi_eh_wakeup: host_no=7");
  ASSERT_TRUE(said);
  EXPECT_EQ(said->device.scsi_host, 7);
  said = parse_trace(head +
                     "ata_eh_link_autopsy_qc: ata_port=3 ata_dev=0 tag=5 flags=QCFLAG_ACTIVE "
                     "err_mask=10{ ATA_BUS }");
  ASSERT_TRUE(said);
  EXPECT_EQ(said->device.ata_port, 3);
  EXPECT_EQ(said->device.ata_unit, 0);
  EXPECT_EQ(said->cause, Cause::transport);
  said = parse_trace(head + "ata_eh_link_autopsy_qc: ata_port=3 ata_dev=0 err_mask=9{ DEV MEDIA }");
  ASSERT_TRUE(said);
  EXPECT_EQ(said->cause, Cause::medium);
  EXPECT_FALSE(parse_trace(head + "ata_eh_link_autopsy_qc: ata_port=3 ata_dev=0 err_mask=1{ DEV }"))
      << "it refused a command";
  said = parse_trace(head + "ata_link_hardreset_begin: ata_port=3 deadline=1 classes=[]");
  ASSERT_TRUE(said);
  EXPECT_EQ(said->cause, Cause::reset);
}

TEST(Trace, LinesThatCannotBeRead) {
  const std::string head = " x-1 [000] ..... 5.000001: ";
  EXPECT_EQ(read_trace(head + "block_rq_error: major 8 minor 32 read 4656").unread,
            "block_rq_error");
  EXPECT_EQ(read_trace(head + "scsi_dispatch_cmd_done: device 0:0:4:0 cmnd=(READ_10 lba=1)").unread,
            "scsi_dispatch_cmd_done");
  EXPECT_EQ(read_trace(head + "scsi_eh_wakeup: host 7").unread, "scsi_eh_wakeup");
  EXPECT_EQ(read_trace(head + "ata_link_hardreset_begin: port 3").unread,
            "ata_link_hardreset_begin");
  EXPECT_EQ(
      read_trace(head + "block_rq_error: 0,0 N (ATA_16) 18446744073709551615 + 0 [-5]").unread, "")
      << "read, and no news";
  EXPECT_EQ(
      read_trace(head + "ata_eh_link_autopsy_qc: ata_port=3 ata_dev=0 err_mask=1{ DEV }").unread,
      "");
  EXPECT_EQ(read_trace(head + "sched_switch: x").unread, "") << "not subscribed";
}

TEST(Trace, WhatWasLost) {
  EXPECT_EQ(parse_lost("CPU:1 [LOST 123 EVENTS]"), 123u);
  EXPECT_FALSE(parse_lost("x [LOST 123 EVENTS]"));
}

Indication in_log(const std::string& text) {
  const std::string record = "6,812,177444648,-;" + text;
  const auto parsed = parse_kmsg(record);
  EXPECT_TRUE(parsed) << text;
  return indication_in(*parsed).value_or(Indication());
}

// From a field report: the result is on its own line.
TEST(Log, AnAtaTimeoutIsNoReset) {
  LogText log;
  const auto said = [&](const std::string& text) {
    const std::string record = "6,812,177444648,-;" + text;
    return log.said_in(*parse_kmsg(record)).value_or(Indication());
  };
  said("ata5.01: failed command: READ FPDMA QUEUED");
  EXPECT_EQ(said("ata5.01: cmd 60/08:00:00:e1:59/00:00:a2:00:00/40 tag 0 ncq 4096 in").cause,
            Cause::nothing);
  const auto timeout = said("         res 40/00:10:d0:5d:a8/00:00:b2:00:00/40 Emask 0x4 (timeout)");
  EXPECT_EQ(timeout.cause, Cause::timeout);
  EXPECT_EQ(timeout.device.ata_port, 5);
  EXPECT_EQ(timeout.device.ata_unit, 1);
  EXPECT_EQ(said("res 40/00:10:d0 Emask 0x4 (timeout)").cause, Cause::nothing)
      << "of which command is not known";
  const auto joined =
      said("ata3.00: cmd 61/08:00\\x0a         res 40/00:10 Emask 0x14 (ATA bus error)");
  EXPECT_EQ(joined.cause, Cause::transport);
  EXPECT_EQ(joined.device.ata_port, 3);
  said("ata3.00: cmd 25/00:08");
  EXPECT_EQ(said("res 51/40:00 Emask 0x9 (media error)").cause, Cause::medium);
}

TEST(Log, ALostInterruptOfNvmeIsNotThePaths) {
  const auto said = in_log("nvme nvme0: I/O 12 QID 3 timeout, completion polled");
  EXPECT_EQ(said.cause, Cause::interrupt);
  EXPECT_EQ(said.device.nvme, "nvme0");
  EXPECT_EQ(in_log("nvme nvme0: I/O tag 5 (1005) QID 2 timeout, aborting req_op:READ(0)").cause,
            Cause::timeout);
}

TEST(Log, FileSystemsThatAreForcedReadOnly) {
  const auto of = [](const char* text) { return in_log(text).device.file_system; };
  EXPECT_EQ(of("BTRFS: error (device sdb1 state A) in __btrfs_unlink_inode:4144: errno=-2 No such "
               "entry"),
            "sdb1");
  EXPECT_EQ(of("BTRFS info (device dm-3 state EA): forced readonly"), "dm-3");
  EXPECT_EQ(of("BTRFS critical (device nvme0n1p2): Transaction aborted (error -28)"), "nvme0n1p2");
  EXPECT_EQ(of("EXT4-fs (sda2): Remounting filesystem read-only"), "sda2");
  EXPECT_EQ(of("NILFS (sdc1): Remounting filesystem read-only"), "sdc1");
  EXPECT_EQ(of("BTRFS info (device sdb1): using crc32c checksum algorithm"), "");
  EXPECT_EQ(
      of("BTRFS error (device sdb1): bdev /dev/sdc errs: wr 1, rd 0, flush 0, corrupt 0, gen 0"),
      "")
      << "btrfs counts these itself";
  EXPECT_EQ(of("BTRFS error (device sdb1): fixed up error at logical 123 on dev /dev/sdb1"), "");
}

TEST(Log, ARecord) {
  const auto record = parse_kmsg("6,812,177444648,-;sd 0:0:4:0: [sdc] text\n SUBSYSTEM=scsi\n");
  ASSERT_TRUE(record);
  EXPECT_EQ(record->sequence, 812u);
  EXPECT_EQ(record->uptime_ns, 177'444'648'000);
  EXPECT_EQ(record->text, "sd 0:0:4:0: [sdc] text");
  EXPECT_FALSE(parse_kmsg(" SUBSYSTEM=scsi"));
  EXPECT_FALSE(parse_kmsg("30,813,1,-;sd 0:0:4:0: [sdc] Sense Key : Medium Error [current]"))
      << "a daemon wrote that";
}

// Recorded: a disk with an unreadable backing file, in five lines.
TEST(Log, AsRecorded) {
  EXPECT_EQ(
      in_log(
          "sd 0:0:4:0: [sdc] tag#2 FAILED Result: hostbyte=DID_OK driverbyte=DRIVER_OK cmd_age=0s")
          .cause,
      Cause::nothing);
  const auto key = in_log("sd 0:0:4:0: [sdc] tag#2 Sense Key : Aborted Command [current] ");
  EXPECT_EQ(key.cause, Cause::unspecific);
  EXPECT_EQ(key.device.hctl, "0:0:4:0");
  EXPECT_EQ(in_log("sd 0:0:4:0: [sdc] tag#2 Add. Sense: I/O process terminated").cause,
            Cause::nothing);
  EXPECT_EQ(in_log("sd 0:0:4:0: [sdc] tag#2 CDB: Read(10) 28 00 00 07 b4 10 00 00 10 00").cause,
            Cause::nothing);
  const auto block =
      in_log("I/O error, dev sdc, sector 504848 op 0x0:(READ) flags 0x0 phys_seg 1 prio class 2");
  EXPECT_EQ(block.cause, Cause::unspecific);
  EXPECT_EQ(block.sector, 504848u);
  EXPECT_EQ(block.operation, "read");
}

// Recorded with scsi_debug on Linux 6.1: a command aborted by a link error, and a disk that does
// not respond until the kernel gives up.
TEST(Log, ALinkAndASilentDiskAsRecorded) {
  EXPECT_EQ(in_log("sd 1:0:0:0: [sdh] tag#65 Add. Sense: Ack/nak timeout").cause, Cause::transport);
  const auto reset = in_log("sd 1:0:0:0: Power-on or device reset occurred");
  EXPECT_EQ(reset.cause, Cause::reset);
  EXPECT_EQ(reset.device.hctl, "1:0:0:0");
  EXPECT_EQ(reset.text, "Power-on or device reset occurred");
  EXPECT_EQ(in_log("sd 1:0:0:0: Device offlined - not ready after error recovery").cause,
            Cause::timeout);
}

// Linux 4.17 to 4.19, and RHEL 8's first kernels: without the operation.
TEST(Log, BlockErrorsOfOldKernels) {
  for (const char* flags : {" flags 80700", " flags 0", "", "\n"}) {
    const auto said = in_log((std::string("print_req_error: critical medium error, dev sdc, "
                                          "sector 7814036992") +
                              flags)
                                 .c_str());
    EXPECT_EQ(said.cause, Cause::medium) << flags;
    EXPECT_EQ(said.device.name, "sdc");
    EXPECT_EQ(said.sector, 7814036992u);
    EXPECT_EQ(said.operation, "");
  }
  EXPECT_EQ(in_log("print_req_error: I/O error, dev nvme0n1, sector 2048 flags 100000").cause,
            Cause::unspecific);
  EXPECT_EQ(in_log("print_req_error: timeout error, dev sdc, sector 8 flags 0").cause,
            Cause::timeout);
  EXPECT_EQ(in_log("print_req_error: recoverable transport error, dev sdc, sector 8 flags 0").cause,
            Cause::transport);
  EXPECT_EQ(in_log("print_req_error: critical target error, dev sdc, sector 8 flags 800").cause,
            Cause::nothing)
      << "probably a discard";
  EXPECT_EQ(in_log("print_req_error: critical space allocation error, dev sdc, sector 8").cause,
            Cause::nothing);
  EXPECT_EQ(in_log("blk_update_request: critical medium error, dev sdd, sector 16 op 0x0:(READ) "
                   "flags 0x84700 phys_seg 1 prio class 0")
                .operation,
            "read");
  EXPECT_EQ(in_log("blk_update_request: I/O error, dev sdd, sector 16 op 0x9:(WRITE_ZEROES) flags "
                   "0x800 phys_seg 0 prio class 0")
                .cause,
            Cause::nothing);
}

// Kernels without CONFIG_SCSI_CONSTANTS.
TEST(Log, ScsiCodesAsNumbers) {
  const auto of = [](const std::string& text) {
    const auto said = in_log("sd 3:0:11:0: [sdm] tag#21 " + text);
    EXPECT_TRUE(said.cause == Cause::nothing || said.device.hctl == "3:0:11:0") << text;
    return said.cause;
  };
  const auto result = [&](const char* host) {
    return of(std::string("UNKNOWN(0x2003) Result: hostbyte=") + host +
              " driverbyte=0x00 cmd_age=30s");
  };
  EXPECT_EQ(result("0x00"), Cause::nothing);
  EXPECT_EQ(result("0x01"), Cause::transport);
  EXPECT_EQ(result("0x03"), Cause::timeout);
  EXPECT_EQ(result("0x07"), Cause::transport);
  EXPECT_EQ(result("0x08"), Cause::reset);
  EXPECT_EQ(result("0x0d"), Cause::nothing);
  EXPECT_EQ(result("0x0e"), Cause::transport);
  EXPECT_EQ(result("0x11"), Cause::caller);
  EXPECT_EQ(result("0x13"), Cause::medium);
  EXPECT_EQ(result("0x14"), Cause::transport);
  EXPECT_EQ(result("DID_TIME_OUT"), Cause::timeout);
  EXPECT_EQ(
      in_log("sd 3:0:11:0: [sdm] tag#21 UNKNOWN(0x2003) Result: hostbyte=0x0f driverbyte=0x00")
          .text,
      "DID_TRANSPORT_FAILFAST");
  EXPECT_EQ(of("Sense Key : 0x0 [current] "), Cause::nothing);
  EXPECT_EQ(of("Sense Key : 0x1 [current] "), Cause::nothing);
  EXPECT_EQ(of("Sense Key : 0x2 [current] "), Cause::caller);
  EXPECT_EQ(of("Sense Key : 0x3 [current] [descriptor] "), Cause::medium);
  EXPECT_EQ(of("Sense Key : 0x4 [deferred] "), Cause::hardware);
  EXPECT_EQ(of("Sense Key : 0x5 [current] "), Cause::caller);
  EXPECT_EQ(of("Sense Key : 0xb [current] "), Cause::unspecific);
  EXPECT_EQ(of("ASC=0x47 ASCQ=0x3 "), Cause::transport);
  EXPECT_EQ(of("ASC=0x4b ASCQ=0x4 "), Cause::transport);
  EXPECT_EQ(of("ASC=0x25 ASCQ=0x0 "), Cause::unmapped);
  EXPECT_EQ(of("ASC=0x27 ASCQ=0x7 "), Cause::no_space);
  EXPECT_EQ(of("ASC=0x27 ASCQ=0x0 "), Cause::nothing);
  EXPECT_EQ(of("ASC=0x11 ASCQ=0x0 "), Cause::nothing) << "the sense key says it";
  EXPECT_EQ(of("<<vendor>>ASC=0x80 ASCQ=0x87 "), Cause::nothing);
}

TEST(Log, AnXfsThatAPersonShutDown) {
  const auto of = [](const char* text) { return in_log(text).device.file_system; };
  EXPECT_EQ(of("XFS (dm-2): User initiated shutdown received. Shutting down filesystem"), "");
  EXPECT_EQ(of("XFS (dm-2): Log I/O Error Detected.  Shutting down filesystem"), "dm-2");
  EXPECT_EQ(of("XFS (sdb1): Filesystem has been shut down due to log error (0x2)."), "sdb1");
  EXPECT_EQ(of("XFS (sdb1): metadata I/O error in \"xfs_buf_ioend\" at daddr 0x8 len 8 error 5"),
            "sdb1");
}

TEST(Log, WhatElseDisksAndLinksSay) {
  EXPECT_EQ(in_log("sd 0:0:4:0: [sdc] tag#2 Sense Key : Medium Error [current] ").cause,
            Cause::medium);
  EXPECT_EQ(in_log("sd 0:0:4:0: [sdc] tag#2 Sense Key : Hardware Error [deferred] ").cause,
            Cause::hardware);
  EXPECT_EQ(in_log("sd 0:0:4:0: [sdc] tag#2 Sense Key : Illegal Request [current] ").cause,
            Cause::caller);
  EXPECT_EQ(
      in_log("sd 0:0:4:0: [sdc] tag#2 Add. Sense: Information unit iuCRC error detected").cause,
      Cause::transport);
  EXPECT_EQ(in_log("sd 0:0:4:0: [sdc] tag#2 Add. Sense: Scsi parity error").cause,
            Cause::transport);
  EXPECT_EQ(
      in_log("sd 0:0:4:0: [sdc] tag#0 FAILED Result: hostbyte=DID_TIME_OUT driverbyte=DRIVER_OK")
          .cause,
      Cause::timeout);
  EXPECT_EQ(in_log("critical medium error, dev sdc, sector 4656 op 0x0:(READ) flags 0x0").cause,
            Cause::medium);
  EXPECT_EQ(in_log("critical target error, dev sdc, sector 8 op 0x3:(DISCARD) flags 0x800").cause,
            Cause::nothing);
  const auto timeout = in_log("nvme nvme2: I/O 12 QID 3 timeout, aborting");
  EXPECT_EQ(timeout.cause, Cause::timeout);
  EXPECT_EQ(timeout.device.nvme, "nvme2");
  EXPECT_EQ(in_log("nvme nvme2: controller is down; will reset: CSTS=0xffffffff, PCI_STATUS=0xffff")
                .cause,
            Cause::reset);
  const auto link = in_log("ata3: hard resetting link");
  EXPECT_EQ(link.cause, Cause::reset);
  EXPECT_EQ(link.device.ata_port, 3);
  EXPECT_EQ(link.device.ata_unit, -1);
  for (const char* words : {"qc timeout (cmd 0xec)", "qc timeout after 5000 msecs (cmd 0xec)"}) {
    const auto internal = in_log(std::string("ata3.00: ") + words);
    EXPECT_EQ(internal.cause, Cause::timeout) << words;
    EXPECT_EQ(internal.device.ata_port, 3);
    EXPECT_EQ(internal.device.ata_unit, 0);
  }
  EXPECT_EQ(in_log("ata3.01: error: { UNC }").device.ata_unit, 1);
  EXPECT_EQ(in_log("ata3.00: error: { UNC }").cause, Cause::medium);
  EXPECT_EQ(in_log("ata3.00: error: { ICRC ABRT }").cause, Cause::transport);
  const auto ext4 = in_log(
      "EXT4-fs error (device dm-0): ext4_find_entry:1455: inode #2: reading directory lblock 0");
  EXPECT_EQ(ext4.device.file_system, "dm-0");
  EXPECT_EQ(ext4.text, "ext4_find_entry:1455: inode #2: reading directory lblock 0");
  const auto journal = in_log("Aborting journal on device dm-0-8.");
  EXPECT_EQ(journal.device.file_system, "dm-0");
  EXPECT_EQ(journal.text, "Aborting journal on device dm-0-8.");
  EXPECT_EQ(in_log("Aborting journal on device sdb1.").cause, Cause::nothing)
      << "a journal elsewhere";
  EXPECT_EQ(in_log("XFS (dm-0): Filesystem has been shut down due to log error (0x2).")
                .device.file_system,
            "dm-0");
  EXPECT_EQ(in_log("XFS (dm-0): Mounting V5 Filesystem").cause, Cause::nothing);
}

TEST(KernelErrorTest, StatusOfNvme) {
  EXPECT_EQ(cause_of_nvme_status(0, 0x0b), Cause::unmapped);
  EXPECT_EQ(cause_of_nvme_status(0, 0x81), Cause::no_space);
  EXPECT_EQ(cause_of_nvme_status(2, 0x81), Cause::medium);
  EXPECT_EQ(cause_of_nvme_status(2, 0x80), Cause::medium);
  EXPECT_EQ(cause_of_nvme_status(2, 0x82), Cause::transport);
  for (const auto& [type, code] : {std::pair(0u, 0x07u), {2u, 0x87u}, {3u, 0x71u}, {0u, 0x80u}})
    EXPECT_EQ(cause_of_nvme_status(type, code), Cause::nothing) << type << ' ' << code;
}

}  // namespace
}  // namespace fmd::disk
