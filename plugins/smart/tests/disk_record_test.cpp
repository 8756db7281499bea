// The resource of a disk, as sent to fmd.
#include "plugins/smart/disk_record.h"

#include "fmd/base/json.h"
#include "plugins/smart/tests/fixture.h"

namespace fmd::smart {
namespace {

using testing::report;

TEST(DiskRecord, LastWordsStayWhileItSleeps) {
  DiskRecord record;
  record.observed(report("sata-failing.json", 24));
  record.standby(3);
  const auto properties = record.resource("dev://wwn=1", false)["properties"];
  EXPECT_EQ(properties["smart.state"], "standby");
  EXPECT_EQ(properties["smart.skips"], 3);
  EXPECT_EQ(properties["smart.status"], "failed");
  EXPECT_EQ(properties["smart.self_test"], "failed");
  EXPECT_EQ(properties["smart.reallocated"], 2008);
  EXPECT_EQ(properties["temperature_limit_celsius"], 60);
  EXPECT_EQ(properties["smart.failing_now"], "pre-failure");
}

// Otherwise a pulled disk would stay present, and its replacement would not count as one.
TEST(DiskRecord, NeverSaysThatADiskIsThere) {
  DiskRecord record;
  const auto present = [&] { return record.resource("dev://wwn=1", false)["present"]; };
  EXPECT_FALSE(present());
  record.observed(report("sata.json"));
  EXPECT_FALSE(present());
  record.standby(1);
  EXPECT_FALSE(present());
  record.hung();
  EXPECT_FALSE(present());
  record.refused("no");
  EXPECT_FALSE(present());
}

TEST(DiskRecord, ATestThatRunsTakesNothingBack) {
  using Result = SelfTest::Result;
  const auto word = [](std::vector<Result> results) -> std::string {
    Report r;
    for (const Result result : results)
      r.tests.push_back({.result = result, .hours = {}, .text = ""});
    DiskRecord record;
    record.observed(r);
    EXPECT_EQ(record.test_running(), !results.empty() && results[0] == Result::running);
    return record.resource("dev://wwn=1", false)["properties"]["smart.self_test"];
  };
  EXPECT_EQ(word({}), "none");
  EXPECT_EQ(word({Result::aborted}), "none");
  EXPECT_EQ(word({Result::running}), "running");
  EXPECT_EQ(word({Result::running, Result::passed, Result::failed}), "running");
  EXPECT_EQ(word({Result::running, Result::aborted, Result::failed}), "failed");
  EXPECT_EQ(word({Result::passed, Result::failed}), "passed");
}

TEST(DiskRecord, EachExceptionHasItsKind) {
  const auto kind = [](int asc, int ascq) -> std::string {
    Report r;
    r.protocol = "scsi";
    r.exception = {asc, ascq, ""};
    DiskRecord record;
    record.observed(r);
    return record.resource("dev://wwn=1", false)["properties"]["smart.exception"];
  };
  for (const int ascq : {0x00, 0x10, 0x73, 0xfe}) EXPECT_EQ(kind(0x5d, ascq), "failure-predicted");
  EXPECT_EQ(kind(0x5d, 0xff), "test");
  for (const int ascq : {0x01, 0x0a, 0x0b, 0x0c, 0x0d}) EXPECT_EQ(kind(0x0b, ascq), "temperature");
  for (const int ascq : {0x00, 0x02, 0x03, 0x09, 0x0e, 0x11, 0x12})
    EXPECT_EQ(kind(0x0b, ascq), "warning");
  EXPECT_EQ(kind(0x0c, 0x01), "other");
}

TEST(DiskRecord, ExceptionsByTheirKind) {
  const auto kind = [](const Report& r) {
    DiskRecord record;
    record.observed(r);
    return record.resource("dev://wwn=1", false)["properties"];
  };
  EXPECT_EQ(kind(report("sas-failing.json", 8))["smart.exception"], "failure-predicted");
  EXPECT_EQ(kind(report("sas-failing.json", 8))["smart.exception_code"], "5d/10");
  EXPECT_EQ(kind(report("sas-hot.json", 8))["smart.exception"], "temperature");
  EXPECT_EQ(kind(report("sas-environment.json", 140))["smart.exception"], "temperature");
  EXPECT_EQ(kind(report("sas-environment.json", 140))["smart.exception_code"], "0b/0c");
  Report quiet;
  quiet.answer = Report::Answer::observed;
  quiet.protocol = "scsi";
  EXPECT_FALSE(kind(quiet).contains("smart.exception")) << "nobody knows";
  EXPECT_EQ(kind(quiet)["smart.status"], "unknown");
  quiet.passed = true;
  EXPECT_EQ(kind(quiet)["smart.exception"], "none");
  EXPECT_FALSE(kind(report("sata.json")).contains("smart.exception"));
}

}  // namespace
}  // namespace fmd::smart
