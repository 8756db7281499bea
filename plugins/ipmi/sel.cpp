#include "plugins/ipmi/sel.h"

#include <algorithm>

#include "fmd/base/json.h"

namespace fmd::ipmi {
namespace {

using nlohmann::json;

constexpr uint32_t kClockSet = 0x20000000;  // section 37.1: below, seconds since BMC start
constexpr uint16_t kFirst = 0x0000, kLast = 0xFFFF;
constexpr int kAtOnce = 16;  // records requested in one session
constexpr size_t kRecord = 16, kAnswer = 18;
constexpr int kEntryBytes = 16;

uint32_t number(const Bytes& bytes, size_t at, int length) {
  uint32_t value = 0;
  for (int i = 0; i < length; ++i)
    value |= static_cast<uint32_t>(bytes[at + static_cast<size_t>(i)]) << (8 * i);
  return value;
}

uint16_t id_of(const Bytes& answer) {
  return static_cast<uint16_t>(number(answer, 2, 2));
}
uint16_t next_of(const Bytes& answer) {
  return static_cast<uint16_t>(number(answer, 0, 2));
}
Bytes record_of(const Bytes& answer) {
  return {answer.begin() + 2, answer.begin() + kAnswer};
}
uint32_t record_time(const Bytes& record) {
  return record.size() >= 7 ? number(record, 3, 4) : 0;
}

// Completion codes unrelated to the record (table 5-2): node busy, timeout, out of space, no
// response could be provided, and three kinds of update in progress.
bool is_busy(int completion) {
  constexpr int kBusy[] = {0xC0, 0xC3, 0xC4, 0xCE, 0xD0, 0xD1, 0xD2};
  return std::find(std::begin(kBusy), std::end(kBusy), completion) != std::end(kBusy);
}

}  // namespace

double SelInfo::used_percent() const {
  const double used = entries * kEntryBytes, all = used + free_bytes;
  return all > 0 ? 100 * used / all : 0;
}

std::optional<SelInfo> SelInfo::parse(const Bytes& answer) {
  if (answer.size() < 14) return std::nullopt;
  SelInfo info;
  info.entries = static_cast<int>(number(answer, 1, 2));
  info.free_bytes = static_cast<int>(number(answer, 3, 2));
  info.added = number(answer, 5, 4);
  info.erased = number(answer, 9, 4);
  info.overflow = (answer[13] & 0x80) != 0;
  return info;
}

SelEntry SelEntry::parse(const Bytes& record) {
  SelEntry entry;
  if (record.size() < kRecord) return entry;
  entry.id = static_cast<uint16_t>(number(record, 0, 2));
  entry.record_type = record[2];
  if (entry.record_type < 0xE0) entry.time = number(record, 3, 4);
  entry.owner = record[7] | (record[8] & 0x03) << 8;
  entry.sensor_type = record[10];
  entry.sensor = record[11];
  entry.deasserted = (record[12] & 0x80) != 0;
  entry.reading_type = record[12] & 0x7F;
  entry.offset = record[13] & 0x0F;
  entry.data2 = record[14];
  entry.data3 = record[15];
  return entry;
}

bool is_dated(const SelEntry& entry, std::optional<uint32_t> bmc_now) {
  return entry.time != 0 && bmc_now && entry.time <= *bmc_now &&
         (entry.time < kClockSet) == (*bmc_now < kClockSet);
}

int64_t time_of(const SelEntry& entry, std::optional<uint32_t> bmc_now, int64_t now_ns) {
  if (!is_dated(entry, bmc_now)) return now_ns;
  return now_ns - static_cast<int64_t>(*bmc_now - entry.time) * 1'000'000'000;
}

void Sel::restore(const std::string& cursor) {
  *this = {};
  const json doc = json::parse(cursor, nullptr, false);
  if (!doc.is_object()) return;
  const auto record = doc.find("record");
  if (record == doc.end() || !record->is_array()) return;
  for (const json& byte : *record)
    record_.push_back(static_cast<uint8_t>(byte.is_number() ? byte.get<int>() & 0xFF : 0));
  if (!record_.empty() && record_.size() != kRecord) return record_.clear();
  id_ = record_.empty() ? 0 : static_cast<uint16_t>(number(record_, 0, 2));
  info_.erased = doc.value("erased", 0U);
  info_.entries = -1;  // read what was added meanwhile
  known_ = true;
}

std::string Sel::cursor() const {
  if (!known_) return {};
  return json{{"record", json(record_)}, {"erased", info_.erased}}.dump();
}

void Sel::begin(const SelInfo& info, std::optional<uint32_t> before) {
  // Whether the log may get more entries in that second. Not if it is before the previous poll; nor
  // if it is more than an hour later, because then the clock was set.
  constexpr uint32_t kNear = 3600;
  const auto may_go_on = [&](uint32_t time) {
    return before && *before <= time && time - *before <= kNear;
  };
  const bool goes_on = way_ == Way::on && info.erased == looking_.erased;
  looking_ = info;
  looking_settles_ = !may_go_on(info.added) && !may_go_on(info.erased);
  if (goes_on) return;  // the previous poll ended within the log
  steps_ = 0;
  older_may_come_ = false;
  if (known_ && info == info_ && settled_) {
    way_ = Way::done;
  } else if (info.entries == 0) {
    record_.clear();
    id_ = 0;
    finish();
  } else if (!known_) {
    way_ = Way::baseline;
  } else {
    way_ = id_ == 0 ? Way::from_first : Way::after_cursor;
  }
}

void Sel::finish() {
  info_ = looking_;
  settled_ = looking_settles_;
  known_ = true;
  way_ = Way::done;
}

std::vector<Request> Sel::ask() const {
  std::vector<Request> requests;
  const auto some_from = [&](uint16_t id) {
    for (int i = 0; i < kAtOnce && id + i < kLast; ++i)
      requests.push_back(request::sel_entry(static_cast<uint16_t>(id + i)));
  };
  switch (way_) {
    case Way::done:
      break;
    case Way::baseline:
      requests = {request::sel_entry(kLast)};
      break;
    case Way::after_cursor:
      some_from(id_);
      break;
    case Way::from_first:
      requests = {request::sel_entry(kFirst)};
      break;
    case Way::on:
      some_from(next_);
      break;
  }
  return requests;
}

// Follows the chain from one record on, oldest first, as far as there are answers.
std::vector<SelEntry> Sel::follow(uint16_t id, const std::map<uint16_t, Bytes>& got) {
  std::vector<SelEntry> entries;
  while (id != kLast) {
    const auto at = got.find(id);
    if (at == got.end()) {
      next_ = id;
      way_ = Way::on;
      return entries;
    }
    // Also ends if the record ids form a circle.
    if (++steps_ > looking_.entries + 1024) break;
    const uint32_t time = record_time(record_of(at->second));
    id_ = id_of(at->second);
    record_ = record_of(at->second);
    const bool older =
        older_may_come_ && time >= kClockSet && cursor_time_ >= kClockSet && time < cursor_time_;
    const bool read_before = older_may_come_ && record_ == cursor_record_;
    if (!older && !read_before) {
      entries.push_back(SelEntry::parse(record_));
      newer_came_ = newer_came_ || time >= kClockSet;
      entries.back().may_be_old = older_may_come_ && !newer_came_;
    }
    id = next_of(at->second);
  }
  finish();
  return entries;
}

std::vector<SelEntry> Sel::take(const std::vector<Answer>& answers) {
  std::map<uint16_t, Bytes> got;
  std::optional<Bytes> first;
  for (const Answer& answer : answers) {
    if (!answer.data || answer.data->size() < kAnswer) continue;
    if (!first) first = answer.data;
    got[id_of(*answer.data)] = *answer.data;
  }
  const bool any = !answers.empty() && (answers[0].data || answers[0].completion != 0);
  if (!any || is_busy(answers[0].completion)) {  // the next poll starts over
    way_ = Way::done;
    return {};
  }
  switch (way_) {
    case Way::done:
      return {};
    case Way::baseline:
      if (!first) break;
      id_ = id_of(*first);
      record_ = record_of(*first);
      finish();
      return {};
    case Way::after_cursor: {
      const auto at = got.find(id_);
      if (at != got.end() && record_of(at->second) == record_)
        return follow(next_of(at->second), got);
      // The log was cleared, has wrapped around, or only this record was deleted. Older records
      // were read before, unless the clock has been set back since.
      cursor_time_ = record_time(record_);
      older_may_come_ = looking_.erased == info_.erased || looking_.added >= cursor_time_;
      cursor_record_ = record_;
      newer_came_ = looking_.erased != info_.erased;  // all entries of a cleared log are new
      way_ = Way::from_first;
      return {};
    }
    case Way::from_first:
      if (!first) break;
      return follow(id_of(*first), got);
    case Way::on:
      if (!got.contains(next_)) break;
      return follow(next_, got);
  }
  way_ = Way::done;  // the log changed while being read: the next poll finds where
  return {};
}

}  // namespace fmd::ipmi
