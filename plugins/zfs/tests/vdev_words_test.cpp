#include "plugins/zfs/vdev_words.h"

#include <gtest/gtest.h>

#include "plugins/zfs/event_convert.h"
#include "plugins/zfs/tests/fixture.h"

namespace fmd::zfs::test {
namespace {

TEST(VdevWords, ADiskByItsFmriAndAGroupByItsName) {
  Names names;
  const Pool pool = names.pool(status_text("  mirror-0 ONLINE\n    /dev/sda ONLINE\n"));
  const Vdev& disk = *pool.find(names.guid("/dev/sda"));
  EXPECT_EQ(vdev_of_pool(pool, disk), vdev_fmri(kPool, disk.guid) + " of pool 'tank'");
  EXPECT_EQ(vdev_words(pool, *pool.find(names.guid("mirror-0"))), "mirror-0");
}

TEST(VdevWords, WhatZpoolPrintsNamesTheDisk) {
  Names names;
  const char* by_id = "/dev/disk/by-id/wwn-0x50003-part1";
  const char* word = "/dev/disk/by-partlabel/data";
  const Pool pool = names.pool(status_text(fmt::format(
      "  mirror-0 ONLINE\n    /dev/sda ONLINE\n    {} ONLINE\n    {} ONLINE\nspares\n  /dev/sds "
      "AVAIL\n",
      by_id, word)));
  const auto fmri = [&](const char* leaf) { return vdev_fmri(kPool, names.guid(leaf)); };
  const auto said = [&](const std::string& text) {
    return with_fmris(pool, {{"/dev/disk/by-id/ata-NEW", "dev://wwn=9"}}, text);
  };
  EXPECT_EQ(said("cannot offline wwn-0x50003: no valid replicas"),
            "cannot offline " + fmri(by_id) + ": no valid replicas");
  EXPECT_EQ(said("cannot open '/dev/sds': busy."), "cannot open '" + fmri("/dev/sds") + "': busy.");
  EXPECT_EQ(said(fmt::format("({}) with /dev/disk/by-id/ata-NEW", names.guid("/dev/sda"))),
            "(" + fmri("/dev/sda") + ") with dev://wwn=9");
  EXPECT_EQ(said("/dev/disk/by-id/wwn-0x50003 is busy"), fmri(by_id) + " is busy");
  for (const char* other : {"sdaa is not sd", "/dev/sda2", "the data on it", "wwn-0x5000"})
    EXPECT_EQ(said(other), other);
}

}  // namespace
}  // namespace fmd::zfs::test
