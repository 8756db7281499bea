// Which queries are repeated, and with which options.
#include "plugins/smart/asker.h"

#include "plugins/sdk/tests/support.h"
#include "plugins/smart/report.h"
#include "plugins/smart/tests/fixture.h"

namespace fmd::smart {
namespace {

using namespace std::chrono_literals;

// A smartctl that prints the file `all` when called with -x, `less` for other JSON, else `errors`.
// It appends the options of each call to `asked`.
class AskerTest : public ::testing::Test {
 protected:
  AskerTest() {
    tree_.file("/smartctl",
               "#!/bin/sh\ncd " + tree_.root() +
                   "\necho \"$@\" >> asked\n"
                   "case \"$*\" in *-x*) cat all; exit 1 ;; *-j*) cat less; exit 8 ;; esac\n"
                   "cat errors\n",
               0755);
    tree_.file("/less", testing::fixture("sas-pending-less-7.3.json"));
    tree_.file("/errors", testing::fixture("sas-pending-errors-7.3.txt"));
  }
  Report ask(const std::string& all, std::vector<std::string> words) {
    tree_.file("/all", all);
    tree_.file("/asked", "");
    std::optional<Report> report;
    int answers = 0;
    std::vector<std::string> argv{"smartctl"};
    argv.insert(argv.end(), words.begin(), words.end());
    EXPECT_TRUE(asker_.ask("a", argv, [&](const sdk::CommandOutput& output) {
      report = parse_report(output.out, output.code);
      ++answers;
    }));
    EXPECT_TRUE(loop_.until([&] { return report && !asker_.busy("a"); }));
    EXPECT_EQ(answers, 1);
    return report.value_or(Report());
  }

  sdk::testing::TempTree tree_;
  sdk::testing::Loop loop_;
  sdk::Host host_{loop_, tree_.root(), tree_.root()};
  Asker asker_{host_, 1, 20s};
};

TEST_F(AskerTest, AfterACrashItAsksForLess) {
  const Report r = ask(testing::fixture("sas-pending-7.3.txt"),
                       {"-j", "-x", "-n", "standby,3", "-d", "scsi", "/dev/sda"});
  EXPECT_EQ(r.answer, Report::Answer::observed);
  EXPECT_EQ(testing::reading(r, "smart.grown_defects"), 37);
  EXPECT_EQ(testing::reading(r, "smart.pending"), 2) << "which it fell over";
  EXPECT_EQ(testing::reading(r, "smart.uncorrected_read"), 5);
  EXPECT_EQ(tree_.read("/asked"),
            "-j -x -n standby,3 -d scsi /dev/sda\n"
            "-j -i -H -A -l selftest -l ssd -n standby,3 -d scsi /dev/sda\n"
            "-l error -n standby,3 -d scsi /dev/sda\n");
}

TEST_F(AskerTest, WithoutTheErrorLogsTheRestCounts) {
  tree_.file("/errors", "nothing of the kind\n");
  const Report r = ask(testing::fixture("sas-pending-7.3.txt"), {"-j", "-x", "/dev/sda"});
  EXPECT_EQ(r.answer, Report::Answer::observed);
  EXPECT_EQ(testing::reading(r, "smart.grown_defects"), 37);
  EXPECT_FALSE(r.readings.contains("smart.pending"));
}

TEST_F(AskerTest, OtherFailuresAreAnswers) {
  EXPECT_EQ(ask("nonsense", {"-j", "-x", "/dev/sda"}).answer, Report::Answer::refused);
  EXPECT_EQ(tree_.read("/asked"), "-j -x /dev/sda\n");
}

// There is no smaller query to try, so there is no second one.
TEST_F(AskerTest, AnotherCrashIsAnAnswer) {
  tree_.file("/less", testing::fixture("sas-pending-7.3.txt"));
  const Report r = ask(testing::fixture("sas-pending-7.3.txt"), {"-j", "-x", "/dev/sda"});
  EXPECT_EQ(r.answer, Report::Answer::refused);
  EXPECT_EQ(tree_.read("/asked"), "-j -x /dev/sda\n-j -i -H -A -l selftest -l ssd /dev/sda\n");
}

}  // namespace
}  // namespace fmd::smart
