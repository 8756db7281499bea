#include "plugins/cpu/crash.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstring>
#include <map>
#include <optional>

namespace fmd::cpu {
namespace {

constexpr const char* kPstore = "/sys/fs/pstore";
constexpr const char* kMoved = "/var/lib/systemd/pstore";
constexpr int kDeepest = 3;          // systemd-pstore: DATE/RECORD/file
constexpr size_t kMostFiles = 500;   // limit for a folder that is never cleaned
constexpr uint64_t kInProgress = 4;  // MCG_STATUS.MCIP

template <class T>
std::optional<T> number_behind(std::string_view text, std::string_view mark, int base) {
  const size_t at = text.find(mark);
  if (at == text.npos) return std::nullopt;
  text.remove_prefix(at + mark.size());
  T value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
  if (error != std::errc() || end == text.data()) return std::nullopt;
  return value;
}

std::optional<MceRecord> head_of(std::string_view line) {
  MceRecord out;
  const auto cpu = number_behind<unsigned>(line, "CPU ", 10);
  const auto state = number_behind<uint64_t>(line, ": Machine Check Exception: ", 16);
  const auto bank = number_behind<unsigned>(line, " Bank ", 10);
  if (!cpu || !state || !bank) return std::nullopt;
  const auto status = number_behind<uint64_t>(line, fmt::format(" Bank {}: ", *bank), 16);
  if (!status) return std::nullopt;
  out.cpu = *cpu;
  out.mcg_status = *state;
  out.bank = *bank;
  out.status = *status;
  return out;
}

// "TSC 0 ADDR 1 MISC 2 PPIN … SYND … IPID …", "PROCESSOR 0:306e4 TIME 15 SOCKET 1 APIC 20 microcode 1".
void add_rest(std::string_view line, MceRecord& out) {
  const auto set = [&](std::string_view mark, uint64_t& field, int base) {
    if (const auto value = number_behind<uint64_t>(line, mark, base)) field = *value;
  };
  set(" ADDR ", out.address, 16);
  set(" MISC ", out.misc, 16);
  set(" SYND ", out.synd, 16);
  set(" IPID ", out.ipid, 16);
  set(" TIME ", out.time_s, 10);
  if (const auto vendor = number_behind<unsigned>(line, " PROCESSOR ", 10))
    out.vendor = vendor_of(*vendor);
  if (const auto socket = number_behind<unsigned>(line, " SOCKET ", 10)) out.socket = *socket;
}

bool is_fatal(const MceRecord& record) {
  const auto error = decode(record);
  return error && error->enabled && error->severity != ErrorSeverity::corrected &&
         error->severity != ErrorSeverity::deferred;
}

void collect(const sdk::Host& host, const std::string& folder, int deeper, size_t& files,
             std::vector<MceRecord>& out) {
  const auto names = host.list(folder);
  if (!names) return;
  for (const std::string& name : *names) {
    if (++files > kMostFiles) return;
    const std::string path = folder + "/" + name;
    const bool log = name.starts_with("dmesg"), record = name.starts_with("mce-");
    if (log || record) {
      const auto text = host.read(path);
      if (!text) continue;
      for (const MceRecord& one : log ? fatal_in_log(*text) : fatal_in_record(*text))
        out.push_back(one);
    } else if (deeper > 0) {
      collect(host, path, deeper - 1, files, out);
    }
  }
}

}  // namespace

std::vector<MceRecord> fatal_in_log(std::string_view text) {
  std::vector<MceRecord> out;
  bool open = false;
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find('\n', at), text.size());
    const std::string_view line = text.substr(at, end - at);
    at = end + 1;
    const size_t mark = line.find("[Hardware Error]: ");
    if (mark == line.npos) continue;
    const std::string_view said = line.substr(mark + 17);  // from the blank on
    if (const auto head = head_of(said)) {
      out.push_back(*head);
      open = true;
    } else if (said.find(": Machine Check: ") != said.npos) {
      open = false;  // not fatal
    } else if (open) {
      add_rest(said, out.back());
    }
  }
  std::erase_if(out, [](const MceRecord& record) { return !is_fatal(record); });
  return out;
}

std::vector<MceRecord> fatal_in_record(std::string_view bytes) {
  constexpr size_t kLeast = 88;  // up to mcgcap
  if (bytes.size() < kLeast) return {};
  const auto take = [&](size_t at, auto value) {
    if (at + sizeof(value) <= bytes.size()) memcpy(&value, bytes.data() + at, sizeof(value));
    return value;
  };
  MceRecord out;
  out.status = take(0, uint64_t{0});
  out.misc = take(8, uint64_t{0});
  out.address = take(16, uint64_t{0});
  out.mcg_status = take(24, uint64_t{0});
  out.time_s = take(48, uint64_t{0});
  out.vendor = vendor_of(take(56, uint8_t{0}));
  out.bank = take(65, uint8_t{0});
  out.cpu = take(68, uint32_t{0});
  out.socket = take(72, uint32_t{0});
  out.mcg_cap = take(80, uint64_t{0});
  out.synd = take(88, uint64_t{0});
  out.ipid = take(96, uint64_t{0});
  if (!(out.mcg_status & kInProgress) || !is_fatal(out)) return {};
  return {out};
}

std::vector<MceRecord> kept_crashes(const sdk::Host& host) {
  std::vector<MceRecord> all;
  size_t files = 0;
  collect(host, kPstore, 0, files, all);
  collect(host, kMoved, kDeepest, files, all);
  std::map<std::string, MceRecord> once;
  for (const MceRecord& record : all) {
    const auto [at, fresh] = once.emplace(crash_id(record), record);
    if (!fresh && at->second.mcg_cap == 0) at->second = record;  // the log has fewer fields
  }
  std::vector<MceRecord> out;
  for (const auto& [id, record] : once) out.push_back(record);
  std::stable_sort(out.begin(), out.end(),
                   [](const MceRecord& a, const MceRecord& b) { return a.time_s < b.time_s; });
  return out;
}

std::string crash_id(const MceRecord& record) {
  return fmt::format("{}:{}:{}:{:x}", record.time_s, record.cpu, record.bank, record.status);
}

}  // namespace fmd::cpu
