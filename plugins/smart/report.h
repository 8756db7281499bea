// Report: what one run of `smartctl -j` told about one disk, the same for SATA, SAS and NVMe. Each
// field is there only when the disk gave it: an absent one is never a fault, and never health.
// Source: smartctl(8) from 7.0 on; the names are those that 7.3 and 7.4 were seen to print
// (tests/fixtures) and 7.5's sources have.
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
  std::optional<int64_t> hours;  // power-on hours when it ended; 16 bits wide on ATA
  std::string text;              // the drive's own words
};

struct NvmeError {
  uint64_t count = 0;  // the entry's number, growing over the drive's life
  int type = 0;        // status code type, 0 generic, 1 command specific, 2 media, 3 path, 7 vendor
  int code = 0;        // status code
  std::optional<int64_t> queue;  // submission queue of the command; 0: the admin queue
  std::string text;
  std::optional<uint64_t> lba;
};

struct Report {
  enum class Answer {
    observed,
    standby,  // asleep, and left so
    refused,  // could not be asked; `reason` says why
  };
  Answer answer = Answer::refused;
  std::string reason;
  std::string protocol;  // "ata", "scsi", "nvme"; "" unknown
  std::string model, serial, firmware, wwn;
  std::optional<bool> passed;  // overall health, by the disk's own judgement
  std::string failing;         // ATA attributes at or below their threshold now
  // What the gravest of them is about; empty: the disk told of no attributes.
  enum class Failing { none, temperature, usage, cache_backup, pre_failure };
  std::optional<Failing> failing_now;
  std::map<std::string, Reading> readings;  // by property name (schemas/resources.md)
  std::optional<bool> rotational;
  SectorUnit sector_unit =
      SectorUnit::unknown;              // ATA, where the maker's disks count logical sectors
  bool counts_logical_sectors = false;  // the same, of disks without a bad sector as well
  std::optional<int64_t> rotation_rpm, temperature_limit;
  std::map<std::string, bool> critical_warnings;  // NVMe, by bit name
  // NVMe: its rated endurance is used up, and it has lost nothing: a bit about its reliability that
  // it has set says that.
  bool reliability_by_wear = false;
  struct Exception {  // SCSI informational exception
    int asc = 0, ascq = 0;
    std::string text;
    bool refuted = false;  // by the disk's own values: no evidence
    // SPC-5, additional sense codes 0Bh/01h and 0Ah to 0Dh (critical and operating limits, high and low).
    bool is_temperature() const {
      return asc == 0x0b && (ascq == 0x01 || (ascq >= 0x0a && ascq <= 0x0d));
    }
  };
  std::optional<Exception> exception;
  std::vector<std::string> contradictions;  // warnings that other values of this answer refute
  std::vector<SelfTest> tests;              // newest first
  bool tests_supported = false;             // as far as the disk tells
  std::vector<NvmeError> nvme_errors;       // newest first
  bool has_error_log = false;               // NVMe: this smartctl prints it
};

// What the tests come to: the newest that failed and that no later one of its kind, or a long one,
// has outdated by passing; else the newest that passed; null when there is none. One that runs or
// was aborted says nothing yet, and a short one does not look at what a long one failed on.
const SelfTest* verdict_of(const std::vector<SelfTest>& tests);
// Power-on hours from `then` to `now`. ATA's log keeps 16 bits of them.
int64_t hours_between(int64_t then, int64_t now, bool wraps);
// True if the test shows the disk as it is now: it ended no more than 90 power-on days ago, as far as known.
bool is_recent(const SelfTest& test, const Report& report);
bool is_running(const std::vector<SelfTest>& tests);

// text: smartctl's stdout, whatever it is. exit_status: of the process (bit 0 bad call, 1 cannot
// open or asleep, 2 a command failed, 3 failing, …).
// unit: of this disk, as an earlier look has shown it.
Report parse_report(std::string_view text, int exit_status, SectorUnit unit = SectorUnit::unknown);

// Did smartctl fall over what a disk answered? 7.3 does, with -x as with -a, at each SAS disk that
// has pending defects: just those that need to be watched.
bool crashed(std::string_view text);

// doc: what smartctl printed as JSON. printed: its text of a SCSI disk's error logs; what they
// count is added to the document, by the names that it has there when smartctl does not fall over
// it.
std::string with_error_counters(const std::string& doc, std::string_view printed);

// What smartctl gave as the reason when it did not do as it was told: its first error message.
std::string message_of(std::string_view text);

}  // namespace fmd::smart
