// A vdev whose disk is pulled and a new disk in its bay: shared by the tests of replacements.
#pragma once
#include <string>

#include "fmd/reconcile/replacement.h"
#include "fmd/reconcile/tests/reconciler_rig.h"

namespace fmd::test {

inline constexpr uint64_t kTib = uint64_t{1} << 40;
inline const std::string kNew = "dev://wwn=99", kOther = "dev://wwn=98";
inline const std::string kIdentity =
    R"("device":"dev://wwn=99","path":"/dev/sdNEW","serial":"NEW","size_bytes":2199023255552})";
inline const std::string kReplaceNew = R"(replace zfs://pool=1/vdev=1 {"blank":true,)" + kIdentity;

class ReplacementTest : public ReconcilerTest {
 protected:
  struct Made {
    uint64_t size = 2 * kTib, sector = 512, physical = 4096;
    bool rotational = true;
    std::string content = "blank", reason = {};
  };

  void SetUp() override {
    ReconcilerTest::SetUp();
    put("zfs://pool=1/vdev=20", "zfs-vdev", {{"name", "raidz1-0"}, {"vdev_type", "raidz"}},
        {{Relation::redundancy, vdev(1)}, {Relation::redundancy, vdev(2)}});
    for (int i = 1; i <= 4; ++i) put_made(disk(i), "S" + std::to_string(i), {.content = "used"});
    reconciler->set_bay_history(&bays);
  }
  void put_made(const std::string& fmri, const std::string& serial, const Made& made) {
    Resource r;
    r.fmri = fmri;
    r.type = "disk";
    r.properties = {{"serial", serial},
                    {"path", "/dev/sd" + serial},
                    {"content", made.content},
                    {"size_bytes", made.size},
                    {"sector_bytes", made.sector},
                    {"physical_sector_bytes", made.physical},
                    {"rotational", made.rotational}};
    if (!made.reason.empty()) r.properties["content_reason"] = made.reason;
    observe({"test", {r}, {}, false});
  }
  // The vdev of the new disk, which is being filled.
  void put_newcomer(const std::string& service, const std::string& state) {
    put(vdev(9), "zfs-vdev", {{"name", "sdn"}, {"service", service}, {"state", state}},
        {{Relation::redundancy, kNew}});
  }
  // With the bays' history, as the pipeline keeps it.
  void observe(const InventoryUpdate& update) {
    const auto changes = engine->on_inventory(update, now);
    bays.observe(engine->inventory(), update, changes, now.wall_ns);
    for (const InventoryChange& change : changes) reconciler->resource_changed(change.fmri);
    hear();
  }
  void put_in(int i, const std::vector<std::string>& disks) {
    Resource r;
    r.fmri = bay(i);
    r.type = "bay";
    r.properties = {{"label", "SLOT 0" + std::to_string(i)}, {"led.fault", i == 1 ? "on" : "off"}};
    for (const auto& d : disks) r.edges.push_back({Relation::contains, d});
    observe({"test", {r}, {}, false});
  }
  // Vdev 1 is out of service and its disk pulled.
  void pull() {
    retire_fully(1);
    gone(disk(1), "removed");
    put_in(1, {});
    wait(10);
  }
  void insert(const Made& made) {
    put_made(kNew, "NEW", made);
    put_in(1, {kNew});
  }
  std::string said() const {
    const Action* a = the_case().find_action(ActionKind::replace, vdev(1));
    return a ? a->detail : "";
  }
  std::string ordered(bool force = false, const std::string& by = kNew) {
    const auto order = reconciler->order_replace(vdev(1), by, force, "root", now);
    return order ? "" : order.error().message;
  }

  BayHistory bays;
};

inline const std::string kByHand = "'fmadm replace zfs://pool=1/vdev=1 dev://wwn=99";

}  // namespace fmd::test
