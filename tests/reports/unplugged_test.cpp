// Which absent storage on removable media is reported, and how fmd acts if a second member of an
// array is bad.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "fmd/base/json.h"
#include "plugins/volumes/btrfs.h"
#include "plugins/volumes/btrfs_known.h"
#include "tests/reports/array_play.h"

namespace fmd::reports {
namespace {

using Told = std::vector<std::string>;

// An array on removable disks is reported missing only if it is mounted at boot.
TEST(Unplugged, AnArrayOnUsbDisksThatIsUnplugged) {
  struct Way {
    const char *disks, *fstab;
    bool told;
  };
  for (const Way& way : std::initializer_list<Way>{
           {"usb 1,2", "", false},
           {"usb 1,2", "/dev/disk/by-uuid/aa-bb /mnt/backup ext4 noauto 0 2", false},
           {"usb 1,2", "/dev/disk/by-uuid/aa-bb /mnt/backup ext4 defaults,nofail 0 2", false},
           {"usb 1,2", "#/dev/disk/by-uuid/aa-bb /mnt/backup ext4 defaults 0 2", false},
           {"usb 1,2", "UUID=cc-dd /srv ext4 defaults 0 2", false},
           {"usb 1,2", "UUID=aa-bb /mnt/backup ext4 defaults 0 2", true},
           {"usb 1,2", "/dev/md9 /mnt/backup ext4 errors=remount-ro 0 2", true},
           {"usb 1", "", true},
           {"", "", true}}) {
    SCOPED_TRACE(fmt::format("{} | {}", way.disks, way.fstab));
    ArrayPlay play;
    play.line(way.disks);
    play.line("array md9=raid1:1,2");
    play.line("link dev/disk/by-uuid/aa-bb ../../md9p1");
    play.line(std::string("set etc/fstab ") + way.fstab);
    play.settle();
    EXPECT_EQ(play.machine.told(), Told{});
    play.reboot();
    play.line("rm sys/block/md9");
    play.line("rm dev/disk/by-uuid/aa-bb");
    play.settle();
    EXPECT_EQ(play.machine.told(), way.told ? Told{"Major fault.md.array.gone md9"} : Told{});
    play.line("array md9=raid1:1,2");
    play.settle();
    EXPECT_EQ(play.machine.told(), Told{}) << "it is back";
  }
}

// Backup disks may be unplugged for a while or for good. Only storage that is mounted at boot is
// reported missing, in whatever form fstab names it.
TEST(Unplugged, AFileSystemThatNoBootRequires) {
  volumes::BtrfsFileSystem mounted{"6d1c2d35-decc-4a8d-8e08-b7b6a9c01234", "", "raid1", "none", {}};
  for (const int n : {1, 2}) {
    volumes::BtrfsDevice device;
    device.id = static_cast<uint64_t>(n);
    device.disk = Machine::disk(n);
    device.name = n == 1 ? "sdx1" : "sdy1";
    mounted.devices.push_back(device);
  }
  const std::string fsid = mounted.fsid;
  const auto missing = [&](const std::string& label, const std::string& spec, bool later) {
    volumes::KnownFileSystems known;
    volumes::Needs needs;
    needs.required = {spec};
    if (spec == "PARTUUID=0b-02") needs.leads["sdy1"] = {spec};
    mounted.label = label;
    volumes::note_file_systems({mounted}, "boot-1", needs, known);
    known = volumes::known_btrfs_from_json(volumes::to_json(known));
    needs.leads.clear();  // its disks are absent
    if (!later) needs.required.clear();
    const auto nothing = [](const std::string&) { return false; };
    return !volumes::missing_file_systems({}, "boot-2", needs, known, nothing).empty();
  };
  EXPECT_FALSE(missing("backup", "UUID=11111111-2222-4333-8444-555555555555", true));
  EXPECT_FALSE(missing("", "LABEL=", true));
  for (const std::string& spec : {"UUID=" + fsid, "/dev/disk/by-uuid/" + fsid,
                                  std::string("LABEL=backup"), std::string("PARTUUID=0b-02")}) {
    EXPECT_TRUE(missing("backup", spec, true)) << spec;
    EXPECT_FALSE(missing("backup", spec, false)) << spec << " was removed from fstab";
  }
}

// One member is out, and another one with read errors has the last copy. It may only be marked for
// replacement: that keeps it in use until a spare has its data.
TEST(MdKinds, OneMemberIsOutAndAnotherHasReadErrors) {
  for (const auto& [array, out] : std::initializer_list<std::pair<const char*, std::vector<int>>>{
           {"raid1:1,2", {1}}, {"raid5:1,2,3", {1}}, {"raid6:1,2,3,4", {1, 3}}}) {
    SCOPED_TRACE(array);
    ArrayPlay play(5);
    play.line(std::string("array md0=") + array);
    play.settle();
    for (const int n : out)
      play.line(fmt::format("set sys/block/md0/md/dev-@DEV{}@/state faulty", n));
    play.line(fmt::format("set sys/block/md0/md/degraded {}", out.size()));
    play.settle();
    play.machine.answer = [](const sdk::CommandRequest& request) {
      if (mentions(request.resource, Machine::wwn(2))) {
        EXPECT_EQ(request.args.value("to", ""), "degraded") << request.name;
      }
      return sdk::refused("it is only noted");
    };
    play.line("set sys/block/md0/md/dev-@DEV2@/errors 18");
    play.settle();
    constexpr const char* kErrors = "fault.md.member.errors";
    const Say say = play.machine.say(kErrors);
    EXPECT_EQ(say.safe_to_pull.answer, PullSafety::Answer::no) << play.machine.words(kErrors);
    EXPECT_TRUE(mentions(say.do_now, "Give the array a spare")) << play.machine.words(kErrors);
  }
}

}  // namespace
}  // namespace fmd::reports
