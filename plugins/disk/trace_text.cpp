#include "plugins/disk/trace_text.h"

#include <string.h>

#include <algorithm>

#include "plugins/hardware/kernel_number.h"

namespace fmd::disk {
namespace {

std::string_view word_at(std::string_view text, size_t at) {
  return text.substr(at, text.find_first_of(" ,()", at) - at);
}

// "12" in "... id=12 ...". The name must begin a word.
std::string_view field(std::string_view text, std::string_view name) {
  for (size_t at = text.find(name); at != text.npos; at = text.find(name, at + 1)) {
    const size_t end = at + name.size();
    const bool begins = at == 0 || text[at - 1] == ' ' || text[at - 1] == '(';
    if (begins && end < text.size() && text[end] == '=') return word_at(text, end + 1);
  }
  return {};
}

std::string_view next_word(std::string_view& text) {
  text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
  const std::string_view word = text.substr(0, text.find(' '));
  text.remove_prefix(word.size());
  return word;
}

// "123.456789" → ns.
int64_t time_before(std::string_view text) {
  const size_t at = text.rfind(' ');
  const std::string_view stamp = at == text.npos ? text : text.substr(at + 1);
  const size_t dot = stamp.find('.');
  const auto seconds = hardware::number<int64_t>(stamp.substr(0, dot));
  if (!seconds || *seconds < 0 || *seconds > 1'000'000'000 || dot == stamp.npos) return 0;
  const auto micros = hardware::number<int64_t>(stamp.substr(dot + 1, 6));
  return *seconds * 1'000'000'000 + micros.value_or(0) * 1000;
}

// Parsers of an event's text. nullopt: not parsable; Cause::nothing: parsed, but no disk error.
const std::optional<Indication> kSaysNothing = Indication();

// "8,32 R () 4656 + 8 [-61]"; since 6.12 "… + 8 none,0,0 [-61]".
std::optional<Indication> block_error(std::string_view text) {
  Indication said;
  std::string_view rest = text;
  const std::string_view dev = next_word(rest), flags = next_word(rest);
  const size_t comma = dev.find(',');
  if (comma == dev.npos) return std::nullopt;
  if (dev == "0,0") return kSaysNothing;
  said.device.dev = std::string(dev.substr(0, comma)) + ":" + std::string(dev.substr(comma + 1));
  // N: passed-through commands. D: discards, which many devices only claim to support.
  if (flags.find_first_of("ND") != flags.npos || flags.find_first_of("RWF") == flags.npos)
    return flags.empty() ? std::nullopt : kSaysNothing;
  said.operation = flags.find('R') != flags.npos ? "read" : "write";
  next_word(rest);  // "()"
  said.sector = hardware::number<uint64_t>(next_word(rest));
  const size_t open = text.rfind('[');
  const auto code = open == text.npos ? std::nullopt : hardware::number<int>(text.substr(open + 1));
  if (!said.sector || !code) return std::nullopt;
  if (*said.sector == UINT64_MAX || *code >= 0) return kSaysNothing;
  const std::optional<int> error = -*code;
  said.cause = cause_of_errno(*error);
  const char* name = strerrorname_np(*error);
  said.text = name ? name : std::to_string(*error);
  return said;
}

std::optional<Indication> scsi_device(std::string_view text) {
  Indication said;
  for (const char* part : {"host_no", "channel", "id", "lun"}) {
    const std::string_view value = field(text, part);
    if (!hardware::number<unsigned>(value)) return std::nullopt;
    said.device.hctl += (said.device.hctl.empty() ? "" : ":") + std::string(value);
  }
  // "cmnd=(READ_10 lba=4656 txlen=8 …". Only commands that read or write data, as in block_error().
  const size_t at = text.find("cmnd=(");
  if (at == text.npos) return std::nullopt;
  const std::string_view command = word_at(text, at + 6);
  const auto sized = [&](std::string_view name) {
    return command.starts_with(name) && command.size() > name.size() &&
           command[name.size()] >= '0' && command[name.size()] <= '9';
  };
  if (sized("READ_"))
    said.operation = "read";
  else if (sized("WRITE_") || command.starts_with("SYNCHRONIZE_CACHE"))
    said.operation = "write";
  else
    return kSaysNothing;
  said.sector = hardware::number<uint64_t>(field(text, "lba"));
  return said;
}

std::optional<Indication> scsi_done(std::string_view text) {
  auto said = scsi_device(text);
  if (!said || said->operation.empty()) return said;
  const std::string_view host = field(text, "host");
  said->cause = cause_of_host_byte(host);
  if (said->cause != Cause::nothing) said->text = host;
  const auto key = hardware::number<unsigned>(field(text, "key"));
  if (key && *key > 1) {
    said->sense = {*key, hardware::number<unsigned>(field(text, "asc")).value_or(0),
                   hardware::number<unsigned>(field(text, "ascq")).value_or(0)};
    if (const Cause told = cause_of(*said->sense); told != Cause::nothing) said->cause = told;
  }
  return said;
}

std::optional<Indication> scsi_timeout(std::string_view text) {
  auto said = scsi_device(text);
  if (!said || said->operation.empty()) return said;
  said->cause = Cause::timeout;
  said->text = "no answer";
  return said;
}

std::optional<Indication> scsi_recovery(std::string_view text) {
  Indication said;
  said.device.scsi_host = hardware::number<int>(field(text, "host_no")).value_or(-1);
  if (said.device.scsi_host < 0) return std::nullopt;
  said.cause = Cause::reset;
  said.text = "error recovery";
  return said;
}

std::optional<Indication> ata_error(std::string_view text) {
  Indication said;
  said.device.ata_port = hardware::number<int>(field(text, "ata_port")).value_or(0);
  said.device.ata_unit = hardware::number<int>(field(text, "ata_dev")).value_or(-1);
  const size_t at = text.find("err_mask=");
  if (said.device.ata_port <= 0 || at == text.npos) return std::nullopt;
  const size_t open = text.find('{', at), close = text.find('}', at);
  const std::string_view words = open == text.npos || close == text.npos || close < open
                                     ? text.substr(at + 9)
                                     : text.substr(open + 1, close - open - 1);
  said.cause = cause_of_ata_errors(words);
  said.text = words;
  return said;
}

std::optional<Indication> ata_reset(std::string_view text) {
  Indication said;
  said.device.ata_port = hardware::number<int>(field(text, "ata_port")).value_or(0);
  if (said.device.ata_port <= 0) return std::nullopt;
  said.cause = Cause::reset;
  said.text = "link reset";
  return said;
}

struct Known {
  sdk::TraceEvent event;
  std::optional<Indication> (*parse)(std::string_view);
};
const std::vector<Known>& known() {
  // Unfiltered, the second event would be recorded for each request. sense_key exists since Linux
  // 6.4.
  static const std::vector<Known> kKnown{
      {{"block/block_rq_error", {}, {"%d,%d ", "[%d]"}}, block_error},
      {{"scsi/scsi_dispatch_cmd_done",
        {"sense_key > 1 || result & 0xff0000", "result & 0xff0000"},
        {"host_no=", "channel=", "id=", "lun=", "cmnd=(", "host="}},
       scsi_done},
      {{"scsi/scsi_dispatch_cmd_timeout", {}, {"host_no=", "channel=", "id=", "lun=", "cmnd=("}},
       scsi_timeout},
      {{"scsi/scsi_eh_wakeup", {}, {"host_no="}}, scsi_recovery},
      {{"libata/ata_eh_link_autopsy_qc", {}, {"ata_port=", "ata_dev=", "err_mask="}}, ata_error},
      {{"libata/ata_link_hardreset_begin", {}, {"ata_port="}}, ata_reset},
  };
  return kKnown;
}

}  // namespace

const std::vector<sdk::TraceEvent>& trace_events() {
  static const std::vector<sdk::TraceEvent> kEvents = [] {
    std::vector<sdk::TraceEvent> events;
    for (const Known& one : known()) events.push_back(one.event);
    return events;
  }();
  return kEvents;
}

// "          <idle>-0       [001] ..s1.   123.456789: block_rq_error: 8,32 R () 4656 + 8 [-61]". A
// program name (15 characters at most) is too short to imitate the mark.
TraceLine read_trace(std::string_view line) {
  for (const Known& one : known()) {
    const std::string_view name = one.event.name.substr(one.event.name.find('/') + 1);
    const std::string mark = ": " + std::string(name) + ": ";
    const size_t at = line.find(mark);
    if (at == line.npos) continue;
    auto said = one.parse(line.substr(at + mark.size()));
    if (!said) return {std::nullopt, name};
    if (said->cause == Cause::nothing) return {};
    said->uptime_ns = time_before(line.substr(0, at));
    return {std::move(said), {}};
  }
  return {};
}

std::optional<uint64_t> parse_lost(std::string_view line) {
  constexpr std::string_view kLost = "[LOST ";
  const size_t at = line.find(kLost);
  if (!line.starts_with("CPU:") || at == line.npos) return std::nullopt;
  return hardware::number<uint64_t>(line.substr(at + kLost.size()));
}

}  // namespace fmd::disk
