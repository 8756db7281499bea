#include "tests/words/told_machine.h"

#include <fmt/format.h>

#include <utility>
#include <vector>

#include "tests/lib/made.h"

namespace fmd::test {

std::string vdev(int n) {
  return fmt::format("zfs://pool=7/vdev={}", n);
}
std::string disk(int n) {
  return fmt::format("dev://wwn=5000c500a000000{}", n);
}
std::string bay(int n) {
  return fmt::format("hc://chassis=1/bay={}", n);
}

Value text(std::string value) {
  return Value(std::move(value));
}

namespace {

Resource leaf(int n) {
  return made(vdev(n), "zfs-vdev",
              {{"name", text(fmt::format("sd{}", n))},
               {"pool", text("tank")},
               {"role", text("data")},
               {"vdev_type", text("disk")},
               {"parent_type", text("raidz")},
               {"state", text("ONLINE")},
               {"service", text("in-service")},
               {"spare", text("none")},
               {"losses_left", int64_t{1}},
               {"losses_group", text("raidz2-0")},
               {"group", text(kPool)}},
              {{Relation::redundancy, disk(n)}});
}

}  // namespace

Inventory machine() {
  InventoryUpdate all{"t", {}, {}, true};
  std::vector<Edge> leaves;
  for (int n = 0; n < kDisks; ++n) {
    all.resources.push_back(leaf(n));
    leaves.push_back({Relation::redundancy, vdev(n)});
  }
  Resource spare = leaf(7);
  spare.properties["role"] = text("spare");
  spare.properties["parent_type"] = text("spare");
  all.resources.push_back(spare);
  for (const int n : {0, 1, 2, 3, 4, 5, 7}) {
    all.resources.push_back(made(disk(n), "disk",
                                 {{"serial", text(fmt::format("Z1Y0DD0{}", n))},
                                  {"path", text(fmt::format("/dev/sd{}", n))}},
                                 {}));
    all.resources.push_back(made(bay(n), "bay", {{"label", text(fmt::format("SLOT 0{}", n))}},
                                 {{Relation::contains, disk(n)}}));
  }
  all.resources.push_back(made(vdev(100), "zfs-vdev",
                               {{"name", text("raidz2-0")},
                                {"vdev_type", text("raidz")},
                                {"role", text("data")},
                                {"parity", int64_t{2}}},
                               leaves));
  all.resources.push_back(made(kPool, "zfs-pool",
                               {{"name", text("tank")},
                                {"health", text("ONLINE")},
                                {"scan", text("none")},
                                {"observed", text("observed")}},
                               {{Relation::redundancy, vdev(100)}}));
  Inventory inventory;
  inventory.apply(all);
  return inventory;
}

}  // namespace fmd::test
