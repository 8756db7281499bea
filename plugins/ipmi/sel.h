// Sel: the BMC's system event log, read by record id from a cursor on. Pure.
//
//   begin(info) ─▶ nothing new │ ask() ─▶ take(answers) ─▶ new entries ─▶ ask() … until done
//
// The cursor is the last record that was read, with its bytes: an id alone may be another record by
// now, since a cleared log counts from 1 again. The first time what stands there is no news.
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
  bool overflow = false;           // entries were dropped for want of room
  bool operator==(const SelInfo&) const = default;
  double used_percent() const;
  static std::optional<SelInfo> parse(const Bytes& answer);
};

struct SelEntry {
  uint16_t id = 0;
  int record_type = 0;
  uint32_t time = 0;  // by the BMC's clock; before 0x20000000: since it started, the clock not set
  int sensor = 0, sensor_type = 0, reading_type = 0, offset = 0;
  bool deasserted = false;
  int owner = 0x20;  // of the sensor: the BMC, another controller, or software (owner in sdr.h)
  int data2 = 0xFF, data3 = 0xFF;
  bool may_be_old = false;  // read from the first on, and without a date: perhaps read before
  bool is_event() const { return record_type == 0x02; }  // others have the maker's own form
  static SelEntry parse(const Bytes& record);            // 16 bytes
};

// Whether the BMC's clock tells when it was.
bool is_dated(const SelEntry& entry, std::optional<uint32_t> bmc_now);
// When it was, by our clock; now_ns when the BMC's does not tell.
int64_t time_of(const SelEntry& entry, std::optional<uint32_t> bmc_now, int64_t now_ns);

class Sel {
 public:
  // cursor: "" or damaged: none, so the next look is the first.
  void restore(const std::string& cursor);
  std::string cursor() const;

  // before: the BMC's clock at some moment before it told this, where it has one.
  void begin(const SelInfo& info, std::optional<uint32_t> before = {});
  // Of the look that began; empty: it is done.
  std::vector<Request> ask() const;
  std::vector<SelEntry> take(const std::vector<Answer>& answers);
  bool first_look() const { return !known_; }
  bool complete() const { return known_ && info_ == looking_; }  // the look that began last

 private:
  enum class Way { done, baseline, after_cursor, from_first, on };
  void finish();
  std::vector<SelEntry> follow(uint16_t id, const std::map<uint16_t, Bytes>& got);

  bool known_ = false;
  uint16_t id_ = 0;  // 0: the log was empty
  Bytes record_;     // of id_
  SelInfo info_;     // of the last look that came to its end
  SelInfo looking_;
  Way way_ = Way::done;
  uint16_t next_ = 0;
  bool older_may_come_ = false;  // read from the first on, though nobody cleared the log
  uint32_t cursor_time_ = 0;     // with it: what is older was read before
  Bytes cursor_record_;          // and so was this
  bool newer_came_ = false;      // since then, or the log was cleared: what follows is new as well
  int steps_ = 0;
  // A full log that comes round has as many entries after the next one, and if that is of the same second the same times:
  // what was read within that second is read once more, though nothing looks new.
  bool settled_ = true, looking_settles_ = true;
};

}  // namespace fmd::ipmi
