#include "fmd/base/machine_id.h"

#include <gtest/gtest.h>
#include <systemd/sd-id128.h>

#include <fstream>
#include <iterator>

#include "fmd/base/sha256.h"

namespace fmd {
namespace {

std::string hex(const Sha256& sum) {
  std::string out;
  for (const uint8_t byte : sum) {
    out += "0123456789abcdef"[byte >> 4];
    out += "0123456789abcdef"[byte & 15];
  }
  return out;
}

// The examples of FIPS 180-4, and lengths at which the padding needs another block.
TEST(Sha256, KnownSums) {
  EXPECT_EQ(hex(sha256("abc")), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(hex(sha256("")), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(hex(sha256("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq")),
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  EXPECT_EQ(hex(sha256(std::string(1000000, 'a'))),
            "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

// RFC 4231, cases 2 and 6 (a key longer than a block).
TEST(Sha256, KnownHmacs) {
  EXPECT_EQ(hex(hmac_sha256("Jefe", "what do ya want for nothing?")),
            "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843");
  EXPECT_EQ(hex(hmac_sha256(std::string(131, '\xaa'),
                            "Test Using Larger Than Block-Size Key - Hash Key First")),
            "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54");
}

TEST(MachineName, IsWhatSystemdMakesOfTheMachineId) {
  EXPECT_EQ(machine_name("0123456789abcdef0123456789abcdef\n"),
            machine_name("0123456789abcdef0123456789abcdef"));
  EXPECT_NE(machine_name("0123456789abcdef0123456789abcdee"),
            machine_name("0123456789abcdef0123456789abcdef"));
  sd_id128_t made{}, application{};
  ASSERT_GE(sd_id128_from_string("3d2f0c9e7a514f6b9c1e5be0a4c6d217", &application), 0);
  if (sd_id128_get_machine_app_specific(application, &made) < 0) return;  // a host without one
  std::ifstream file("/etc/machine-id");
  const std::string content{std::istreambuf_iterator<char>(file), {}};
  char text[SD_ID128_UUID_STRING_MAX];
  EXPECT_EQ(machine_name(content), sd_id128_to_uuid_string(made, text));
}

TEST(MachineName, IsHostWhereThereIsNoMachineId) {
  EXPECT_EQ(machine_name(""), "host");
  EXPECT_EQ(machine_name("uninitialized\n"), "host");
  EXPECT_EQ(machine_name("00000000000000000000000000000000\n"), "host");
  EXPECT_EQ(machine_name("0123456789ABCDEF0123456789abcdef\n"), "host");
}

}  // namespace
}  // namespace fmd
