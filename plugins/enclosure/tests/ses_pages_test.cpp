// SES pages as a shelf sends them. Hand-made, based on SES-3: one enclosure with two bays, two power
// supplies (the second without AC), two fans and two temperature sensors.
#include "plugins/enclosure/ses_pages.h"

#include <gtest/gtest.h>

#include "plugins/enclosure/tests/ses_bytes.h"

namespace fmd::enclosure {
namespace {

using namespace testing;

TEST(SesPages, PowerSuppliesFansAndTemperatures) {
  const auto elements = decode_elements(kConfiguration, kStatus, kDescriptors);
  ASSERT_TRUE(elements) << elements.error().message;
  ASSERT_EQ(elements->size(), 6u);
  const Element& bad = (*elements)[1];
  EXPECT_EQ(bad.type, "psu");
  EXPECT_EQ(bad.number, 1);
  EXPECT_EQ(bad.name, "PSU B");
  EXPECT_EQ(bad.status, "critical");
  EXPECT_EQ(bad.reason, "failed, AC fail");
  EXPECT_EQ((*elements)[0].status, "OK");
  EXPECT_EQ((*elements)[2].type, "fan");
  EXPECT_EQ((*elements)[2].value, 7220);
  EXPECT_EQ((*elements)[2].unit, "rpm");
  EXPECT_EQ((*elements)[3].status, "not installed");
  EXPECT_FALSE((*elements)[3].value);
  EXPECT_EQ((*elements)[4].type, "sensor");
  EXPECT_EQ((*elements)[4].value, 35);
  EXPECT_FALSE((*elements)[5].value) << "0 is no temperature";
}

TEST(SesPages, SlotsAsTheKernelHasThem) {
  std::string status = kStatus;
  status[12] = 1, status[14] = 2, status[15] = 0x70;  // OK; locate; fault requested and sensed, off
  auto slots = decode_slots(kConfiguration, status, kDescriptors);
  ASSERT_TRUE(slots) << slots.error().message;
  ASSERT_EQ(slots->size(), 2u);
  EXPECT_EQ(slots->at(0).component, "SLOT 00");
  EXPECT_EQ(slots->at(0).status, "OK");
  EXPECT_EQ(slots->at(0).fault, 6);
  EXPECT_EQ(slots->at(0).locate, 1);
  EXPECT_FALSE(slots->at(0).power);
  EXPECT_EQ(slots->at(1).status, "not installed");
  EXPECT_TRUE(slots->at(1).power);
  slots = decode_slots(kConfiguration, kStatus, "");
  ASSERT_TRUE(slots);
  EXPECT_EQ(slots->at(1).component, "1") << "without names the kernel counts";
  slots = decode_slots(kConfiguration, kStatus,
                       with_header(7, name("") + name("SLOT") + name("SLOT") + name("")));
  ASSERT_TRUE(slots);
  EXPECT_EQ(slots->at(1).component, "SLOT-1") << "two of one name";
}

TEST(SesPages, WithoutNames) {
  const auto elements = decode_elements(kConfiguration, kStatus, "");
  ASSERT_TRUE(elements);
  EXPECT_EQ(elements->at(1).name, "");
  EXPECT_EQ(elements->at(1).status, "critical");
}

TEST(SesPages, AnEnclosureThatChangedMeanwhileIsNotBelieved) {
  std::string later = kStatus;
  later[7] = 9;
  EXPECT_FALSE(decode_elements(kConfiguration, later, kDescriptors));
}

TEST(SesPages, AnyBytesMayCome) {
  for (size_t cut = 0; cut < kConfiguration.size(); ++cut)
    EXPECT_FALSE(decode_elements(kConfiguration.substr(0, cut), kStatus, kDescriptors)) << cut;
  for (size_t cut = 0; cut < kStatus.size(); ++cut)
    EXPECT_FALSE(decode_elements(kConfiguration, kStatus.substr(0, cut), kDescriptors)) << cut;
  for (size_t cut = 0; cut < kDescriptors.size(); ++cut)
    EXPECT_TRUE(decode_elements(kConfiguration, kStatus, kDescriptors.substr(0, cut))) << cut;
  // Each byte of each page at its extremes: no crash, no read out of bounds (with ASan).
  for (const char value : {'\x00', '\x7f', '\xff'})
    for (size_t at = 0; at < kConfiguration.size(); ++at) {
      std::string page = kConfiguration;
      page[at] = value;
      const auto elements = decode_elements(page, kStatus, kDescriptors);
      EXPECT_LE(elements ? elements->size() : 0, 4096u);
    }
  EXPECT_FALSE(decode_elements("sg_ses: unable to open /dev/sg0\n", "x", ""));
}

}  // namespace
}  // namespace fmd::enclosure
