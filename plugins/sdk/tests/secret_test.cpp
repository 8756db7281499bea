#include "plugins/sdk/secret.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include "plugins/sdk/tests/support.h"

namespace fmd::sdk {
namespace {

class SecretTest : public ::testing::Test {
 protected:
  testing::TempTree tree_;
  std::string path_ = tree_.root() + "/password";

  std::string refusal(std::string_view text, mode_t mode) const {
    tree_.file("/password", text, mode);
    const auto secret = read_secret(path_);
    return secret ? "" : secret.error().message;
  }
};

TEST_F(SecretTest, IsTheFirstLine) {
  tree_.file("/password", "s3cret word\nmore\n", 0640);
  EXPECT_EQ(read_secret(path_).value_or(""), "s3cret word");
}

TEST_F(SecretTest, AFileThatOtherUsersCanReadIsRefused) {
  for (const mode_t mode : {0644, 0604, 0606, 0601})
    EXPECT_EQ(refusal("s3cret\n", mode),
              "can be read by other users: run 'chmod o= " + path_ + "'");
}

TEST_F(SecretTest, NoSecretIsAnError) {
  EXPECT_EQ(refusal("", 0600), "has no secret in its first line");
  EXPECT_EQ(refusal("\nsecond\n", 0600), "has no secret in its first line");
  EXPECT_EQ(refusal("a\tb\n", 0600), "has control characters");
  EXPECT_EQ(read_secret("/nowhere").error().message, "cannot be read: No such file or directory");
}

TEST_F(SecretTest, AFileThatThisUserMayNotReadSaysWhatToRun) {
  tree_.file("/password", "s3cret\n", 0);
  const bool root = geteuid() == 0;
  constexpr uid_t kNobody = 65534;
  if (root) {
    ASSERT_EQ(seteuid(kNobody), 0);
  }
  const auto secret = read_secret(path_);
  if (root) {
    ASSERT_EQ(seteuid(0), 0);
  }
  ASSERT_FALSE(secret.has_value());
  EXPECT_TRUE(secret.error().message.starts_with("cannot be read: Permission denied: run 'chown "))
      << secret.error().message;
}

}  // namespace
}  // namespace fmd::sdk
