#include "plugins/zfs/pair_errors.h"

#include "fmd/base/json.h"
#include "plugins/zfs/event_convert.h"
#include "plugins/zfs/inventory.h"
#include "plugins/zfs/tests/fixture.h"

namespace fmd::zfs::pair_errors_test {
namespace {

using test::Names;
using test::status_text;

class PairErrorsOf : public testing::Test {
 protected:
  // A raidz with the given leaves of spare-0 and checksum errors on the pair.
  Pool pool(const std::string& leaves, uint64_t errors) {
    Pool made = names.pool(status_text("  raidz1-0 DEGRADED\n    spare-0 DEGRADED\n" + leaves +
                                       "    /dev/sdc ONLINE\n"));
    made.vdevs[2].checksum_errors = errors;
    return made;
  }
  std::string_view look(const std::string& leaves, uint64_t errors) {
    pairs.note({pool(leaves, errors)});
    return pairs.of(names.guid("spare-0"));
  }

  Names names;
  PairErrors pairs;
  const std::string both = "      /dev/sda DEGRADED\n      /dev/sdb ONLINE\n";
  const std::string resilvering = "      /dev/sda DEGRADED\n      /dev/sdb ONLINE (resilvering)\n";
  const std::string spare_alone = "      /dev/sda FAULTED\n      /dev/sdb ONLINE\n";
  const std::string distributed = "      /dev/sda FAULTED\n      draid1-0-0 ONLINE\n";
};

TEST_F(PairErrorsOf, BothLeavesWereRead) {
  EXPECT_EQ(look(both, 0), "none");
  EXPECT_EQ(look(both, 3), "either");
  EXPECT_EQ(look(both, 3), "either") << "as long as they stand there";
  EXPECT_EQ(look(both, 0), "none") << "zpool clear";
  EXPECT_EQ(look(both, 2), "either");
  EXPECT_EQ(look(spare_alone, 2), "none") << "what comes now is one leaf's";
  pairs.note({});
  EXPECT_EQ(pairs.of(names.guid("spare-0")), "") << "the pair is gone";
}

TEST_F(PairErrorsOf, OneWasReadBefore) {
  EXPECT_EQ(look(resilvering, 20), "none") << "they are sda's";
  EXPECT_EQ(look(both, 25), "none") << "who was read meanwhile is not known";
  EXPECT_EQ(look(both, 25), "none");
  EXPECT_EQ(look(both, 26), "either");
}

TEST_F(PairErrorsOf, FromBeforeTheFirstLook) {
  EXPECT_EQ(look(both, 3), "") << "a case that is open stays so";
  EXPECT_EQ(look(both, 4), "either");
}

TEST_F(PairErrorsOf, ADistributedSpareLiesOnAllDisks) {
  EXPECT_EQ(look(distributed, 0), "none");
  EXPECT_EQ(look(distributed, 1), "distributed");
  EXPECT_EQ(look(spare_alone, 2), "none");
}

TEST_F(PairErrorsOf, TheInventorySaysIt) {
  look(both, 0);
  look(both, 3);
  InventoryContext context;
  context.pair_errors = &pairs;
  const auto resources = pool_resources(pool(both, 3), context);
  const auto& pair = resources.at(vdev_fmri(test::kPool, names.guid("spare-0")))["properties"];
  EXPECT_EQ(pair["errors_of"], "either");
  EXPECT_EQ(pair["leaves"], "sda and sdb");
  EXPECT_FALSE(resources.at(vdev_fmri(test::kPool, names.guid("raidz1-0")))["properties"].contains(
      "errors_of"));
}

}  // namespace
}  // namespace fmd::zfs::pair_errors_test
