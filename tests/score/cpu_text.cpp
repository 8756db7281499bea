#include "cpu_text.h"

#include <fmt/format.h>

#include <stdexcept>

#include "plugins/cpu/findings.h"
#include "plugins/sdk/messages.h"
#include "recorded.h"

namespace fmd::score {
namespace {

using cpu::ErrorSeverity;

// MCi_STATUS (plugins/cpu/mca.cpp).
constexpr uint64_t kCode = 0xffff, kUncorrected = uint64_t{1} << 61, kDeferred = uint64_t{1} << 44;

std::string said_in(const Event& event, std::string_view name) {
  const Value* value = event.payload.find(name);
  return value ? to_text(*value) : "";
}

std::optional<ErrorSeverity> severity_of(const Event& event) {
  for (const ErrorSeverity one : {ErrorSeverity::corrected, ErrorSeverity::deferred,
                                  ErrorSeverity::uncorrected, ErrorSeverity::fatal})
    if (cpu::severity_name(one) == said_in(event, "severity")) return one;
  return {};
}

// The error code (SDM 3B 15.9). None for an L3 cache: only Scalable MCA reports it, not recorded.
std::optional<uint64_t> code_of(const Event& event) {
  const std::string level = said_in(event, "level");
  const bool known = level == "L0" || level == "L1" || level == "L2";
  const uint64_t number = known ? static_cast<uint64_t>(level[1] - '0') : 0;
  if (event.event_class == "ereport.cpu.cache" && known) return 0x0134 | number;  // data read
  if (event.event_class == "ereport.cpu.tlb" && known) return 0x0014 | number;    // data
  if (event.event_class == "ereport.cpu.internal") return 0x0400;                 // timer
  if (event.event_class == "ereport.cpu.bus") return 0x0813;                      // read
  return {};
}

unsigned number_in(const std::string& fmri, std::string_view name) {
  const size_t at = fmri.find(name);
  return static_cast<unsigned>(std::stoul(fmri.substr(at + name.size())));
}

// One thread per core, numbered in build order.
cpu::Processors processors_of(const Host& host) {
  cpu::Processors out;
  unsigned thread = 0;
  for (const std::string& core : host.cores)
    out.threads[thread++].place = {number_in(core, "socket="), number_in(core, "core=")};
  return out;
}

// The core's thread, or the first of the socket.
std::optional<unsigned> thread_of(const cpu::Processors& machine, const std::string& part) {
  for (const auto& [number, thread] : machine.threads)
    if (part == cpu::core_fmri(thread.place) || part == cpu::socket_fmri(thread.place.socket))
      return number;
  return {};
}

std::optional<Event> found_in(const std::string& line, const cpu::Processors& machine,
                              const cpu::LinkOf& link_of) {
  const auto record = cpu::parse_trace_record(line);
  if (!record) return {};
  const auto found = cpu::findings(*record, machine, link_of);
  return found.empty() ? std::nullopt : std::optional(as_taken(found.front()));
}

}  // namespace

CpuText::CpuText(const std::string& file) {
  for (const std::string& line : recorded_lines(file)) {
    const auto record = cpu::parse_trace_record(line);
    if (!record) throw std::runtime_error(file + ": cannot be read: " + line);
    if (std::holds_alternative<cpu::MceRecord>(record->what)) check_ = line;
    if (const auto* link = std::get_if<cpu::AerRecord>(&record->what))
      (link->severity == ErrorSeverity::fatal ? link_fatal_ : link_nonfatal_) = line;
  }
  if (check_.empty() || link_fatal_.empty() || link_nonfatal_.empty())
    throw std::runtime_error(file + ": a kind of line is missing");
}

const CpuText& CpuText::recorded() {
  static const CpuText text(FMD_TREE "/tests/score/recorded/kernel-cpu.txt");
  return text;
}

std::optional<Event> CpuText::event(const Host& host, const Event& played) const {
  return played.event_class == "ereport.io.pci.link" ? link_error(played)
                                                     : machine_check(host, played);
}

std::optional<Event> CpuText::machine_check(const Host& host, const Event& played) const {
  const auto code = code_of(played);
  const auto severity = severity_of(played);
  const cpu::Processors machine = processors_of(host);
  const auto thread = thread_of(machine, played.resource);
  if (!code || !severity || !thread || severity == ErrorSeverity::fatal) return {};
  const auto recorded = std::get<cpu::MceRecord>(cpu::parse_trace_record(check_)->what);
  uint64_t status = (recorded.status & ~kCode) | *code;
  if (severity == ErrorSeverity::uncorrected) status |= kUncorrected;
  if (severity == ErrorSeverity::deferred) status |= kDeferred;
  std::string line = replaced(check_, fmt::format(": {:016x},", recorded.status),
                              fmt::format(": {:016x},", status));
  line = replaced(line, fmt::format(" CPU: {},", recorded.cpu), fmt::format(" CPU: {},", *thread));
  line = replaced(line, fmt::format(" SOCKET: {},", recorded.socket),
                  fmt::format(" SOCKET: {},", machine.threads.at(*thread).place.socket));
  return found_in(line, machine, {});
}

// Both ends of the link come from the scenario: the plugin reads them from sysfs, which is missing.
std::optional<Event> CpuText::link_error(const Event& played) const {
  constexpr std::string_view kDevice = "dev://pci=";
  const auto severity = severity_of(played);
  const std::string port = said_in(played, "port");
  if (!severity || port.empty() || !played.resource.str().starts_with(kDevice)) return {};
  const std::string& recorded =
      severity == ErrorSeverity::uncorrected ? link_nonfatal_ : link_fatal_;
  const auto link = std::get<cpu::AerRecord>(cpu::parse_trace_record(recorded)->what);
  std::string line = replaced(recorded, link.device, port);
  // No corrected error was recorded, so the line of a fatal one gets other words of
  // include/ras/ras_event.h.
  if (severity == ErrorSeverity::corrected)
    line = replaced(line, "Fatal, " + link.errors, "Corrected, Bad TLP");
  return found_in(line, {}, [&](const std::string& address) {
    return cpu::PciLink{address, played.resource.str().substr(kDevice.size()), ""};
  });
}

}  // namespace fmd::score
