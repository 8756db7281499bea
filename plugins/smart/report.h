// Report: the result of one `smartctl -j` for one disk, in the same form for SATA, SAS and NVMe. A
// field is set only if the disk reported it: an absent one means neither fault nor health. Source:
// smartctl(8) since 7.0; names as printed by 7.3 and 7.4 (tests/fixtures) and in the source of 7.5.
#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "plugins/smart/attribute_table.h"

namespace fmd::smart {

struct Reading {
  double value = 0;
  std::string unit;  // "celsius", "hours", "percent", "count", …
  bool operator==(const Reading&) const = default;
};

struct SelfTest {
  enum class Kind { short_test, long_test, other };
  enum class Result { passed, failed, aborted, running };
  Kind kind = Kind::other;
  Result result = Result::aborted;
  std::optional<int64_t> hours;  // power-on hours at its end; 16 bits on ATA
  std::string text;              // the drive's text
};

struct NvmeError {
  uint64_t count = 0;  // the entry's number, increasing over the drive's life
  int type = 0;        // status code type, 0 generic, 1 command specific, 2 media, 3 path, 7 vendor
  int code = 0;        // status code
  std::optional<int64_t> queue;  // submission queue of the command; 0: the admin queue
  std::string text;
  std::optional<uint64_t> lba;
};

struct Report {
  enum class Answer {
    observed,
    standby,  // asleep; not spun up
    refused,  // the query failed; see `reason`
  };
  Answer answer = Answer::refused;
  std::string reason;
  std::string protocol;  // "ata", "scsi", "nvme"; "" unknown
  std::string model, serial, firmware, wwn;
  std::optional<bool> passed;  // overall health as reported by the disk
  std::string failing;         // ATA attributes at or below their threshold now
  // Meaning of the most severe of them; empty if the disk reported no attributes.
  enum class Failing { none, temperature, usage, cache_backup, pre_failure };
  std::optional<Failing> failing_now;
  std::map<std::string, Reading> readings;  // by property name (schemas/resources.md)
  std::optional<bool> rotational;
  SectorUnit sector_unit = SectorUnit::unknown;  // ATA, if the maker's disks count logical sectors
  bool counts_logical_sectors = false;           // the same, also for disks without bad sectors
  std::optional<int64_t> rotation_rpm, temperature_limit;
  std::map<std::string, bool> critical_warnings;  // NVMe, by bit name
  // NVMe: the rated endurance is used up and no data was lost, which explains a reliability
  // warning.
  bool reliability_by_wear = false;
  struct Exception {  // SCSI informational exception
    int asc = 0, ascq = 0;
    std::string text;
    bool refuted = false;  // by the disk's other values: not evidence
    // SPC-5, additional sense codes 0Bh/01h and 0Ah to 0Dh (critical and operating limits).
    bool is_temperature() const {
      return asc == 0x0b && (ascq == 0x01 || (ascq >= 0x0a && ascq <= 0x0d));
    }
  };
  std::optional<Exception> exception;
  std::vector<std::string> contradictions;  // warnings refuted by other values of this report
  std::vector<SelfTest> tests;              // newest first
  bool tests_supported = false;             // as reported by the disk
  std::vector<NvmeError> nvme_errors;       // newest first
  bool has_error_log = false;               // NVMe: this smartctl prints the log
};

// The result of the tests: the newest failed one that no later passed test of its kind, or a long
// one, supersedes; else the newest passed one; null if there is none. Running and aborted tests do
// not count. A short test does not read the places where a long one failed.
const SelfTest* verdict_of(const std::vector<SelfTest>& tests);
// Power-on hours from `then` to `now`. wraps: ATA's log keeps only 16 bits of them.
int64_t hours_between(int64_t then, int64_t now, bool wraps);
// True if the test still shows the disk's state: it ended at most 90 power-on days ago, or at an
// unknown time.
bool is_recent(const SelfTest& test, const Report& report);
bool is_running(const std::vector<SelfTest>& tests);

// text: smartctl's stdout, untrusted. exit_status: of the process (bit 0 bad call, 1 cannot open or
// asleep, 2 a command failed, 3 failing, …). unit: as found by an earlier query of this disk.
Report parse_report(std::string_view text, int exit_status, SectorUnit unit = SectorUnit::unknown);

// True if smartctl crashed on a disk's answer. 7.3 crashes, with -x and -a, on each SAS disk that
// has pending defects: exactly the disks to watch.
bool crashed(std::string_view text);

// doc: smartctl's JSON output. printed: the text output of a SCSI disk's error logs. Its counters
// are added to the document under the names that smartctl uses in JSON.
std::string with_error_counters(const std::string& doc, std::string_view printed);

// smartctl's first error message: why it failed.
std::string message_of(std::string_view text);

}  // namespace fmd::smart
