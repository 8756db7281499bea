#include "plugins/cpu/trace_records.h"

#include <algorithm>
#include <array>
#include <cctype>

#include "plugins/cpu/cxl_records.h"
#include "plugins/hardware/kernel_number.h"

namespace fmd::cpu {
namespace {

constexpr size_t kLongestText = 512;

bool same_letter(char a, char b) {
  return std::tolower(static_cast<unsigned char>(a)) == std::tolower(static_cast<unsigned char>(b));
}

// The text after `label` at the beginning of a word, ignoring case ("SOCKET: 0", "socket: 0").
std::optional<std::string_view> after(std::string_view text, std::string_view label) {
  for (size_t from = 0; from < text.size();) {
    const auto at = std::search(text.begin() + static_cast<std::ptrdiff_t>(from), text.end(),
                                label.begin(), label.end(), same_letter);
    if (at == text.end()) return std::nullopt;
    const auto begin = static_cast<size_t>(at - text.begin());
    if (begin == 0 || text[begin - 1] == ' ' || text[begin - 1] == '(')
      return text.substr(begin + label.size());
    from = begin + 1;
  }
  return std::nullopt;
}

template <class T>
std::optional<T> field(std::string_view text, std::string_view label, int base) {
  const auto value = after(text, label);
  return value ? hardware::number<T>(*value, base) : std::nullopt;
}

std::string cut(std::string_view text) {
  while (!text.empty() && (text.back() == ' ' || text.back() == '\n')) text.remove_suffix(1);
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  return std::string(text.substr(0, kLongestText));
}

// "a/b/c" in hexadecimal.
std::array<uint64_t, 3> slashed(std::string_view text) {
  std::array<uint64_t, 3> out{};
  for (uint64_t& value : out) {
    value = hardware::number<uint64_t>(text, 16).value_or(0);
    const size_t slash = text.find_first_of("/ ,");
    if (slash == text.npos || text[slash] != '/') break;
    text.remove_prefix(slash + 1);
  }
  return out;
}

// "CPU: 1, MCGc/s: 100010a/0, MC3: 9c…, IPID: …, ADDR/MISC/SYND: a/b/c, …, PROCESSOR: 2:60fb1,
// TIME: …, SOCKET: 0, APIC: 1"; since 6.9 "…, ADDR: a, MISC: b, SYND: c, …, vendor: 2, CPUID: …,
// time: …, socket: 0, …".
std::optional<TraceRecord> mce_record(std::string_view text) {
  MceRecord out;
  const auto cpu = field<unsigned>(text, "CPU: ", 10);
  const size_t bank_at = text.find(", MC", text.find("MCGc/s: "));
  if (!cpu || bank_at == text.npos) return std::nullopt;
  const std::string_view from_bank = text.substr(bank_at + 4);
  const auto bank = hardware::number<unsigned>(from_bank, 10);
  const size_t colon = from_bank.find(": ");
  const auto status = colon == text.npos
                          ? std::nullopt
                          : hardware::number<uint64_t>(from_bank.substr(colon + 2), 16);
  if (!bank || !status) return std::nullopt;
  out.cpu = *cpu;
  out.bank = *bank;
  out.status = *status;
  if (const auto caps = after(text, "MCGc/s: ")) {
    const auto both = slashed(*caps);
    out.mcg_cap = both[0];
    out.mcg_status = both[1];
  }
  if (const auto all = after(text, "ADDR/MISC/SYND: ")) {
    const auto values = slashed(*all);
    out.address = values[0], out.misc = values[1], out.synd = values[2];
  } else {
    out.address = field<uint64_t>(text, "ADDR: ", 16).value_or(0);
    out.misc = field<uint64_t>(text, "MISC: ", 16).value_or(0);
    out.synd = field<uint64_t>(text, "SYND: ", 16).value_or(0);
  }
  out.ipid = field<uint64_t>(text, "IPID: ", 16).value_or(0);
  auto vendor = field<unsigned>(text, "PROCESSOR: ", 10);
  if (!vendor) vendor = field<unsigned>(text, "vendor: ", 10);
  out.vendor = vendor ? vendor_of(*vendor) : Vendor::other;
  out.time_s = field<uint64_t>(text, "TIME: ", 10).value_or(0);
  out.tsc = field<uint64_t>(text, "TSC: ", 16);
  out.socket = field<unsigned>(text, "SOCKET: ", 10).value_or(0);
  return TraceRecord{0, out};
}

bool begins(std::string_view text, std::string_view word) {
  return text.size() >= word.size() &&
         std::equal(word.begin(), word.end(), text.begin(), same_letter);
}

// Terms of EDAC (mc_event_error_type), the firmware (cper_severity_str) and AER, also in its log's
// form "Uncorrectable (Fatal)".
ErrorSeverity severity_in(std::string_view word) {
  if (begins(word, "correct") || begins(word, "info")) return ErrorSeverity::corrected;
  if (begins(word, "deferred")) return ErrorSeverity::deferred;
  if (begins(word, "fatal")) return ErrorSeverity::fatal;
  if (begins(word, "uncorrect")) {
    const size_t open = word.find(" (");
    const bool fatal =
        open != word.npos && open < word.find(',') && begins(word.substr(open + 2), "fatal");
    return fatal ? ErrorSeverity::fatal : ErrorSeverity::uncorrected;
  }
  if (begins(word, "recoverable") || begins(word, "non-fatal")) return ErrorSeverity::uncorrected;
  return ErrorSeverity::unknown;
}

// "1 Corrected error: memory read error on LABEL (mc:0 location:1:0:-1 address:0x12 grain:32 …)".
std::optional<TraceRecord> mc_event(std::string_view text) {
  MemoryRecord out;
  out.source = "edac";
  const auto count = hardware::number<uint64_t>(text, 10);
  const size_t place = text.rfind(" (mc:"), space = text.find(' ');
  if (!count || place == text.npos || space == text.npos || place < space) return std::nullopt;
  out.count = *count;
  out.severity = severity_in(text.substr(space + 1));
  const std::string_view said = text.substr(0, place), detail = text.substr(place + 1);
  const size_t colon = said.find(':');
  const size_t on = said.find(" on ", colon == said.npos ? 0 : colon);
  if (colon != said.npos && on != said.npos) {
    out.message = cut(said.substr(colon + 1, on - colon - 1));
    out.label = cut(said.substr(on + 4));
  }
  // The drivers' name for an unknown module.
  if (out.label == "any memory" || out.label == "unknown memory") out.label.clear();
  out.controller = field<unsigned>(detail, "mc:", 10);
  if (const auto address = field<uint64_t>(detail, "address:", 10); address && *address != 0)
    out.address = address;
  return TraceRecord{0, out};
}

// "{1} Corrected error: single-bit ECC physical addr: 0000000012345000 (mask lsb: c) node: 0 …
// DIMM location: CPU1 DIMM_A1 FRU: 00000000-… TEXT".
std::optional<TraceRecord> extlog_mem_event(std::string_view text) {
  MemoryRecord out;
  out.source = "firmware";
  const size_t close = text.find("} ");
  if (!text.starts_with('{') || close == text.npos) return std::nullopt;
  out.severity = severity_in(text.substr(close + 2));
  const size_t error = text.find(" error: "), address = text.find(" physical addr: ");
  if (error != text.npos && address != text.npos && error + 8 <= address)
    out.message = cut(text.substr(error + 8, address - error - 8));
  out.address = field<uint64_t>(text, "physical addr: ", 16);
  const size_t fru = text.rfind("FRU: ");
  constexpr std::string_view kLocation = "DIMM location: ";
  if (const size_t at = text.find(kLocation); at != text.npos && at < fru)
    out.label = cut(
        text.substr(at + kLocation.size(), fru == text.npos ? fru : fru - at - kLocation.size()));
  if (out.label.empty() && fru != text.npos)
    if (const size_t space = text.find(' ', fru + 5); space != text.npos)
      out.label = cut(text.substr(space + 1));
  if (out.label == "not present") out.label.clear();
  return TraceRecord{0, out};
}

// "0000:00:04.0 PCIe Bus Error: severity=Fatal, Data Link Protocol Error, TLP Header=…"; or "CXL
// Bus Error".
std::optional<TraceRecord> aer_event(std::string_view text) {
  constexpr std::string_view kMark = " Bus Error: severity=";
  AerRecord out;
  const size_t mark = text.find(kMark);
  if (mark == text.npos || mark == 0) return std::nullopt;
  out.device = cut(text.substr(0, std::min(text.find(' '), mark)));
  std::string_view rest = text.substr(mark + kMark.size());
  constexpr std::string_view kNonFatal = "Uncorrected, non-fatal";
  out.severity = severity_in(rest);
  const size_t comma = rest.find(", ", rest.starts_with(kNonFatal) ? kNonFatal.size() : 0);
  if (comma != rest.npos) rest.remove_prefix(comma + 2);
  out.errors = cut(rest.substr(0, rest.find(", TLP Header")));
  return TraceRecord{0, out};
}

// "pfn 0xfd74: recovery action for dirty LRU page: Recovered".
std::optional<TraceRecord> memory_failure_event(std::string_view text) {
  constexpr std::string_view kMark = "recovery action for ";
  PoisonedPage out;
  const auto frame = field<uint64_t>(text, "pfn ", 16);
  const size_t mark = text.find(kMark), colon = text.rfind(": ");
  if (!frame || mark == text.npos || colon < mark + kMark.size()) return std::nullopt;
  out.frame = *frame;
  out.kind = cut(text.substr(mark + kMark.size(), colon - mark - kMark.size()));
  out.result = cut(text.substr(colon + 2));
  return TraceRecord{0, out};
}

std::optional<TraceRecord> arm_event(std::string_view text) {
  OtherRecord out;
  out.source = "arm";
  // The firmware's severity (GHES_SEV_*), since Linux 6.18; earlier kernels omit it.
  const auto severity = field<unsigned>(text, "error: ", 10);
  out.severity = severity == 1u   ? ErrorSeverity::corrected
                 : severity == 2u ? ErrorSeverity::uncorrected
                 : severity == 3u ? ErrorSeverity::fatal
                                  : ErrorSeverity::unknown;
  out.mpidr = field<uint64_t>(text, "MPIDR: ", 16);
  out.text = cut(text);
  return TraceRecord{0, out};
}

// CPER severities (UEFI, appendix N): 0 recoverable, 1 fatal, 2 corrected, 3 informational.
std::optional<TraceRecord> non_standard_event(std::string_view text) {
  OtherRecord out;
  out.source = "non-standard";
  const auto severity = field<unsigned>(text, "severity: ", 10);
  if (!severity) return std::nullopt;
  if (*severity == 3) return TraceRecord{0, NothingToReport{}};
  out.severity = *severity == 0   ? ErrorSeverity::uncorrected
                 : *severity == 1 ? ErrorSeverity::fatal
                 : *severity == 2 ? ErrorSeverity::corrected
                                  : ErrorSeverity::unknown;
  out.text = cut(text.substr(0, text.find("; data len")));
  return TraceRecord{0, out};
}

struct KnownRecord {
  sdk::TraceEvent event;
  std::optional<TraceRecord> (*parse)(std::string_view);
};
const std::vector<KnownRecord>& known_records() {
  static const std::vector<std::string_view> kRecovery{"pfn ", "recovery action for %s: %s"};
  static const std::vector<KnownRecord> kKnown{
      {{"mce/mce_record", {}, {"CPU: ", "MCGc/s: ", ", MC%d: "}}, mce_record},
      {{"ras/mc_event", {}, {" on %s", " (mc:%d", "address:"}}, mc_event},
      {{"ras/extlog_mem_event", {}, {"{%d} %s error: ", " physical addr: "}}, extlog_mem_event},
      {{"ras/aer_event", {}, {" Bus Error: severity="}}, aer_event},
      {{"ras/memory_failure_event", {}, kRecovery}, memory_failure_event},
      // The event's group since Linux 6.17.
      {{"memory_failure/memory_failure_event", {}, kRecovery}, memory_failure_event},
      {{"ras/arm_event", {}, {"MPIDR: "}}, arm_event},
      {{"ras/non_standard_event", {}, {"severity: "}}, non_standard_event},
      {{"cxl/cxl_aer_uncorrectable_error", {}, {"host=%s", " status"}}, cxl_link_uncorrectable},
      {{"cxl/cxl_aer_correctable_error", {}, {"host=%s", " status"}}, cxl_link_correctable},
      {{"cxl/cxl_port_aer_uncorrectable_error", {}, {"device=%s", " status"}},
       cxl_link_uncorrectable},
      {{"cxl/cxl_port_aer_correctable_error", {}, {"device=%s", " status"}}, cxl_link_correctable},
      {{"cxl/cxl_overflow", {}, {"host=%s", "log=%s", " records from "}}, cxl_overflow},
      {{"cxl/cxl_generic_event", {}, {"host=%s", "log=%s", "uuid=%"}}, cxl_other},
      {{"cxl/cxl_memory_sparing", {}, {"host=%s", "log=%s", "uuid=%"}}, cxl_other},
      {{"cxl/cxl_general_media", {}, {"host=%s", "descriptor='%s'"}}, cxl_media},
      {{"cxl/cxl_dram", {}, {"host=%s", "descriptor='%s'"}}, cxl_media},
      {{"cxl/cxl_poison", {}, {"host=%s", "source=%s"}}, cxl_poison},
      {{"cxl/cxl_memory_module", {}, {"host=%s", "health_status='%s'", "media_status='%s'"}},
       cxl_health},
  };
  return kKnown;
}

// A trace line begins with 16 columns of arbitrary program name, then "-PID".
struct TraceHead {
  std::string_view event, text;
  int64_t uptime_ns = 0;
};
std::optional<TraceHead> trace_head(std::string_view line) {
  constexpr size_t kName = 16;
  if (line.size() <= kName || line[kName] != '-') return std::nullopt;
  const size_t bracket = line.find("] ", kName);
  if (bracket == line.npos) return std::nullopt;
  const size_t stamp_end = line.find(": ", bracket);
  const size_t name_end = stamp_end == line.npos ? line.npos : line.find(": ", stamp_end + 2);
  if (name_end == line.npos) return std::nullopt;
  const std::string_view before = line.substr(0, stamp_end);
  const std::string_view stamp = before.substr(before.rfind(' ') + 1);
  const size_t dot = stamp.find('.');
  const auto seconds = hardware::number<int64_t>(stamp.substr(0, dot), 10);
  const auto micros =
      dot == stamp.npos ? std::nullopt : hardware::number<int64_t>(stamp.substr(dot + 1), 10);
  TraceHead out{line.substr(stamp_end + 2, name_end - stamp_end - 2), line.substr(name_end + 2), 0};
  if (seconds && micros && *seconds < 1'000'000'000 && *micros < 1'000'000)
    out.uptime_ns = *seconds * 1'000'000'000 + *micros * 1000;
  return out;
}

// An unknown severity; older kernels omit that of ARM records.
bool has_unknown_severity(const TraceRecord& record) {
  if (const auto* memory = std::get_if<MemoryRecord>(&record.what))
    return memory->severity == ErrorSeverity::unknown;
  if (const auto* aer = std::get_if<AerRecord>(&record.what))
    return aer->severity == ErrorSeverity::unknown;
  if (const auto* health = std::get_if<CxlHealthRecord>(&record.what))
    return health->state == CxlHealthRecord::State::unknown;
  const auto* other = std::get_if<OtherRecord>(&record.what);
  return other && other->source != "arm" && other->severity == ErrorSeverity::unknown;
}

}  // namespace

const std::vector<sdk::TraceEvent>& ras_trace_events() {
  static const std::vector<sdk::TraceEvent> kEvents = [] {
    std::vector<sdk::TraceEvent> events;
    for (const KnownRecord& one : known_records()) events.push_back(one.event);
    return events;
  }();
  return kEvents;
}

const std::vector<std::string_view>& ras_trace_groups() {
  static const std::vector<std::string_view> kGroups{"ras", "cxl", "memory_failure"};
  return kGroups;
}

std::optional<TraceRecord> parse_trace_record(std::string_view line) {
  const auto head = trace_head(line);
  if (!head) return std::nullopt;
  for (const KnownRecord& one : known_records()) {
    if (one.event.name.substr(one.event.name.find('/') + 1) != head->event) continue;
    auto record = one.parse(head->text);
    if (record) record->uptime_ns = head->uptime_ns;
    return record;
  }
  return std::nullopt;
}

std::string_view unread_event(std::string_view line) {
  const auto head = trace_head(line);
  if (!head) return {};
  for (const KnownRecord& one : known_records()) {
    const std::string_view name = one.event.name.substr(one.event.name.find('/') + 1);
    if (name != head->event) continue;
    const auto record = one.parse(head->text);
    return !record || has_unknown_severity(*record) ? name : std::string_view();
  }
  return head->event;
}

std::optional<uint64_t> lost_events(std::string_view line) {
  constexpr std::string_view kLost = "[LOST ";
  const size_t at = line.find(kLost);
  if (!line.starts_with("CPU:") || at == line.npos) return std::nullopt;
  return hardware::number<uint64_t>(line.substr(at + kLost.size()), 10);
}

}  // namespace fmd::cpu
