// Resolvers and LED methods in a description that is made by hand.
#include <gtest/gtest.h>

#include "fmd/chassis/parse.h"
#include "ui/mapping/chassis_draft.h"
#include "ui/mapping/chassis_resolvers.h"

namespace fmd::mapping {
namespace {

using Properties = std::map<std::string, std::string>;

class Resolvers : public testing::Test {
 protected:
  void put(const std::string& fmri, const std::string& type, const Properties& properties,
           const std::vector<Edge>& edges = {}) {
    Resource r;
    r.fmri = fmri;
    r.type = type;
    for (const auto& [name, value] : properties) r.properties[name] = value;
    r.edges = edges;
    InventoryUpdate update;
    update.source = "test";
    update.resources.push_back(r);
    inventory_.apply(update);
  }
  void leave(const std::string& fmri) {
    InventoryUpdate update;
    update.source = "test";
    update.gone.push_back({fmri, "removed", ""});
    inventory_.apply(update);
  }
  // "kind value member" of each resolver, in order.
  std::vector<std::string> of(const std::string& bay, const std::string& member = "") {
    std::vector<std::string> out;
    for (const chassis::Resolver& one : resolvers_of(inventory_, *inventory_.find(bay), member))
      out.push_back(one.kind + " " + one.value + (one.member.empty() ? "" : " " + one.member));
    return out;
  }
  // A bay of the host's own backplane with a SAS disk on two phys.
  void put_sas() {
    put("hc://chassis=c/bay=3", "bay", {{"slot", "3"}, {"label", "Slot 3"}},
        {{Relation::contains, "dev://wwn=d"}});
    put("dev://wwn=d", "disk",
        {{"by_path", "/dev/disk/by-path/pci-0000:3b:00.0-sas-exp0x5-phy8-lun-0"}});
    put("dev://sas=5", "expander", {{"sas_address", "5"}}, {{Relation::path, "dev://sas=5/phy=8"}});
    put("dev://sas=5/phy=8", "phy", {{"phy", "8"}}, {{Relation::path, "dev://wwn=d"}});
    put("dev://pci=3b", "hba", {{"address", "0000:3b:00.0"}, {"class", "010700"}, {"slot", "4"}},
        {{Relation::path, "dev://sas=6/phy=1"}});
    put("dev://sas=6/phy=1", "phy", {{"phy", "1"}}, {{Relation::path, "dev://wwn=d"}});
  }

  Inventory inventory_;
};

TEST(ByPath, NamesAPlaceOrADisk) {
  for (const char* place :
       {"pci-0000:00:1f.2-ata-3", "pci-0000:02:00.0-nvme-1", "pci-0000:00:14.0-usb-0:2:1.0-scsi-0",
        "pci-0000:3b:00.0-sas-exp0x5003-phy8-lun-0", "pci-0000:3b:00.0-sas-phy2-lun-0",
        "pci-0000:00:05.0"})
    EXPECT_TRUE(names_a_place(place)) << place;
  for (const char* disk : {"pci-0000:3b:00.0-sas-0x5000c500a0000001-lun-0", "",
                           "pci-0000:00:02.0-scsi-0:0:3:0", "virtio-pci-0000:00:05.0"})
    EXPECT_FALSE(names_a_place(disk)) << disk;
}

TEST_F(Resolvers, AShelfsBayGoesBySesAlone) {
  put_sas();
  EXPECT_EQ(of("hc://chassis=c/bay=3"), std::vector<std::string>{"ses_slot 3"});
  put("hc://chassis=c/bay=SLOT%2001", "bay", {{"label", "SLOT 01"}});
  EXPECT_EQ(of("hc://chassis=c/bay=SLOT%2001"), std::vector<std::string>{"ses_name SLOT 01"});
}

TEST_F(Resolvers, EveryWayToAHostsBayInTheOrderOfTheirWorth) {
  put_sas();
  EXPECT_EQ(of("hc://chassis=c/bay=3", "plane"),
            (std::vector<std::string>{"ses_slot 3 plane", "sas_phy 5/8", "sas_phy 0000:3b:00.0/1",
                                      "by_path pci-0000:3b:00.0-sas-exp0x5-phy8-lun-0"}));
  leave("dev://sas=6/phy=1");
  leave("dev://sas=5");
  EXPECT_EQ(of("hc://chassis=c/bay=3", "plane"),
            (std::vector<std::string>{"ses_slot 3 plane",
                                      "by_path pci-0000:3b:00.0-sas-exp0x5-phy8-lun-0"}))
      << "what is gone leads nowhere";
  leave("dev://wwn=d");
  EXPECT_EQ(of("hc://chassis=c/bay=3", "plane"), std::vector<std::string>{"ses_slot 3 plane"});
}

TEST_F(Resolvers, WhatIsKnownAlreadyIsSaidOnce) {
  put("hc://chassis=h/bay=pci-7", "bay", {{"place", "pci_slot 7"}},
      {{Relation::contains, "dev://wwn=n"}});
  put("dev://wwn=n", "disk", {{"by_path", "pci-0000:02:00.0-nvme-1"}});
  put("dev://pci=2", "pci", {{"class", "010802"}, {"slot", "7"}},
      {{Relation::path, "dev://wwn=n"}});
  EXPECT_EQ(of("hc://chassis=h/bay=pci-7"),
            (std::vector<std::string>{"pci_slot 7", "by_path pci-0000:02:00.0-nvme-1"}));
}

class Draft : public Resolvers {
 protected:
  // The drafted description of a bay with these properties.
  chassis::Bay drafted(Properties properties, int rows, int columns) {
    properties["label"] = "B";
    put("hc://chassis=c/bay=3", "bay", properties);
    ChassisDraft draft;
    draft.id = draft.label = "c";
    draft.sides["front"] = {rows, columns, 400, 100};
    draft.answers.push_back(
        {inventory_.find("hc://chassis=c/bay=3"), "", "B1", "front", std::pair{rows, columns}});
    const auto text = draft.toml(inventory_);
    EXPECT_TRUE(text) << text.error().text();
    const auto [description, errors] = chassis::parse({"x", text.value_or("")});
    EXPECT_TRUE(errors.empty());
    if (!description) return {};
    notes_ = description->notes;
    return description->bays.at(0);
  }
  std::string notes_;
};

TEST_F(Draft, ItsLightIsDrivenAsNow) {
  chassis::Bay bay = drafted({{"led.method", "ses"}, {"led.reads_back", "true"}}, 1, 1);
  EXPECT_FALSE(bay.leds.fault) << "as usual";
  EXPECT_FALSE(bay.leds.locate);
  bay = drafted({{"led.method", "ses"}, {"led.reads_back", "false"}}, 1, 1);
  ASSERT_TRUE(bay.leds.fault && bay.leds.locate);
  for (const chassis::Led& led : {*bay.leds.fault, *bay.leds.locate}) {
    EXPECT_TRUE(led.methods.empty());
    EXPECT_EQ(led.reads_back, false);
  }
  bay = drafted({{"led.method", "ledctl"}, {"led.reads_back", "false"}}, 1, 1);
  ASSERT_TRUE(bay.leds.fault && bay.leds.locate);
  for (const chassis::Led& led : {*bay.leds.fault, *bay.leds.locate})
    EXPECT_EQ(led.methods, std::vector<std::string>{"ledctl"});
}

TEST_F(Draft, ItsPlaceAndForm) {
  chassis::Bay bay = drafted({{"form_factor", "2.5"}}, 2, 8);
  EXPECT_EQ(bay.form_factor, "2.5");
  EXPECT_EQ(bay.view, "front");
  EXPECT_EQ(bay.orientation, "horizontal");
  EXPECT_EQ(bay.box.x, 350);
  EXPECT_EQ(bay.box.y, 50);
  EXPECT_NE(notes_, "");
  bay = drafted({}, 1, 24);
  EXPECT_EQ(bay.orientation, "vertical") << "a disk that stands";
  bay = drafted({}, 0, 0);
  EXPECT_EQ(bay.view, "");
  EXPECT_EQ(notes_, "") << "there is no picture to speak of";
}

}  // namespace
}  // namespace fmd::mapping
