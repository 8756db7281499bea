// The whole plugin, with a service that accepts connections but never answers, and a core on a real
// socket.
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <memory>

#include "plugins/redfish/redfish_plugin.h"
#include "plugins/sdk/tests/support.h"

namespace fmd::redfish {
namespace {

using namespace std::chrono_literals;

class SilentService {
 public:
  SilentService() {
    socklen_t size = sizeof address_;
    address_.sin_family = AF_INET;
    address_.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    const auto address = reinterpret_cast<sockaddr*>(&address_);
    listener_ = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (bind(listener_, address, size) != 0 || ::listen(listener_, 16) != 0 ||
        getsockname(listener_, address, &size) != 0)
      ADD_FAILURE() << "no service";
  }
  ~SilentService() {
    hang_up();
    close(listener_);
  }
  std::string name() const {
    return "https://127.0.0.1:" + std::to_string(ntohs(address_.sin_port));
  }
  bool called() {
    if (call_ < 0) call_ = accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
    return call_ >= 0;
  }
  void hang_up() {
    if (call_ >= 0) close(call_);
    call_ = -1;
  }

 private:
  sockaddr_in address_{};
  int listener_ = -1, call_ = -1;
};

TEST(RedfishPlugin, ARefreshIsAnsweredByALookThatBeganAfterIt) {
  sdk::testing::Loop loop;
  sdk::testing::TempTree tree;
  const std::string root = tree.root();
  sdk::testing::FakeCore core(loop, root + "/s");
  sdk::Host host(loop, root, "");
  SilentService service;
  tree.folder("/run");
  tree.file("/password", "secret\n", 0600);
  Options options;
  options.service = service.name();
  options.user = "fmd";
  options.password_file = root + "/password";
  options.interval = options.confirm = 1h;
  options.folder = root + "/run";
  RedfishPlugin plugin(loop, host, root + "/s", options);
  ASSERT_TRUE(loop.until([&] { return service.called(); }));
  const auto refresh = core.command("refresh", "1", "redfish://");
  loop.drain();
  service.hang_up();
  ASSERT_TRUE(loop.until([&] { return service.called(); })) << "another look begins";
  EXPECT_FALSE(core.answers.contains(refresh)) << "the first one began before it was asked";
  service.hang_up();
  EXPECT_TRUE(loop.until([&] { return core.answers.contains(refresh); }));
  EXPECT_EQ(core.answers[refresh]["status"], "failed");
}

}  // namespace
}  // namespace fmd::redfish
