#include "fmd/model/fmri_in_text.h"

#include <gtest/gtest.h>

namespace fmd {
namespace {

Resource part(const char* fmri, const char* type, Properties properties,
              std::vector<Edge> edges = {}) {
  Resource r;
  r.fmri = fmri;
  r.type = type;
  r.properties = std::move(properties);
  r.edges = std::move(edges);
  return r;
}

Value text(const char* value) {
  return Value(std::string(value));
}

TEST(FmriInText, APartIsNamedByItsBay) {
  Inventory inventory;
  inventory.apply({"t",
                   {part("zfs://pool=7/vdev=4", "zfs-vdev",
                         {{"name", text("wwn-0x5")}, {"path", text("/dev/disk/by-id/wwn-0x5")}},
                         {{Relation::redundancy, "dev://wwn=4"}}),
                    part("zfs://pool=7/vdev=9", "zfs-vdev", {{"name", text("/srv/file")}}),
                    part("dev://wwn=4", "disk", {{"serial", text("Z4")}}),
                    part("dev://wwn=8", "disk", {{"serial", text("Z8")}}),
                    part("hc://chassis=1/bay=4", "bay", {{"label", text("SLOT 04")}},
                         {{Relation::contains, "dev://wwn=4"}})},
                   {},
                   true});
  const auto said = [&](const char* words) { return with_places(inventory, words); };
  EXPECT_EQ(said("zfs://pool=7/vdev=4 of pool 'tank' is FAULTED"),
            "SLOT 04 of pool 'tank' is FAULTED");
  EXPECT_EQ(said("cannot open 'dev://wwn=4': busy; dev://wwn=8: gone."),
            "cannot open 'SLOT 04': busy; disk Z8: gone.");
  EXPECT_EQ(said("LED of hc://chassis=1/bay=4."), "LED of SLOT 04.");
  EXPECT_EQ(said("zfs://pool=7/vdev=9"), "/srv/file");
  for (const char* kept :
       {"zfs://pool=7/vdev=44 is unknown", "see https://example.org/fmd", "://",
        "'fmadm replace zfs://pool=7/vdev=4 dev://wwn=8 --force' uses it anyway"})
    EXPECT_EQ(said(kept), kept) << "a name for a command must be unique";
}

}  // namespace
}  // namespace fmd
