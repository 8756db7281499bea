// Locate lights that go out when their caller leaves.
#include <sys/socket.h>
#include <sys/un.h>

#include <utility>

#include "fmd/bus/tests/bus_rig.h"

namespace fmd::test {
namespace {

class HeldLightTest : public BusServerTest {
 protected:
  using Held = std::map<std::string, std::string>;

  // Cuts only the server's connection; the bus continues.
  void cut_the_server_off() {
    for (int fd = 3; fd < 1000; ++fd) {
      sockaddr_un address{};
      socklen_t size = sizeof address;
      if (fd == sd_bus_get_fd(client_.get()) ||
          getpeername(fd, reinterpret_cast<sockaddr*>(&address), &size) != 0)
        continue;
      if (bus_.address() == std::string("unix:path=") + address.sun_path) shutdown(fd, SHUT_RDWR);
    }
  }
};

TEST_F(HeldLightTest, AHeldLightGoesOutWhenItsCallerLeaves) {
  serve();
  EXPECT_EQ(text_of(call("HoldLocate", "s", "SLOT 06")), kBay);
  EXPECT_EQ(control_.changes, std::vector<std::string>{"hold locate [SLOT 06] by " + own_name()});
  const bus::BusPtr keeper = std::exchange(client_, connect());
  EXPECT_FALSE(call("ReleaseLocate", "").error) << "another's is not touched";
  EXPECT_TRUE(control_.held.contains(kBay));
  client_ = nullptr;  // a client without a light leaves
  client_ = connect();
  EXPECT_EQ(text_of(call("ListSerd", "")), "[]") << "by now fmd has heard of that";
  EXPECT_TRUE(control_.held.contains(kBay));
  sd_bus_close(keeper.get());
  EXPECT_TRUE(until([&] { return control_.held.empty(); }));
}

TEST_F(HeldLightTest, AHeldLightGoesOutWhenItsCallerSaysSo) {
  serve(std::set<uint32_t>{});
  auto polkit =
      std::make_unique<MockPolkit>(event_.get(), bus_.address(), MockPolkit::Answer::allow);
  EXPECT_EQ(text_of(call("HoldLocate", "s", "SLOT 06")), kBay);
  EXPECT_EQ(polkit->asked.size(), 1u);
  polkit.reset();
  EXPECT_FALSE(call("ReleaseLocate", "").error) << "needs nobody's leave";
  EXPECT_TRUE(control_.held.empty());
}

TEST_F(HeldLightTest, ACallerThatLeftBeforePolkitsAnswerHoldsNothing) {
  serve(std::set<uint32_t>{});
  MockPolkit polkit(event_.get(), bus_.address(), MockPolkit::Answer::silent);
  auto message = method(bus::kPath, bus::kName, "HoldLocate");
  sd_bus_message_append(message.get(), "s", "SLOT 06");
  sd_bus_call_async(client_.get(), nullptr, message.get(), nullptr, nullptr, kAnswerUs);
  ASSERT_TRUE(until([&] { return polkit.asked.size() == 1; }));
  message.reset();
  client_.reset();
  polkit.release();
  ASSERT_TRUE(until([&] { return !control_.changes.empty(); }));
  EXPECT_TRUE(until([&] { return control_.held.empty(); }));
}

TEST_F(HeldLightTest, WhoHoldsALightIsLookedForAfterARestart) {
  serve();
  text_of(call("HoldLocate", "s", "SLOT 06"));
  const std::string holder = control_.held[kBay];
  server_.reset();
  const bus::BusPtr keeper = std::exchange(client_, nullptr);
  const std::string on_another_bus = "0123456789abcdef0123456789abcdef" + holder.substr(32);
  control_.held["hc://chassis=5/bay=7"] = on_another_bus;
  control_.held["hc://chassis=5/bay=8"] = holder.substr(0, 32) + ":1.999";
  serve();
  EXPECT_TRUE(until([&] { return control_.held == Held{{kBay, holder}}; }));
  sd_bus_close(keeper.get());
  EXPECT_TRUE(until([&] { return control_.held.empty(); }));
}

TEST_F(HeldLightTest, NoLightIsHeldOverTheEndOfTheBus) {
  serve();
  text_of(call("HoldLocate", "s", "SLOT 06"));
  text_of(call("ListSerd", ""));  // ensures that the bus has answered the watch
  bus_.stop();
  ASSERT_TRUE(until([this] { return !server_->owns_name(); }));
  EXPECT_TRUE(control_.held.contains(kBay)) << "a bus that is away says nothing";
  bus_.start();
  EXPECT_TRUE(until([&] { return control_.held.empty(); }));
}

TEST_F(HeldLightTest, ItsCallerIsWatchedAnewWhenFmdComesBackToTheBus) {
  serve();
  text_of(call("HoldLocate", "s", "SLOT 06"));
  text_of(call("ListSerd", ""));  // ensures that the bus has answered the watch
  cut_the_server_off();
  ASSERT_TRUE(until([this] { return !server_->owns_name(); }));
  ASSERT_TRUE(until([this] { return server_->owns_name(); }));
  text_of(call("ListSerd", ""));
  EXPECT_TRUE(control_.held.contains(kBay)) << "we are still there";
  sd_bus_close(client_.get());
  EXPECT_TRUE(until([&] { return control_.held.empty(); }));
}

}  // namespace
}  // namespace fmd::test
