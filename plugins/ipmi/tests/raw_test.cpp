// The output of ipmitool 1.8.19 for `-v exec`, recorded with OpenIPMI's ipmi_sim.
#include "plugins/ipmi/raw.h"

#include <gtest/gtest.h>

namespace fmd::ipmi {
namespace {

constexpr const char* kOut =
    " 51 05 00 30 0c 16 3d 00 00 00 00 00 00 0a\n"
    " 02 c0 07 00\n"
    " 00 c0 03 00\n"
    " 02 00 01 00 02 16 3d 00 00 20 00 04 0c 90 6f a0\n"
    " 03 01\n"
    " ff ff 05 00 02 16 3d 00 00 20 00 04 08 61 6f 01\n"
    " ff ff\n";
constexpr const char* kErr =
    "Loading IANA PEN Registry...\n"
    "Running Get VSO Capabilities my_addr 0x20, transit 0, target 0x20\n"
    "Invalid completion code received: Invalid command\n"
    "Discovered IPMB address 0x0\n"
    "RAW REQ (channel=0x0 netfn=0xa lun=0x0 cmd=0x40 data_len=0)\n"
    "RAW RSP (14 bytes)\n"
    "RAW REQ (channel=0x0 netfn=0x4 lun=0x0 cmd=0x2d data_len=1)\n"
    "RAW REQUEST (1 bytes)\n"
    " 41\n"
    "RAW RSP (4 bytes)\n"
    "RAW REQ (channel=0x0 netfn=0x4 lun=0x0 cmd=0x2d data_len=1)\n"
    "RAW REQUEST (1 bytes)\n"
    " ee\n"
    "Unable to send RAW command (channel=0x0 netfn=0x4 lun=0x0 cmd=0x2d rsp=0xcc): Invalid data "
    "field in request\n"
    "RAW REQ (channel=0x0 netfn=0x4 lun=0x0 cmd=0x2d data_len=1)\n"
    "RAW REQUEST (1 bytes)\n"
    " 61\n"
    "RAW RSP (4 bytes)\n"
    "RAW REQ (channel=0x0 netfn=0xa lun=0x0 cmd=0x43 data_len=6)\n"
    "RAW REQUEST (6 bytes)\n"
    " 00 00 00 00 00 ff\n"
    "RAW RSP (18 bytes)\n"
    "RAW REQ (channel=0x0 netfn=0xa lun=0x0 cmd=0x43 data_len=6)\n"
    "RAW REQUEST (6 bytes)\n"
    " 00 00 ff ff 00 ff\n"
    "RAW RSP (18 bytes)\n";

const std::vector<Request> kRequests = {
    request::sel_info(),           request::sensor_reading(0x41), request::sensor_reading(0xEE),
    request::sensor_reading(0x61), request::sel_entry(0),         request::sel_entry(0xFFFF)};

TEST(Raw, TheScriptIsWhatIpmitoolTakes) {
  EXPECT_EQ(
      script({request::sel_info(), request::sensor_reading(0xEE), request::sel_entry(0x0102)}),
      "raw 0x0a 0x40\nraw 0x04 0x2d 0xee\nraw 0x0a 0x43 0x00 0x00 0x02 0x01 0x00 0xff\n");
}

TEST(Raw, EachAnswerGoesToItsRequest) {
  const auto answers = parse_answers(kRequests, kOut, kErr);
  ASSERT_EQ(answers.size(), 6U);
  EXPECT_EQ(answers[0].data->size(), 14U);
  EXPECT_EQ(*answers[1].data, (Bytes{0x02, 0xC0, 0x07, 0x00}));
  EXPECT_FALSE(answers[2].data);
  EXPECT_EQ(answers[2].completion, 0xCC);
  EXPECT_EQ(*answers[3].data, (Bytes{0x00, 0xC0, 0x03, 0x00})) << "not moved by the refused one";
  EXPECT_EQ(answers[4].data->back(), 0x01);
  EXPECT_EQ((*answers[5].data)[0], 0xFF);
}

TEST(Raw, GarbageAndCutsGiveNoWrongAnswer) {
  const std::string out = kOut, err = kErr;
  for (size_t cut = 0; cut < err.size(); cut += 7)
    parse_answers(kRequests, out, err.substr(0, cut));
  for (size_t cut = 0; cut < out.size(); cut += 3) {
    const auto answers = parse_answers(kRequests, out.substr(0, cut), err);
    EXPECT_TRUE(!answers[5].data || answers[5].data->size() == 18U);
  }
  for (const char* garbage :
       {"", "Could not open device at /dev/ipmi0 or /dev/ipmi/0 or /dev/ipmidev/0\n",
        "RAW RSP (99999999999999999999 bytes)\n", "RAW REQ (\nRAW RSP (x bytes)\n",
        "RAW REQ (channel=0x0 netfn=0x4 lun=0x0 cmd=0x2d data_len=1)\nRAW RSP (4 bytes)\n"})
    for (const Answer& answer : parse_answers(kRequests, out, garbage))
      EXPECT_FALSE(answer.data) << garbage;
}

}  // namespace
}  // namespace fmd::ipmi
