// Sel: reads the BMC's system event log by record id, from a cursor on. Pure.
//
//   begin(info) ─▶ nothing new │ ask() ─▶ take(answers) ─▶ new entries ─▶ ask() … until done
//
// The cursor is the last record read, including its bytes, because a cleared log reuses ids. At the
// first read, existing entries are not reported as new.
#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "plugins/ipmi/raw.h"

namespace fmd::ipmi {

struct SelInfo {
  int entries = 0, free_bytes = 0;
  uint32_t added = 0, erased = 0;  // by the BMC's clock
  bool overflow = false;           // entries were dropped because the log was full
  bool operator==(const SelInfo&) const = default;
  double used_percent() const;
  static std::optional<SelInfo> parse(const Bytes& answer);
};

struct SelEntry {
  uint16_t id = 0;
  int record_type = 0;
  uint32_t time = 0;  // by the BMC's clock; below 0x20000000: since its start, clock not set
  int sensor = 0, sensor_type = 0, reading_type = 0, offset = 0;
  bool deasserted = false;
  int owner = 0x20;  // of the sensor: the BMC, another controller, or software (owner in sdr.h)
  int data2 = 0xFF, data3 = 0xFF;
  bool may_be_old = false;  // undated and read from the first entry: maybe read before
  bool is_event() const { return record_type == 0x02; }  // others are vendor-specific
  static SelEntry parse(const Bytes& record);            // 16 bytes
};

// Whether the BMC's clock can date the entry.
bool is_dated(const SelEntry& entry, std::optional<uint32_t> bmc_now);
// The entry's time by our clock; now_ns if it is not dated.
int64_t time_of(const SelEntry& entry, std::optional<uint32_t> bmc_now, int64_t now_ns);

class Sel {
 public:
  // cursor: if "" or damaged, the next read is the first.
  void restore(const std::string& cursor);
  std::string cursor() const;

  // Continues a read that the previous poll did not finish. before: the BMC's clock at the previous
  // poll, if known.
  void begin(const SelInfo& info, std::optional<uint32_t> before = {});
  // The next requests of the current read; empty when it is done.
  std::vector<Request> ask() const;
  std::vector<SelEntry> take(const std::vector<Answer>& answers);
  bool first_look() const { return !known_; }
  bool complete() const { return known_ && info_ == looking_; }  // the current read has ended

 private:
  enum class Way { done, baseline, after_cursor, from_first, on };
  void finish();
  std::vector<SelEntry> follow(uint16_t id, const std::map<uint16_t, Bytes>& got);

  bool known_ = false;
  uint16_t id_ = 0;  // of the last record read; 0: the log was empty
  Bytes record_;     // of id_
  SelInfo info_;     // of the last complete read
  SelInfo looking_;
  Way way_ = Way::done;
  uint16_t next_ = 0;
  bool older_may_come_ = false;  // read from the first entry, although the log was not cleared
  uint32_t cursor_time_ = 0;     // then: older entries were read before
  Bytes cursor_record_;          // as was this one
  bool newer_came_ = false;      // since then, or the log was cleared: the rest is also new
  int steps_ = 0;
  // A full log that wraps around has the same number of entries after a new one, and the same times
  // within a second. So a read in the second of the last change is repeated, even if nothing looks
  // new.
  bool settled_ = true, looking_settles_ = true;
};

}  // namespace fmd::ipmi
