#include "plugins/cpu/cxl_records.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>

#include "plugins/hardware/kernel_number.h"
#include "plugins/hardware/pci_address.h"

namespace fmd::cpu {
namespace {

constexpr size_t kLongestWord = 512;

// The text after "NAME=" at the beginning of a word.
std::optional<std::string_view> value_after(std::string_view text, std::string_view name) {
  for (size_t at = text.find(name); at != text.npos; at = text.find(name, at + 1)) {
    const size_t end = at + name.size();
    if ((at == 0 || text[at - 1] == ' ') && end < text.size() && text[end] == '=')
      return text.substr(end + 1);
  }
  return std::nullopt;
}

// word_after("host=0000:0f:00.0 serial=0", "host"): "0000:0f:00.0"; "" if it is missing.
std::string word_after(std::string_view text, std::string_view name) {
  const auto value = value_after(text, name);
  return value ? std::string(value->substr(0, value->find(' ')).substr(0, kLongestWord)) : "";
}

// quoted_text("type='ECC Error'"): "ECC Error"; "" if it is missing.
std::string quoted_text(std::string_view text) {
  const size_t open = text.find('\'');
  const size_t close = open == text.npos ? open : text.find('\'', open + 1);
  return close == text.npos
             ? ""
             : std::string(text.substr(open + 1, close - open - 1)).substr(0, kLongestWord);
}
std::string quoted_text(std::string_view text, std::string_view name) {
  const auto value = value_after(text, name);
  return value && value->starts_with('\'') ? quoted_text(*value) : "";
}

// The PCI function: the parent of a memory device, or the port itself.
std::string cxl_device(std::string_view text) {
  for (const char* name : {"memdev", "device", "host"})
    if (std::string at = word_after(text, name); hardware::is_pci_address(at)) return at;
  return {};
}

// "memdev=mem1 host=0000:0f:00.0 serial=0: status: 'Memory Data ECC Error' first_error: '…'"
std::optional<TraceRecord> cxl_link(std::string_view text, ErrorSeverity severity) {
  const size_t status = text.find(" status");
  AerRecord out{cxl_device(text), severity, ""};
  if (out.device.empty() || status == text.npos) return std::nullopt;
  const std::string errors = quoted_text(text.substr(status));
  out.errors = "CXL: " + (errors.empty() ? "an error without a name" : errors);
  return TraceRecord{0, std::move(out)};
}

// The host's physical address, if the device's memory is mapped.
std::optional<uint64_t> mapped_address(std::string_view text) {
  const auto value = hardware::number<uint64_t>(word_after(text, "hpa"), 16);
  const bool is_mapped = value && *value != 0 && *value != std::numeric_limits<uint64_t>::max();
  return is_mapped ? value : std::nullopt;
}

std::optional<CxlMemoryRecord> cxl_memory(std::string_view text) {
  CxlMemoryRecord out;
  out.device = cxl_device(text);
  out.memory = word_after(text, "memdev");
  out.address = mapped_address(text);
  if (out.device.empty() || out.memory.empty()) return std::nullopt;
  return out;
}

using Health = CxlHealthRecord::State;

// Evidence of a device's health, the worst first.
class HealthFindings {
 public:
  void add(Health state, std::string text) {
    text_ += (text_.empty() ? "" : ", ") + std::move(text);
    if (!worst_ || rank(state) > rank(*worst_)) worst_ = state;
  }
  std::optional<Health> worst() const { return worst_; }
  const std::string& text() const { return text_; }

 private:
  static int rank(Health state) {
    switch (state) {
      case Health::lost:
        return 4;
      case Health::failing:
        return 3;
      case Health::hot:
        return 2;
      case Health::warning:
        return 1;
      default:
        return 0;  // a known state says more
    }
  }
  std::optional<Health> worst_;
  std::string text_;
};

// "MAINTENANCE_NEEDED|REPLACEMENT_NEEDED"; "" none. The kernel prints unknown bits in hexadecimal.
void add_health_flags(std::string_view flags, HealthFindings& out) {
  while (!flags.empty()) {
    const std::string_view flag = flags.substr(0, flags.find('|'));
    flags.remove_prefix(std::min(flags.size(), flag.size() + 1));
    const Health state = flag == "REPLACEMENT_NEEDED" ? Health::failing
                         : flag.starts_with("0x")     ? Health::unknown
                                                      : Health::warning;
    if (flag != "0" && flag != "0x0") out.add(state, std::string(flag));
  }
}

// "Normal", "All Data Lost", "Write Persistency Loss Imminent" …
void add_media_status(const std::string& status, HealthFindings& out) {
  const auto has = [&](const char* word) { return status.find(word) != status.npos; };
  if (status.empty() || status == "Normal" || status == "Not Ready") return;
  const Health state = status == "All Data Lost"                   ? Health::lost
                       : has("Lost") || has("Loss") || has("loss") ? Health::failing
                                                                   : Health::unknown;
  out.add(state, status);
}

// The header's flags, "MAINTENANCE_NEEDED | HARDWARE_REPLACEMENT_NEEDED". The others describe the record.
void add_header_flags(std::string_view text, HealthFindings& out) {
  const std::string flags = quoted_text(text, "flags");
  const auto add = [&](const char* flag, Health state) {
    if (flags.find(flag) != flags.npos) out.add(state, flag);
  };
  add("HARDWARE_REPLACEMENT_NEEDED", Health::failing);
  add("MAINTENANCE_NEEDED", Health::warning);
  add("PERFORMANCE_DEGRADED", Health::warning);
}

// The device rates these values itself: Normal, Warning, Critical.
void add_ratings(std::string_view text, HealthFindings& out) {
  const auto rate = [&](const char* name, Health critical, const std::string& value) {
    const std::string rating = word_after(text, name);
    if (rating.empty() || rating == "Normal") return;
    const Health state = rating == "Warning"    ? Health::warning
                         : rating == "Critical" ? critical
                                                : Health::unknown;
    out.add(state, value);
  };
  rate("as_life_used", Health::failing, "life used " + word_after(text, "life_used") + " %");
  rate("as_dev_temp", Health::hot, "temperature " + word_after(text, "device_temp") + " °C");
  for (const char* kind : {"vol", "per"}) {
    const std::string name = fmt::format("cor_{}_err_cnt", kind);
    rate(("as_" + name).c_str(), Health::warning, word_after(text, name) + " corrected errors");
  }
}

// The log is the device's rating of an event.
void add_rated(const std::string& log, std::string text, HealthFindings& out) {
  if (log == "Informational") return;
  const Health state = log == "Failure" || log == "Fatal" ? Health::failing
                       : log == "Warning"                 ? Health::warning
                                                          : Health::unknown;
  out.add(state, std::move(text));
}

// An event that is an error itself, as far as its log rates it so.
void add_event(const std::string& type, const std::string& log, HealthFindings& out) {
  if (!type.empty() && !type.ends_with(" Change")) add_rated(log, type, out);
}

// The device's name is in `out` already.
std::optional<CxlHealthRecord> health_of(CxlHealthRecord out, const HealthFindings& found) {
  if (!found.worst()) return std::nullopt;
  out.state = *found.worst();
  out.text = found.text();
  return out;
}

TraceRecord reported(std::optional<CxlHealthRecord> health) {
  if (!health) return TraceRecord{0, NothingToReport{}};
  return TraceRecord{0, std::move(*health)};
}

// nullopt: it names no device.
std::optional<CxlHealthRecord> reporter(std::string_view text) {
  CxlHealthRecord out;
  out.device = cxl_device(text);
  out.memory = word_after(text, "memdev");
  if (out.device.empty() || out.memory.empty()) return std::nullopt;
  return out;
}

}  // namespace

std::optional<TraceRecord> cxl_link_uncorrectable(std::string_view text) {
  return cxl_link(text, ErrorSeverity::fatal);
}

std::optional<TraceRecord> cxl_link_correctable(std::string_view text) {
  return cxl_link(text, ErrorSeverity::corrected);
}

// "memdev=mem1 host=0000:0f:00.0 serial=0 log=Failure : time=… : dpa=… descriptor='UNCORRECTABLE_EVENT' type='ECC Error'
// transaction_type='Host Read' …"
std::optional<TraceRecord> cxl_media(std::string_view text) {
  auto out = cxl_memory(text);
  if (!out || !value_after(text, "descriptor")) return std::nullopt;
  const std::string type = quoted_text(text, "type"), cause = quoted_text(text, "transaction_type");
  // Invalid addresses, accesses that the host was not entitled to, and injected errors are not
  // errors of the device's memory.
  const bool is_request = type == "Invalid Address" || type == "TE State Violation" ||
                          type == "CKID Violation" || cause.find("Inject") != cause.npos;
  if (is_request) return TraceRecord{0, NothingToReport{}};
  out->severity = quoted_text(text, "descriptor").find("UNCOR") == std::string::npos
                      ? ErrorSeverity::corrected
                      : ErrorSeverity::uncorrected;
  out->text = type.empty() ? "memory error" : type;
  if (!cause.empty() && cause != "Unknown") out->text += " (" + cause + ")";
  HealthFindings found;
  add_header_flags(text, found);
  out->health = health_of({out->device, out->memory}, found);
  return TraceRecord{0, std::move(*out)};
}

// "memdev=mem1 host=0000:0f:00.0 serial=0 trace_type=List region=… hpa=0x… dpa=0x… dpa_length=0x40 source=Internal flags= …"
std::optional<TraceRecord> cxl_poison(std::string_view text) {
  auto out = cxl_memory(text);
  const std::string source = word_after(text, "source");
  if (!out || source.empty()) return std::nullopt;
  const std::string kind = word_after(text, "trace_type");  // Linux 6.2 prints none: always a list
  if ((!kind.empty() && kind != "List") || source == "Injected")
    return TraceRecord{0, NothingToReport{}};
  out->severity = ErrorSeverity::uncorrected;
  out->text = fmt::format("poisoned data at {} (source: {})", word_after(text, "dpa"), source);
  // The data was damaged before it reached the device.
  if (source == "External")
    out->health = {out->device, out->memory, CxlHealthRecord::State::warning, out->text};
  out->is_from_outside = source == "External";
  return TraceRecord{0, std::move(*out)};
}

// "memdev=mem1 host=0000:0f:00.0 serial=0 log=Warning : time=… : event_type='Health Status Change'
// health_status='MAINTENANCE_NEEDED' media_status='Normal' as_life_used=Normal … life_used=3 device_temp=41 …"
std::optional<TraceRecord> cxl_health(std::string_view text) {
  auto out = reporter(text);
  if (!out || !value_after(text, "media_status")) return std::nullopt;
  HealthFindings found;
  add_media_status(quoted_text(text, "media_status"), found);
  add_health_flags(quoted_text(text, "health_status"), found);
  add_ratings(text, found);
  add_event(quoted_text(text, "event_type"), word_after(text, "log"), found);
  add_header_flags(text, found);
  return reported(health_of(std::move(*out), found));
}

// "memdev=mem1 host=0000:0f:00.0 serial=0: log=Failure : 12 records from 1795228661000 to 1795228662000"
std::optional<TraceRecord> cxl_overflow(std::string_view text) {
  auto out = reporter(text);
  const std::string log = word_after(text, "log");
  const size_t mark = text.find(" records from ");
  if (!out || log.empty() || mark == text.npos) return std::nullopt;
  HealthFindings found;
  const size_t from = text.rfind(' ', mark - 1);
  if (log != "Informational" && from != text.npos)
    found.add(Health::warning,
              fmt::format("{} records of its log \"{}\" were lost, which may be errors",
                          text.substr(from + 1, mark - from - 1), log));
  return reported(health_of(std::move(*out), found));
}

// "memdev=mem1 host=0000:0f:00.0 serial=0 log=Warning : time=… uuid=… len=128 flags='' … : 01 02 …"
std::optional<TraceRecord> cxl_other(std::string_view text) {
  auto out = reporter(text);
  const std::string log = word_after(text, "log"), type = word_after(text, "uuid");
  if (!out || log.empty() || type.empty()) return std::nullopt;
  HealthFindings found;
  add_rated(log, "an event of type " + type, found);
  add_header_flags(text, found);
  return reported(health_of(std::move(*out), found));
}

}  // namespace fmd::cpu
