// fmd-inject, as installed, with a core on a real socket.
#include <gtest/gtest.h>
#include <stdlib.h>

#include "plugins/sdk/host.h"
#include "plugins/sdk/tests/support.h"

namespace fmd::sdk {
namespace {

using namespace std::chrono_literals;

class InjectTest : public ::testing::Test {
 protected:
  testing::Loop loop_;
  testing::TempTree tree_;
  std::string socket_ = tree_.root() + "/s";
  testing::FakeCore core_{loop_, socket_};
  Host host_{loop_, "", ""};

  CommandOutput inject(std::vector<std::string> words) {
    setenv("FMD_SOCKET", socket_.c_str(), 1);
    words.insert(words.begin(), FMD_INJECT);
    CommandOutput output;
    bool done = false;
    host_.run(std::move(words), 60s, [&](CommandOutput o) {
      output = std::move(o);
      done = true;
    });
    EXPECT_TRUE(loop_.until([&] { return done; }, 60s));
    unsetenv("FMD_SOCKET");
    return output;
  }
};

TEST_F(InjectTest, GivesOneEvent) {
  const auto output = inject({"ereport.test.x", "dev://wwn=1", "count=3", "text=a b=c", "on=true"});
  EXPECT_TRUE(output.ok()) << output.err;
  EXPECT_EQ(core_.of("hello").at(0)["transient"], true);
  ASSERT_EQ(core_.events.size(), 1u);
  EXPECT_EQ(core_.events[0]["class"], "ereport.test.x");
  EXPECT_EQ(core_.events[0]["resource"], "dev://wwn=1");
  EXPECT_EQ(core_.events[0]["payload"],
            nlohmann::json({{"count", 3}, {"text", "a b=c"}, {"on", true}}));
  EXPECT_GT(core_.events[0]["time"], 1'600'000'000'000'000'000);
}

TEST_F(InjectTest, SaysWhatIsWrong) {
  EXPECT_NE(inject({"ereport.test.x"}).err.find("CLASS RESOURCE"), std::string::npos);
  const auto help = inject({"--help"});
  EXPECT_EQ(help.code, 0);
  EXPECT_NE(help.out.find("CLASS RESOURCE"), std::string::npos);
  core_.refuse_hello = true;
  const auto refused = inject({"ereport.test.x", "dev://wwn=1"});
  EXPECT_EQ(refused.code, 1);
  EXPECT_EQ(refused.err, "fmd-inject: not you\n");
}

}  // namespace
}  // namespace fmd::sdk
