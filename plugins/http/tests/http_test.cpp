// Where alerts may be sent, and which files are trusted. Root's, as the tests are.
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "plugins/http/http_post.h"
#include "plugins/http/trusted_file.h"

namespace fmd::http {
namespace {

TEST(SafeUrl, HttpsOrThisMachine) {
  for (const char* good : {"https://a.example/x?y#z", "https://a:8443", "http://localhost/x",
                           "http://127.0.0.1:9093/api", "http://[::1]:80/"})
    EXPECT_TRUE(is_safe_url(good)) << good;
  for (const char* bad :
       {"http://a.example/", "http://localhost.evil.example/", "http://127.0.0.1.evil/", "ftp://a",
        "file:///etc/passwd", "https://", "https:///x", "https://u:p@a/", "https://a\r\nX: y",
        "https://a b", "a", "", "http://127.0.0.1@evil/"})
    EXPECT_FALSE(is_safe_url(bad)) << bad;
}

class TrustedFileTest : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::temp_directory_path() / ("fmd-trust-" + std::to_string(getpid()));
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directory(folder_);
    chmod(folder_.c_str(), 0755);
    file_ = folder_ / "program";
    std::ofstream(file_) << "#!/bin/sh\n";
    chmod(file_.c_str(), 0755);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  std::string said(const std::string& path) {
    const auto good = check_trusted(path, true);
    return good ? "" : good.error().message;
  }
  std::filesystem::path folder_, file_;
};

TEST_F(TrustedFileTest, RootsAndNobodyElses) {
  EXPECT_EQ(said(file_), "");
  chmod(file_.c_str(), 0775);
  EXPECT_EQ(said(file_), "others than root may write to it");
  chmod(file_.c_str(), 0644);
  EXPECT_EQ(said(file_), "cannot be executed");
  EXPECT_TRUE(check_trusted(file_, false));
  chmod(file_.c_str(), 0755);
  ASSERT_EQ(chown(file_.c_str(), 65534, 65534), 0);
  EXPECT_EQ(said(file_), "is not root's");
  ASSERT_EQ(chown(file_.c_str(), 0, 0), 0);
  chmod(folder_.c_str(), 0777);
  EXPECT_EQ(said(file_), "others than root may write to it") << "the folder counts too";
  chmod(folder_.c_str(), 0755);
  ASSERT_EQ(symlink(file_.c_str(), (folder_ / "link").c_str()), 0);
  EXPECT_NE(said(folder_ / "link").find("is a link"), std::string::npos);
  EXPECT_EQ(said(folder_), "is no file");
  EXPECT_EQ(said("program"), "must be a file's whole path");
  EXPECT_EQ(said(folder_ / "../program"), "must be a file's whole path");
  EXPECT_EQ(said(folder_ / "none"), "No such file or directory");
}

}  // namespace
}  // namespace fmd::http
