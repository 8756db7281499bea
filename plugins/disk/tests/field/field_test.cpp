// Kernel log lines from public reports, run through the plugin and the shipped rules to the cases.
#include "plugins/disk/tests/field/disk_field.h"

namespace fmd::disk::testing {
namespace {

// btrfs aborts a transaction and is forced read-only; no device counts an error.
TEST_F(DiskField, BtrfsIsForcedReadOnly) {
  plug("sde", 2, "5000c500a0000003", "DISK03G0", 15);
  mounted("sde", "btrfs", "ro,space_cache=v2");
  begin();
  logged({"BTRFS: error (device sde state A) in __btrfs_unlink_inode:4144: errno=-2 No such entry",
          "BTRFS info (device sde state EA): forced readonly"});
  ASSERT_TRUE(told(1));
  EXPECT_EQ(cases(), Cases{kFsErrors});
}

TEST_F(DiskField, OtherFileSystemsThatGiveUp) {
  each_is_a_case(
      {{"btrfs", {"BTRFS critical (device sde): Transaction aborted (error -5)"}},
       {"btrfs", {"BTRFS info (device sde state E): forced readonly"}},
       {"btrfs",
        {"BTRFS: error (device sde: state EA) in btrfs_finish_ordered_io:3319: errno=-5 IO "
         "failure",
         "BTRFS info (device sde: state EA): forced readonly"}},
       {"btrfs", {"BTRFS info (device sde: state E): forced readonly"}},
       {"f2fs", {"F2FS-fs (sde): Stopped filesystem due to reason: 7"}},
       {"f2fs", {"F2FS-fs (sde): Remounting filesystem read-only"}},
       {"jfs", {"ERROR: (device sde): remounting filesystem as read-only"}},
       {"exfat", {"exFAT-fs (sde): Filesystem has been set read-only"}},
       {"vfat",
        {"FAT-fs (sde): error, fat_get_cluster: invalid cluster chain (i_pos 0)",
         "FAT-fs (sde): Filesystem has been set read-only"}},
       {"xfs",
        {"XFS (sde): Metadata I/O Error (0x1) detected at xfs_trans_read_buf_map+0x2a",
         "XFS (sde): log I/O error -5"}},
       {"ext4",
        {"Aborting journal on device sde-8.", "EXT4-fs (sde): Remounting filesystem read-only"}},
       {"bcachefs",
        {"bcachefs (sde): error writing journal entry 9611: I/O",
         "bcachefs (sde): fatal error - emergency read only"}},
       {"bcachefs", {"bcachefs (sde): emergency read only at seq 9611"}},
       {"reiserfs", {"REISERFS abort (device sde): Journal write error in flush_commit_list"}},
       {"ocfs2",
        {"OCFS2: ERROR (device sde): ocfs2_validate_gd_self: Group descriptor #35 has bad "
         "signature",
         "On-disk corruption discovered. Please run fsck.ocfs2 once the filesystem is "
         "unmounted.",
         "OCFS2: ERROR (device sde): File system is now read-only."}},
       {"xfs",
        {"XFS (sde): xfs_do_force_shutdown(0x2) called from line 1299 of file "
         "fs/xfs/xfs_log.c. Return address = 00000000b1bd6ac9",
         "XFS (sde): Log I/O Error Detected. Shutting down filesystem"}},
       {"xfs",
        {"XFS (sde): Corruption of in-memory data (0x8) detected at "
         "xfs_defer_finish_noroll+0x2c (fs/xfs/libxfs/xfs_defer.c:573).  Shutting down "
         "filesystem."}},
       {"ext4",
        {"EXT4-fs error (device sde): ext4_journal_check_start:83: comm kworker/u8:1: Detected "
         "aborted journal",
         "EXT4-fs (sde): Remounting filesystem read-only"}},
       {"xfs",
        {"XFS (sde): Metadata CRC error detected at xfs_dquot_buf_verify_crc+0xe6/0x120, "
         "xfs_dquot block 0x1478 xfs_dquot_buf_verify_crc",
         "XFS (sde): Unmount and run xfs_repair"}},
       {"xfs",
        {"XFS (sde): Internal error XFS_WANT_CORRUPTED_GOTO at line 1635 of file "
         "fs/xfs/libxfs/xfs_alloc.c.  Caller xfs_alloc_ag_vextent_size+0x3a9/0x610"}},
       {"xfs", {"XFS (sde): Corruption detected. Unmount and run xfs_repair"}},
       {"btrfs",
        {"BTRFS critical (device sde): corrupt leaf: root=5 block=30572544 slot=12 ino=292, "
         "unexpected item end, have 12543 expect 12545"}},
       {"f2fs",
        {"F2FS-fs (sde): sanity_check_inode: inode (ino=5) has corrupted i_extra_isize: 20, "
         "max: 24, run fsck to fix."}},
       {"ext4", {"EXT4-fs (sde): I/O error while writing superblock"}},
       {"ext4", {"EXT4-fs (sde): previous I/O error to superblock detected"}},
       {"zonefs", {"zonefs (sde) WARNING: remounting filesystem read-only"}},
       {"ext2", {"EXT2-fs (sde): error: remounting filesystem read-only"}},
       {"ntfs3", {"ntfs3: sde: Mark volume as dirty due to NTFS errors"}},
       {"nilfs2", {"NILFS (sde): Remounting filesystem read-only"}}});
}

// A full thin pool, a volume that was removed below its file system, a unit that was unmapped: the
// disks report nothing, and what was written is lost.
TEST_F(DiskField, WritesThatAreLost) {
  each_is_a_case(
      {{"ext4",
        {"Buffer I/O error on dev sde, logical block 34817, lost async page write",
         "Buffer I/O error on dev sde, logical block 34818, lost async page write"}},
       {"ext4", {"Buffer I/O error on dev sde, logical block 0, lost sync page write"}},
       {"ext3",
        {"Buffer I/O error on device sde, logical block 1081",
         "lost page write due to I/O error on sde"}},
       {"ext4",
        {"EXT4-fs warning (device sde): ext4_end_bio:343: I/O error 3 writing to inode 12 "
         "starting block 34817)"}},
       {"ext4",
        {"EXT4-fs (sde): Delayed block allocation failed for inode 12 at logical offset 0 with "
         "max blocks 2048 with error 5",
         "EXT4-fs (sde): This should not happen!! Data will be lost"}},
       {"ext4", {"JBD2: Detected IO errors while flushing file data on sde-8"}},
       {"ext4", {"JBD2: I/O error when updating journal superblock for sde-8."}},
       {"xfs", {"XFS (sde): writeback error on inode 133, offset 0, sector 264"}},
       {"xfs", {"XFS (sde): page discard on page 00000000b1bd6ac9, inode 0x85, offset 0."}}});
}

// On several devices, bcachefs names itself by its UUID.
TEST_F(DiskField, AFileSystemNamedByItsUuid) {
  plug("sde", 2, "5000c500a0000003", "DISK03G0", 15);
  mounted("sde", "bcachefs", "rw");
  tree_.link("/dev/disk/by-uuid/3f0c1a52-7d0e-4a57-8f52-6f3c4a1f9b0d", "/dev/sde");
  begin();
  logged({"bcachefs (3f0c1a52-7d0e-4a57-8f52-6f3c4a1f9b0d): emergency read only at seq 9611"});
  ASSERT_TRUE(told(1));
  EXPECT_EQ(cases(),
            Cases{"Major fault.fs.kernel.errors fs://uuid=3f0c1a52-7d0e-4a57-8f52-6f3c4a1f9b0d"});
}

TEST_F(DiskField, AFileSystemThatOnlyReports) {
  plug("sde", 2, "5000c500a0000003", "DISK03G0", 15);
  mounted("sde", "btrfs", "rw");
  begin();
  logged({"BTRFS info (device sde): using crc32c checksum algorithm",
          "BTRFS error (device sde): bdev /dev/sdf errs: wr 1, rd 0, flush 0, corrupt 0, gen 0",
          "XFS (sde): Ending clean mount",
          "Buffer I/O error on dev sde, logical block 0, async page read",
          "Buffer I/O error on dev sdz, logical block 7, lost async page write",
          "BTRFS warning (device sde): lost page write due to IO error on /dev/sdf (-5)",
          "JBD2: Detected IO errors while flushing file data on sde-4097",
          "EXT4-fs (sde): mounted filesystem with ordered data mode",
          "EXT4-fs (sde): re-mounted. Opts: errors=remount-ro. Quota mode: none.",
          "EXT4-fs (sde): mounted filesystem with ordered data mode. Opts: errors=remount-ro",
          "F2FS-fs (sde): Mounted with checkpoint version = 3b8f6d2",
          "FAT-fs (sde): Volume was not properly unmounted. Some data may be corrupt. Please run "
          "fsck.",
          "BTRFS error (device sdz state A): errno=-5 IO failure"});
  logged({"sd 0:0:2:0: [sde] tag#2 Sense Key : Medium Error [current] "});  // end of the input
  ASSERT_TRUE(told(1));
  EXPECT_EQ(core_.events[0]["class"], "ereport.disk.io.medium");
  EXPECT_EQ(core_.events.size(), 1u);
}

// libata's timeout of one command, as reported by users of FastVPS and Home Assistant.
Lines timed_out(const std::string& port) {
  return {"ata" + port + ".00: exception Emask 0x0 SAct 0x1 SErr 0x0 action 0x6 frozen",
          "ata" + port + ".00: failed command: READ FPDMA QUEUED",
          "ata" + port + ".00: cmd 60/08:00:00:e1:59/00:00:a2:00:00/40 tag 0 ncq 4096 in",
          "res 40/00:10:d0:5d:a8/00:00:b2:00:00/40 Emask 0x4 (timeout)",
          "ata" + port + ".00: status: { DRDY }",
          "ata" + port + ": hard resetting link",
          "ata" + port + ": SATA link up 6.0 Gbps (SStatus 133 SControl 300)",
          "ata" + port + ".00: configured for UDMA/133",
          "ata" + port + ": EH complete"};
}

TEST_F(DiskField, TimeOutsOfLibata) {
  for (const int port : {1, 7}) {
    core_.events.clear();
    core_.messages.clear();
    sata(port, "sdq");
    begin();
    const auto timeouts = [&] {
      return std::count_if(core_.events.begin(), core_.events.end(), [](const json& event) {
        return event["class"] == "ereport.disk.path.timeout";
      });
    };
    for (int64_t i = 0; i < 3; ++i) {
      logged(timed_out(std::to_string(port)), 30 - i * 10);
      ASSERT_TRUE(loop_.until([&] { return timeouts() > i; })) << port;
      if (i == 1) {
        EXPECT_EQ(cases(), Cases()) << "two are too few";
      }
    }
    ASSERT_EQ(cases().size(), 1u);
    EXPECT_TRUE(cases()[0].starts_with("Major fault.io.path.timeouts dev://path=")) << cases()[0];
    plugin_.reset();
    core_.cursor = "b007:1";
    tree_.remove("/sys/block/sdq");
  }
}

TEST_F(DiskField, LostInterruptsOfNvme) {
  nvme("nvme0");
  begin();
  for (int64_t i = 0; i < 10; ++i) {
    logged({fmt::format("nvme nvme0: I/O {} QID 3 timeout, completion polled", 12 + i)},
           40 - i * 4);
    ASSERT_TRUE(told(static_cast<size_t>(i) + 1));
    if (i == 8) {
      EXPECT_EQ(cases(), Cases());
    }
  }
  ASSERT_EQ(cases().size(), 1u);
  EXPECT_TRUE(cases()[0].starts_with("Minor fault.io.path.interrupts ")) << cases()[0];
}

TEST_F(DiskField, TimeOutsOfNvme) {
  nvme("nvme4");
  begin();
  for (int64_t i = 0; i < 3; ++i) {
    logged({fmt::format("nvme nvme4: I/O tag {} (100{}) QID 2 timeout, aborting req_op:READ(0) "
                        "size:4096",
                        i, i)},
           30 - i * 10);
    ASSERT_TRUE(told(static_cast<size_t>(i) + 1));
  }
  ASSERT_EQ(cases().size(), 1u);
  EXPECT_TRUE(cases()[0].starts_with("Major fault.io.path.timeouts ")) << cases()[0];
}

// A storage array takes a unit away that is still in use. The kernel names the reason of the first requests only.
TEST_F(DiskField, AUnitThatIsNoLongerMapped) {
  struct Row {
    const char* device;
    Lines first;
    const char* later;
  };
  for (const Row& row : std::initializer_list<Row>{
           {"sde",
            {"sd 0:0:2:0: [sde] tag#14 FAILED Result: hostbyte=DID_OK driverbyte=DRIVER_OK "
             "cmd_age=0s",
             "sd 0:0:2:0: [sde] tag#14 Sense Key : Illegal Request [current] ",
             "sd 0:0:2:0: [sde] tag#14 Add. Sense: Logical unit not supported",
             "sd 0:0:2:0: [sde] tag#14 CDB: Write(16) 8a 00 00 00 00 00 01 86 a0 00 00 00 00 08 00 "
             "00",
             "critical target error, dev sde, sector 25600000 op 0x1:(WRITE) flags 0x0 phys_seg 1 "
             "prio class 2"},
            "critical target error, dev sde, sector {} op 0x1:(WRITE) flags 0x0 phys_seg 1 prio "
            "class 2"},
           {"sde",
            {"sd 0:0:2:0: [sde] tag#3 FAILED Result: hostbyte=DID_TARGET_FAILURE "
             "driverbyte=DRIVER_SENSE",
             "sd 0:0:2:0: [sde] tag#3 Sense Key : Illegal Request [current] ",
             "sd 0:0:2:0: [sde] tag#3 Add. Sense: Logical unit not supported",
             "blk_update_request: critical target error, dev sde, sector 1024 op 0x0:(READ) flags "
             "0x4200 phys_seg 16 prio class 0"},
            "blk_update_request: critical target error, dev sde, sector {} op 0x0:(READ) flags "
            "0x4200 phys_seg 16 prio class 0"},
           {"nvme0n1",
            {"nvme0n1: I/O Cmd(0x2) @ LBA 4656, 8 blocks, I/O Error (sct 0x0 / sc 0xb) DNR",
             "I/O error, dev nvme0n1, sector 4656 op 0x0:(READ) flags 0x80700 phys_seg 1 prio "
             "class 2"},
            "I/O error, dev nvme0n1, sector {} op 0x0:(READ) flags 0x80700 phys_seg 1 prio class "
            "2"},
           {"nvme0n1",
            {"nvme0n1: Write(0x1) @ LBA 99, 8 blocks, Invalid Namespace or Format (sct 0x0 / sc "
             "0xb) MORE DNR"},
            "I/O error, dev nvme0n1, sector {} op 0x1:(WRITE) flags 0x0 phys_seg 1 prio class "
            "2"}}) {
    SCOPED_TRACE(row.first[0]);
    core_.events.clear();
    core_.messages.clear();
    plug("sde", 2, "5000c500a0000003", "DISK03G0", 15);
    nvme("nvme0");
    begin();
    logged(row.first, 40);
    ASSERT_TRUE(told(1));
    for (int64_t i = 0; i < 12; ++i) {
      logged({fmt::format(fmt::runtime(row.later), 1000 + i)}, 36 - i * 3);
      ASSERT_TRUE(told(static_cast<size_t>(i) + 2));
    }
    ASSERT_EQ(cases().size(), 1u);
    EXPECT_TRUE(cases()[0].starts_with("Major fault.io.path.unmapped dev://path=")) << cases()[0];
    plugin_.reset();
    core_.cursor = "b007:1";
  }
}

// The thin pool of a storage array is full.
TEST_F(DiskField, AThinUnitWithoutSpace) {
  for (const Lines& lines : std::initializer_list<Lines>{
           {"sd 0:0:2:0: [sde] tag#9 FAILED Result: hostbyte=DID_OK driverbyte=DRIVER_OK "
            "cmd_age=0s",
            "sd 0:0:2:0: [sde] tag#9 Sense Key : Data Protect [current] ",
            "sd 0:0:2:0: [sde] tag#9 Add. Sense: Space allocation failed write protect",
            "critical space allocation error, dev sde, sector 81920 op 0x1:(WRITE) flags 0x8800 "
            "phys_seg 4 prio class 2"},
           {"blk_update_request: critical space allocation error, dev sde, sector 81920 op "
            "0x1:(WRITE) flags 0x0 phys_seg 1 prio class 0"}}) {
    core_.events.clear();
    core_.messages.clear();
    plug("sde", 2, "5000c500a0000003", "DISK03G0", 15);
    begin();
    logged(lines);
    ASSERT_TRUE(told(1));
    ASSERT_EQ(cases().size(), 1u);
    EXPECT_TRUE(cases()[0].starts_with("Critical defect.io.path.no-space dev://path="))
        << cases()[0];
    plugin_.reset();
    core_.cursor = "b007:1";
  }
}

// The kernel repeats what a changed list of units interrupted, and says that it does not look at the list.
TEST_F(DiskField, AListOfUnitsThatHasChanged) {
  plug("sde", 2, "5000c500a0000003", "DISK03G0", 15);
  begin();
  for (int64_t i = 0; i < 12; ++i)
    logged({"sd 0:0:2:0: [sde] tag#2 Sense Key : Unit Attention [current] ",
            "sd 0:0:2:0: [sde] tag#2 Add. Sense: Reported luns data has changed",
            "sd 0:0:2:0: Warning! Received an indication that the LUN assignments on this target "
            "have changed. The Linux SCSI layer does not automatically remap LUN assignments.",
            "I/O error, dev sde, sector 8 op 0x0:(READ) flags 0x0 phys_seg 1 prio class 0"},
           60 - i * 4);
  logged({"sd 0:0:2:0: [sde] tag#2 Sense Key : Medium Error [current] "});  // the end
  ASSERT_TRUE(told(1));
  EXPECT_EQ(core_.events.size(), 1u);
  EXPECT_EQ(core_.events[0]["class"], "ereport.disk.io.medium");
}

}  // namespace
}  // namespace fmd::disk::testing
