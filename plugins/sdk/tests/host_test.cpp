#include "plugins/sdk/host.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>

#include <fstream>

#include "plugins/sdk/flight.h"
#include "plugins/sdk/tests/support.h"

namespace fmd::sdk {
namespace {

using namespace std::chrono_literals;
using testing::Loop;
using testing::TempTree;
using End = CommandOutput::End;

class HostTest : public ::testing::Test {
 protected:
  Loop loop_;
  TempTree tree_;
  Host host_{loop_, tree_.root(), tree_.root() + "/tools"};

  CommandOutput run(std::vector<std::string> argv, std::chrono::milliseconds deadline = 20s) {
    CommandOutput output;
    bool done = false;
    host_.run(std::move(argv), deadline, [&](CommandOutput o) {
      output = std::move(o);
      done = true;
    });
    EXPECT_FALSE(done) << "the callback came from within run()";
    EXPECT_TRUE(loop_.until([&] { return done; }));
    return output;
  }
  // Gone, or a zombie that init has not reaped yet.
  static bool dead(pid_t pid) {
    std::ifstream file("/proc/" + std::to_string(pid) + "/stat");
    std::string stat;
    std::getline(file, stat);
    return stat.empty() || stat.find(") Z ") != std::string::npos;
  }
  bool ends(pid_t pid) {
    return loop_.until([&] { return dead(pid); });
  }
};

TEST_F(HostTest, ReadsAndListsUnderTheRoot) {
  tree_.file("/sys/block/sda/size", "8192\n");
  tree_.file("/sys/block/.hidden", "");
  tree_.folder("/sys/block/nvme0n1");
  EXPECT_EQ(host_.read("/sys/block/sda/size").value(), "8192");
  EXPECT_EQ(host_.list("/sys/block").value(), (std::vector<std::string>{"nvme0n1", "sda"}));
  EXPECT_FALSE(host_.real());
  EXPECT_FALSE(host_.read("/sys/block/sdb/size"));
  EXPECT_FALSE(host_.list("/sys/nowhere"));
  EXPECT_EQ(host_.path("/sys"), tree_.root() + "/sys");
  EXPECT_TRUE(Host(loop_, "/", "").real());
}

TEST_F(HostTest, ErrorsNameTheFileWithoutTheRoot) {
  const auto missing = host_.read("/sys/block/sdb/size");
  EXPECT_EQ(missing.error().text(), "/sys/block/sdb/size: cannot read: No such file or directory");
}

TEST_F(HostTest, LinksStayInsideTheRoot) {
  tree_.file("/sys/devices/pci/block/sda/size", "1");
  tree_.link("/sys/block/sda", "../devices/pci/block/sda");
  tree_.link("/sys/block/absolute", "/sys/devices/pci/block/sda");
  tree_.link("/sys/block/above", "../../../../../../../../etc");
  tree_.link("/sys/block/round", "round");
  EXPECT_EQ(host_.resolve("/sys/block/sda/size").value(), "/sys/devices/pci/block/sda/size");
  EXPECT_EQ(host_.read("/sys/block/absolute/size").value(), "1");
  EXPECT_FALSE(host_.read("/sys/block/above/passwd"));
  EXPECT_FALSE(host_.resolve("/sys/block/round"));
  EXPECT_EQ(host_.read_link("/sys/block/absolute").value(), "/sys/devices/pci/block/sda");
  EXPECT_EQ(host_.resolve("/..").value(), "/");
}

TEST_F(HostTest, NullIsNoDeviceOfTheMachine) {
  tree_.link("/sys/led/fault", "/dev/null");
  EXPECT_TRUE(host_.write("/sys/led/fault", "1"));
  EXPECT_EQ(host_.read("/sys/led/fault").value(), "");
  EXPECT_EQ(host_.resolve("/sys/led/fault").value(), "/dev/null");
  tree_.link("/sys/led/locate", "/dev/zero");
  EXPECT_FALSE(host_.exists("/sys/led/locate"));
}

TEST_F(HostTest, AFolderIsReadAsItsFilesAre) {
  tree_.file("/sys/devices/pci/block/sda/size", "1\n");
  tree_.file("/sys/devices/pci/uevent", "a\nb\n");
  tree_.link("/sys/devices/pci/block/sda/up", "/sys/devices/pci/uevent");
  tree_.link("/sys/devices/pci/block/sda/nothing", "/dev/null");
  tree_.link("/sys/block/sda", "/sys/devices/pci/block/sda");
  const Host::Folder folder(host_, "/sys/block/sda");
  EXPECT_EQ(folder.read("size").value(), "1");
  EXPECT_EQ(folder.read("up").value(), "a\nb") << "a link of the machine's, not of ours";
  EXPECT_EQ(folder.read("nothing").value(), "");
  const auto missing = folder.read("none");
  ASSERT_FALSE(missing);
  EXPECT_NE(missing.error().text().find("/sys/block/sda/none"), std::string::npos);
  EXPECT_FALSE(Host::Folder(host_, "/sys/block/sdb").read("size"));
}

// More than a page of sysfs, and a file elsewhere as short as a page.
TEST_F(HostTest, ReadsWholeFiles) {
  for (const size_t size : {4095u, 4096u, 4097u, 9000u}) {
    tree_.file("/sys/class/x/vpd", std::string(size, 'x'));
    EXPECT_EQ(host_.read("/sys/class/x/vpd").value().size(), size);
  }
  tree_.file("/run/large", std::string((1 << 20) + 1, 'x'));
  EXPECT_FALSE(host_.read("/run/large")) << "larger than any file that a plugin reads";
}

TEST_F(HostTest, AFolderThatChangedIsAnother) {
  tree_.folder("/dev/disk/by-id");
  EXPECT_EQ(host_.state_of_folder("/dev/disk/by-id"), "") << "more may come in this instant";
  const auto made_at = [&](time_t second) {
    const timespec times[2] = {{second, 0}, {second, 0}};
    utimensat(AT_FDCWD, host_.path("/dev/disk/by-id").c_str(), times, 0);
    return host_.state_of_folder("/dev/disk/by-id");
  };
  EXPECT_NE(made_at(1000), "");
  EXPECT_EQ(made_at(1000), made_at(1000));
  EXPECT_NE(made_at(1000), made_at(1001));
  EXPECT_EQ(host_.state_of_folder("/dev/disk/by-uuid"), "");
}

// The child sends only "unchanged"; the caller still gets the full result.
TEST_F(HostTest, AFlightThatFindsTheSameSaysSo) {
  const auto flight = std::make_shared<Flight>(host_, 10s);
  const auto look = [&](const std::function<std::string()>& work) {
    std::optional<std::pair<CommandOutput, bool>> told;
    EXPECT_TRUE(flight->start(work, [&](const CommandOutput& output, bool same) {
      told = {output, same};
    }));
    EXPECT_TRUE(loop_.until([&] { return told.has_value(); }));
    return told.value_or(std::pair(CommandOutput(), false));
  };
  const auto finds = [](const std::string& what) { return [what] { return what; }; };
  for (const auto& [what, same] : std::vector<std::pair<std::string, bool>>{
           {"", false}, {"", true}, {"=", false}, {"=", true}, {"a", false}, {"a", true}}) {
    const auto [output, is_same] = look(finds(what));
    EXPECT_EQ(output.out, what);
    EXPECT_EQ(is_same, same) << what;
  }
  EXPECT_FALSE(look([]() -> std::string { _exit(3); }).first.ok());
  EXPECT_EQ(flight->last(), "a");
  const auto [output, same] = look(finds("a"));
  EXPECT_EQ(output.out, "a");
  EXPECT_FALSE(same) << "who was told of a failure has to hear that it is over";
}

TEST_F(HostTest, WritesButNeverCreates) {
  tree_.file("/sys/class/enclosure/e/SLOT 01/fault", "0\n");
  ASSERT_TRUE(host_.write("/sys/class/enclosure/e/SLOT 01/fault", "1"));
  EXPECT_EQ(tree_.read("/sys/class/enclosure/e/SLOT 01/fault"), "1");
  EXPECT_FALSE(host_.write("/sys/class/enclosure/e/SLOT 01/nothing", "1"));
  EXPECT_FALSE(host_.exists("/sys/class/enclosure/e/SLOT 01/nothing"));
}

TEST_F(HostTest, RunsWithoutAShellAndWithAPlainEnvironment) {
  const auto plain = run({"printf", "%s", "$HOME `id` 'x'"});
  EXPECT_TRUE(plain.ok());
  EXPECT_EQ(plain.out, "$HOME `id` 'x'");
  const auto environment = run({"env"});
  EXPECT_NE(environment.out.find("LC_ALL=C\n"), std::string::npos);
  EXPECT_NE(environment.out.find("FMD_HOST_ROOT=" + tree_.root() + "\n"), std::string::npos);
  EXPECT_EQ(run({"cat"}).out, "") << "stdin is not empty";
}

TEST_F(HostTest, ToolsFolderComesFirst) {
  tree_.file("/tools/env", "#!/bin/sh\necho stand-in \"$1\"\nexit 3\n", 0755);
  const auto output = run({"env", "a b"});
  EXPECT_EQ(output.out, "stand-in a b\n");
  EXPECT_EQ(output.code, 3);
  EXPECT_EQ(output.explain("env"), "env: exit 3");
  EXPECT_TRUE(host_.has_tool("env"));
  EXPECT_FALSE(host_.has_tool("no-such-tool"));
}

TEST_F(HostTest, AToolCanBeHidden) {
  ASSERT_TRUE(host_.has_tool("env"));
  tree_.link("/tools/env", "/dev/null");
  EXPECT_FALSE(host_.has_tool("env"));
  EXPECT_EQ(run({"env"}).end, End::not_found);
}

TEST_F(HostTest, MissingToolIsTold) {
  const auto output = run({"no-such-tool"});
  EXPECT_EQ(output.end, End::not_found);
  EXPECT_EQ(output.explain("no-such-tool"), "no-such-tool: not installed");
}

TEST_F(HostTest, ExplainsWithTheFirstLineOfStderr) {
  const auto output =
      run({"sh", "-c", "echo >&2; echo cannot open >&2; echo more >&2; kill -9 $$"});
  EXPECT_EQ(output.end, End::killed);
  EXPECT_EQ(output.explain("zpool status"), "zpool status: killed by signal 9: cannot open");
}

TEST_F(HostTest, DeadlineTerminatesTheWholeGroup) {
  const auto output = run({"sh", "-c", "sleep 1000 & echo $!; wait"}, 300ms);
  EXPECT_EQ(output.end, End::deadline);
  const pid_t grandchild = std::stoi(output.out);
  EXPECT_TRUE(ends(grandchild));
}

TEST_F(HostTest, DeadlineDoesNotWaitForWhatIgnoresTerm) {
  pid_t child = 0;
  bool done = false, gone = false, gone_before_done = false;
  host_.run(
      {"sh", "-c", "trap '' TERM; echo $$; while :; do sleep 0.05; done"}, 300ms,
      [&](CommandOutput o) {
        EXPECT_EQ(o.end, End::deadline);
        child = std::stoi(o.out);
        done = true;
        gone_before_done = gone;
      },
      [&] { gone = true; });
  ASSERT_TRUE(loop_.until([&] { return done; }));
  EXPECT_FALSE(gone_before_done) << "SIGKILL was waited for";
  EXPECT_FALSE(dead(child)) << "it should still be there";
  ASSERT_TRUE(loop_.until([&] { return gone; }));
  EXPECT_TRUE(dead(child));
}

TEST_F(HostTest, OutputIsBounded) {
  const auto output = run({"head", "-c", "20000000", "/dev/zero"});
  EXPECT_TRUE(output.truncated);
  EXPECT_FALSE(output.ok()) << "half an answer is none";
  EXPECT_EQ(output.out.size(), 16u << 20);
  EXPECT_EQ(output.explain("zpool status"), "zpool status: printed more than fmd accepts, ignored");
}

// Many commands that each print as much as they may.
TEST_F(HostTest, OutputOfAllCommandsTogetherIsBounded) {
  host_.set_limits({.command = 100'000, .own_work = 100'000, .all = 250'000});
  size_t kept = 0, cut = 0, running = 10;
  for (size_t i = 0; i < 10; ++i)
    host_.run({"sh", "-c", "head -c 90000 /dev/zero; sleep 1"}, 60s, [&](const CommandOutput& o) {
      kept += o.out.size();
      cut += o.truncated ? 1 : 0;
      --running;
    });
  ASSERT_TRUE(loop_.until([&] { return running == 0; }));
  EXPECT_LE(kept, 250'000U);
  EXPECT_GE(cut, 7U);
  const auto later = run({"head", "-c", "90000", "/dev/zero"});
  EXPECT_TRUE(later.ok()) << "what ended no longer counts";
}

TEST_F(HostTest, ResultOfOwnWorkIsBounded) {
  host_.set_limits({.command = 10, .own_work = 1000, .all = 100'000});
  CommandOutput output;
  bool done = false;
  host_.run_apart([] { return std::string(2000, 'x'); }, 20s,
                  [&](CommandOutput o) {
                    output = std::move(o);
                    done = true;
                  });
  ASSERT_TRUE(loop_.until([&] { return done; }));
  EXPECT_EQ(output.out.size(), 1000U);
  EXPECT_FALSE(output.ok());
}

TEST_F(HostTest, AGrandchildThatKeepsThePipeIsNotWaitedFor) {
  const auto output = run({"sh", "-c", "sleep 1000 & echo $!"});
  EXPECT_TRUE(output.ok());
  const pid_t left = std::stoi(output.out);
  EXPECT_EQ(kill(left, 0), 0) << "what a good command left running is not ours to kill";
  kill(left, SIGKILL);
}

TEST_F(HostTest, RunsOwnCodeApart) {
  CommandOutput output;
  bool done = false;
  host_.run_apart([] { return std::to_string(getpid()); }, 20s,
                  [&](CommandOutput o) {
                    output = std::move(o);
                    done = true;
                  });
  ASSERT_TRUE(loop_.until([&] { return done; }));
  EXPECT_TRUE(output.ok());
  EXPECT_NE(std::stoi(output.out), getpid());
}

TEST_F(HostTest, OwnCodeThatHangsIsGivenUp) {
  bool done = false, gone = false;
  host_.run_apart(
      []() -> std::string {
        while (true) pause();
      },
      200ms,
      [&](CommandOutput o) {
        EXPECT_EQ(o.end, End::deadline);
        done = true;
      },
      [&] { gone = true; });
  EXPECT_TRUE(loop_.until([&] { return done && gone; }));
}

TEST_F(HostTest, OwnCodeApartSaysLinesAsTheyCome) {
  std::vector<std::string> lines;
  bool ended = false;
  auto stream = host_.stream_apart(
      [](const Host::Say& say) {
        say("one");
        say(std::to_string(getpid()));
      },
      [&](std::string_view line) { lines.emplace_back(line); },
      [&](CommandOutput o) {
        EXPECT_TRUE(o.ok());
        ended = true;
      });
  ASSERT_TRUE(loop_.until([&] { return ended; }));
  ASSERT_EQ(lines.size(), 2U);
  EXPECT_EQ(lines[0], "one");
  EXPECT_NE(std::stoi(lines[1]), getpid());
}

TEST_F(HostTest, OwnCodeApartEndsWithItsStream) {
  std::string child;
  auto stream = host_.stream_apart(
      [](const Host::Say& say) {
        say(std::to_string(getpid()));
        while (true) pause();
      },
      [&](std::string_view line) { child = line; },
      [](const CommandOutput&) { ADD_FAILURE() << "it was dropped"; });
  ASSERT_TRUE(loop_.until([&] { return !child.empty(); }));
  stream.reset();
  EXPECT_TRUE(loop_.until([&] { return kill(std::stoi(child), 0) != 0; }));
}

TEST_F(HostTest, StreamComesInLines) {
  std::vector<std::string> lines;
  bool ended = false;
  auto stream = host_.stream(
      {"sh", "-c", "echo one; printf 'two\\nthr'; echo ee; printf end; echo why >&2; exit 4"},
      [&](std::string_view line) { lines.emplace_back(line); },
      [&](CommandOutput o) {
        EXPECT_EQ(o.code, 4);
        EXPECT_EQ(o.err, "why\n");
        ended = true;
      });
  ASSERT_TRUE(loop_.until([&] { return ended; }));
  EXPECT_EQ(lines, (std::vector<std::string>{"one", "two", "three", "end"}));
}

TEST_F(HostTest, DroppingAStreamKillsItSilently) {
  pid_t child = 0;
  bool ended = false;
  std::shared_ptr<Host::Stream> stream = host_.stream(
      {"sh", "-c", "echo $$; while :; do echo line; done"},
      [&](std::string_view line) {
        ASSERT_EQ(child, 0) << "called after it was dropped";
        child = std::stoi(std::string(line));
        stream.reset();
      },
      [&](CommandOutput) { ended = true; });
  ASSERT_TRUE(loop_.until([&] { return child != 0; }));
  EXPECT_TRUE(ends(child));
  EXPECT_FALSE(ended);
}

TEST_F(HostTest, APausedStreamHoldsItsCommandBack) {
  size_t lines = 0;
  auto stream = host_.stream(
      {"yes"}, [&](std::string_view) { ++lines; }, [](CommandOutput) {});
  ASSERT_TRUE(loop_.until([&] { return lines > 0; }));
  stream->pause(true);
  const size_t then = lines;
  run({"true"});  // lets the loop run
  EXPECT_EQ(lines, then);
  stream->pause(false);
  EXPECT_TRUE(loop_.until([&] { return lines > then; }));
}

TEST_F(HostTest, AStreamWithoutItsToolEndsAtOnce) {
  End end = End::exited;
  auto stream = host_.stream(
      {"no-such-tool"}, [](std::string_view) {}, [&](CommandOutput o) { end = o.end; });
  EXPECT_TRUE(loop_.until([&] { return end == End::not_found; }));
}

}  // namespace
}  // namespace fmd::sdk
