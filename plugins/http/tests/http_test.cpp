// Which URLs and files are allowed. The trusted files are root's, so the tests run as root.
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <optional>

#include "plugins/http/http_post.h"
#include "plugins/http/trusted_file.h"
#include "plugins/sdk/tests/support.h"

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

// Answers one request with that status and an endless body.
class EndlessServer {
 public:
  explicit EndlessServer(const char* status) {
    sockaddr_in address{};
    socklen_t size = sizeof address;
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    const auto at = reinterpret_cast<sockaddr*>(&address);
    const int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (bind(listener, at, size) != 0 || listen(listener, 4) != 0 ||
        getsockname(listener, at, &size) != 0)
      ADD_FAILURE() << "no server";
    url = "http://127.0.0.1:" + std::to_string(ntohs(address.sin_port)) + "/";
    child_ = fork();
    if (child_ == 0) {
      const int call = accept(listener, nullptr, nullptr);
      std::string text = std::string("HTTP/1.1 ") + status + "\r\n\r\n";
      while (send(call, text.data(), text.size(), MSG_NOSIGNAL) > 0) text.assign(65536, 'x');
      _exit(0);
    }
    close(listener);
  }
  ~EndlessServer() {
    kill(child_, SIGKILL);
    waitpid(child_, nullptr, 0);
  }
  std::string url;

 private:
  pid_t child_ = -1;
};

// Otherwise it would be resent again and again, and read until the deadline each time.
TEST(HttpPost, AnAnswerWithoutAnEndIsCutAndItsStatusCounts) {
  sdk::testing::Loop loop;
  sdk::testing::TempTree tree;
  sdk::Host host(loop, tree.root(), "");
  for (const bool good : {true, false}) {
    const EndlessServer server(good ? "200 OK" : "500 Broken");
    std::optional<Answer> answer;
    Request request;
    request.url = server.url;
    request.body = "{}";
    post(host, request, std::chrono::seconds(20), [&](const Answer& one) { answer = one; });
    ASSERT_TRUE(loop.until([&] { return answer.has_value(); }));
    EXPECT_EQ(answer->taken, good) << answer->reason;
    EXPECT_NE(good, answer->reason.find("HTTP 500") != std::string::npos) << answer->reason;
    EXPECT_LT(answer->reason.size(), 400U);
  }
}

}  // namespace
}  // namespace fmd::http
