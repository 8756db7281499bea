#include "plugins/cpu/findings.h"

#include <fmt/format.h>

#include <algorithm>

#include "fmd/model/fmri.h"
#include "plugins/sdk/messages.h"

namespace fmd::cpu {
namespace {

using nlohmann::json;

constexpr uint64_t kMiscValid = uint64_t{1} << 59;
// Seconds. The clock may have been set since the record was written.
constexpr uint64_t kSlack = 120;
// Seconds in which a starting kernel reads errors left in the banks.
constexpr uint64_t kStarting = 60;

json payload_of(const MceRecord& record, const McaError& error) {
  json payload{{"severity", severity_name(error.severity)},
               {"cpu", record.cpu},
               {"bank", record.bank},
               {"status", fmt::format("{:016x}", record.status)},
               {"text", error.text()},
               {"counted", error.count}};
  if (!error.level.empty()) payload["level"] = error.level;
  if (error.word != CacheWord::none) payload["word"] = cache_word_name(error.word);
  if (error.has_address) payload["address"] = fmt::format("{:#x}", record.address);
  if (!error.unit.empty()) payload["unit"] = error.unit;
  return payload;
}

sdk::OutEvent event(std::string event_class, std::string resource, json payload) {
  return {std::move(event_class), std::move(resource), 0, 0, std::move(payload)};
}

std::string core_of(const MceRecord& record, const Processors& machine) {
  const auto thread = machine.threads.find(record.cpu);
  return thread == machine.threads.end() ? socket_fmri(record.socket)
                                         : core_fmri(thread->second.place);
}

// A yellow status applies to each core that uses the cache.
std::vector<sdk::OutEvent> of_cache(const MceRecord& record, const McaError& error,
                                    const Processors& machine) {
  std::vector<std::string> whose;
  const auto thread = machine.threads.find(record.cpu);
  if (error.level == "L3")
    whose.push_back(socket_of(record, machine));
  else
    whose.push_back(core_of(record, machine));
  if (error.word == CacheWord::yellow && error.level != "L3" && thread != machine.threads.end())
    if (const auto shared = thread->second.sharing.find(error.level);
        shared != thread->second.sharing.end())
      for (const unsigned number : shared->second)
        if (const auto other = machine.threads.find(number); other != machine.threads.end())
          if (const std::string core = core_fmri(other->second.place);
              std::find(whose.begin(), whose.end(), core) == whose.end())
            whose.push_back(core);
  std::vector<sdk::OutEvent> out;
  for (const std::string& resource : whose)
    out.push_back(event("ereport.cpu.cache", resource, payload_of(record, error)));
  return out;
}

// The processor reports only the channel. Returns the module if it is the only one of the machine
// on a channel of that number. nullptr: several modules, or a module whose channel is unknown.
const hardware::EdacDimm* only_one_on(unsigned channel, const Processors& machine) {
  const hardware::EdacDimm* found = nullptr;
  for (const hardware::EdacDimm& dimm : machine.modules) {
    if (!dimm.channel) return nullptr;
    if (*dimm.channel != channel) continue;
    if (found && found->module != dimm.module) return nullptr;
    found = &dimm;
  }
  return found && !found->label.empty() ? found : nullptr;
}

// If EDAC counts the errors, plugins/system reports them per module. If that is unknown, reporting
// twice is better than never.
bool edac_counts(const Processors& machine) {
  return !machine.modules.empty() && machine.collector == false;
}

std::vector<sdk::OutEvent> of_memory(const MceRecord& record, const McaError& error,
                                     const Processors& machine) {
  std::vector<sdk::OutEvent> out;
  json payload = payload_of(record, error);
  payload["source"] = "processor";
  const bool tells = error.channel && !edac_counts(machine);
  const hardware::EdacDimm* only = tells ? only_one_on(*error.channel, machine) : nullptr;
  if (only) payload["module"] = only->label;
  if (const auto frame = frame_of(record, error))
    out.push_back(event("ereport.memory.page", page_fmri(*frame), payload));
  if (!tells) return out;
  if (only) {
    out.push_back(event("ereport.memory.module", only->module, std::move(payload)));
    return out;
  }
  const auto thread = machine.threads.find(record.cpu);
  const unsigned socket =
      thread == machine.threads.end() ? record.socket : thread->second.place.socket;
  out.push_back(event("ereport.memory.channel", channel_fmri(socket, record.bank, *error.channel),
                      std::move(payload)));
  return out;
}

constexpr std::string_view kOr = " or ";

// "A1 or B1": the modules that EDAC names; empty if it knows none of them ("any memory").
std::vector<const hardware::EdacDimm*> named_modules(std::string_view label,
                                                     const Processors& machine) {
  std::vector<const hardware::EdacDimm*> out;
  while (!label.empty()) {
    const std::string_view one = label.substr(0, label.find(kOr));
    label.remove_prefix(std::min(label.size(), one.size() + kOr.size()));
    for (const hardware::EdacDimm& dimm : machine.modules)
      if (dimm.kernel_label == one) out.push_back(&dimm);
  }
  return out;
}

// The channel that all of them are on, else their memory controller. "" unknown.
std::string shared_place(const std::vector<const hardware::EdacDimm*>& modules,
                         std::optional<unsigned> controller) {
  if (modules.empty()) return controller ? controller_fmri(*controller) : "";
  const hardware::EdacDimm& first = *modules.front();
  const auto all = [&](const auto& agrees) {
    return std::all_of(modules.begin(), modules.end(), agrees);
  };
  if (!all([&](const auto* one) { return one->controller == first.controller; })) return "";
  const bool one_channel =
      first.channel && all([&](const auto* one) { return one->channel == first.channel; });
  return one_channel ? edac_channel_fmri(first.controller, *first.channel)
                     : controller_fmri(first.controller);
}

// EDAC counts an error for no module if several may have had it, or if it knows none
// (edac_inc_ce_error() in drivers/edac/edac_mc.c), so plugins/system does not see it. If EDAC does
// not count at all, the processor's own report has the channel (of_memory()); but firmware may hide
// that one, and a lost piece of data without an address must not stay unreported.
std::vector<sdk::OutEvent> of_no_module(const MemoryRecord& record, const Processors& machine,
                                        const json& payload) {
  const bool lost_nowhere = record.severity != ErrorSeverity::corrected && !record.address;
  if (record.source != "edac" || (!edac_counts(machine) && !lost_nowhere)) return {};
  const std::string place = shared_place(named_modules(record.label, machine), record.controller);
  if (place.empty()) return {};
  return {event("ereport.memory.channel", place, payload)};
}

std::vector<sdk::OutEvent> of_edac(const MemoryRecord& record, const Processors& machine) {
  std::vector<sdk::OutEvent> out;
  json payload{{"severity", severity_name(record.severity)},
               {"source", record.source},
               {"counted", record.count},
               {"text", record.message}};
  const auto place = std::find_if(
      machine.modules.begin(), machine.modules.end(), [&](const hardware::EdacDimm& dimm) {
        return !record.label.empty() && dimm.kernel_label == record.label;
      });
  const std::string label = place == machine.modules.end() ? record.label : place->label;
  const bool ambiguous = label.find(kOr) != label.npos && record.source == "edac";
  if (ambiguous)
    payload["text"] = fmt::format("{} ({})", record.message, label);
  else if (!label.empty())
    payload["module"] = label;
  if (record.address) {
    payload["address"] = fmt::format("{:#x}", *record.address);
    out.push_back(event("ereport.memory.page", page_fmri(*record.address >> kPageShift), payload));
  }
  if (place == machine.modules.end())
    for (sdk::OutEvent& one : of_no_module(record, machine, payload)) out.push_back(std::move(one));
  if (place != machine.modules.end() && place->channel)
    out.push_back(event("ereport.memory.shared",
                        edac_channel_fmri(place->controller, *place->channel), payload));
  // Firmware that handles errors hides them from EDAC, so it is then the only source.
  if (record.source == "firmware" && !record.label.empty())
    out.push_back(event("ereport.memory.module",
                        hardware::module_called(record.label, machine.modules, machine.dimms),
                        std::move(payload)));
  return out;
}

sdk::OutEvent of_pcie(const AerRecord& record, const LinkOf& link_of) {
  const PciLink link = link_of(record.device);
  const std::string& lower = link.device.empty() ? record.device : link.device;
  json payload{{"severity", severity_name(record.severity)},
               {"text", record.errors},
               {"reporter", record.device},
               {"device", lower}};
  if (!link.port.empty()) payload["port"] = link.port;
  // The kernel omits masked errors from the list. For a fatal error an empty list means that the
  // device cannot be read (aer_get_device_error_info()), since masked ones are not reported.
  const bool fatal = record.severity == ErrorSeverity::fatal;
  const bool masked = record.errors.empty() && !fatal;
  if (record.errors.empty() && fatal)
    payload["text"] = "the device can no longer be read, so the error is not known";
  payload["slot"] = link.slot.empty() ? "no slot that is known" : "slot " + link.slot;
  return event(masked ? "ereport.io.pci.masked" : "ereport.io.pci.link",
               make_fmri("dev", {{"pci", lower}}), std::move(payload));
}

// A device that has lost all its data is reported as a module that did.
sdk::OutEvent of_cxl_health(const CxlHealthRecord& record) {
  using State = CxlHealthRecord::State;
  const bool lost = record.state == State::lost;
  const bool unknown = record.state == State::unknown, warning = record.state == State::warning;
  const ErrorSeverity severity = unknown   ? ErrorSeverity::unknown
                                 : warning ? ErrorSeverity::corrected
                                           : ErrorSeverity::uncorrected;
  json payload{{"severity", severity_name(severity)},
               {"source", "CXL device"},
               {"text", record.text},
               {"module", record.memory + " (CXL device " + record.device + ")"}};
  if (!lost)
    payload["health"] = unknown                          ? "unknown"
                        : warning                        ? "warning"
                        : record.state == State::failing ? "failing"
                                                         : "hot";
  return event(lost ? "ereport.memory.module" : "ereport.memory.device",
               make_fmri("dev", {{"pci", record.device}}), std::move(payload));
}

// Accuses the whole device, since it does not name its failing part.
std::vector<sdk::OutEvent> of_cxl(const CxlMemoryRecord& record) {
  std::vector<sdk::OutEvent> out;
  json payload{{"severity", severity_name(record.severity)},
               {"source", "CXL device"},
               {"text", record.text},
               {"module", record.memory + " (CXL device " + record.device + ")"}};
  if (record.address) {
    payload["address"] = fmt::format("{:#x}", *record.address);
    out.push_back(event("ereport.memory.page", page_fmri(*record.address >> kPageShift), payload));
  }
  if (record.health) out.push_back(of_cxl_health(*record.health));
  if (record.is_from_outside) return out;
  out.push_back(event("ereport.memory.module", make_fmri("dev", {{"pci", record.device}}),
                      std::move(payload)));
  return out;
}

sdk::OutEvent of_lost(const PoisonedPage& page) {
  json payload{{"severity", "uncorrected"},
               {"address", fmt::format("{:#x}", page.frame << kPageShift)},
               {"text", page.kind},
               {"result", page.result}};
  return event("ereport.memory.lost", page_fmri(page.frame), std::move(payload));
}

sdk::OutEvent of_other(const OtherRecord& record) {
  json payload{{"severity", severity_name(record.severity)},
               {"source", record.source},
               {"text", record.text}};
  return event("ereport.cpu.other", socket_fmri(0), std::move(payload));
}

}  // namespace

std::string page_fmri(uint64_t frame) {
  return make_fmri("mem", {{"page", fmt::format("{:x}", frame << kPageShift)}});
}

std::string channel_fmri(unsigned socket, unsigned bank, unsigned channel) {
  return make_fmri("mem", {{"socket", std::to_string(socket)},
                           {"bank", std::to_string(bank)},
                           {"channel", std::to_string(channel)}});
}

std::string controller_fmri(unsigned controller) {
  return make_fmri("mem", {{"mc", std::to_string(controller)}});
}

std::string edac_channel_fmri(unsigned controller, unsigned channel) {
  return make_fmri("mem",
                   {{"mc", std::to_string(controller)}, {"channel", std::to_string(channel)}});
}

std::string socket_of(const MceRecord& record, const Processors& machine) {
  const auto thread = machine.threads.find(record.cpu);
  return socket_fmri(thread == machine.threads.end() ? record.socket : thread->second.place.socket);
}

// Intel SDM 3B 15.3.2.4, IA32_MCi_MISC: [8:6] = 2 is a physical address, [5:0] its lowest valid
// bit. Addresses from AMD's memory controllers need EDAC's translation.
std::optional<uint64_t> frame_of(const MceRecord& record, const McaError& error) {
  if (!error.has_address || record.ipid != 0) return std::nullopt;
  if (record.vendor == Vendor::intel && record.status & kMiscValid) {
    const uint64_t mode = (record.misc >> 6) & 7, least = record.misc & 63;
    if (mode != 2 || least > kPageShift) return std::nullopt;
  }
  return record.address >> kPageShift;
}

// An exception's record has the TSC of the error. Without a TSC the bank was read later, at TIME:
// at boot, the error may be old. Later, the kernel reads without a TSC when its timer polls, a
// processor comes online or the machine resumes. Errors that corrupt the context stop the machine
// at once, so polling never finds one: it was left over.
std::string doubt(const MceRecord& record, uint64_t booted_s) {
  const auto error = decode(record);
  const bool acts =
      error && (error->severity > ErrorSeverity::deferred || error->word == CacheWord::yellow);
  if (!acts) return "";
  if (!error->enabled) return "the error was not enabled in its bank";
  if (record.time_s == 0 || booted_s == 0) return "";
  if (record.time_s + kSlack < booted_s) return "the record is older than this boot";
  if (record.tsc != 0) return "";
  if (record.time_s <= booted_s + kStarting) return "the record was found when the machine started";
  constexpr uint64_t kContextCorrupt = uint64_t{1} << 57;
  return record.status & kContextCorrupt
             ? "the record was left in its bank: such an error stops the machine"
             : "";
}

std::string doubt_of_crash(const MceRecord& record, uint64_t booted_s) {
  // Assumes that a crashed machine is restarted within a week.
  constexpr uint64_t kLongest = 7 * 86400;
  if (record.time_s == 0 || booted_s == 0) return "";
  if (record.time_s > booted_s + kSlack) return "the record is of this boot, which it did not stop";
  return record.time_s + kLongest < booted_s ? "the record is older than a week before this boot"
                                             : "";
}

sdk::OutEvent leftover(const MceRecord& record, const std::string& why, const Processors& machine) {
  json payload = payload_of(record, decode(record).value_or(McaError{}));
  payload["why"] = why;
  for (const char* name : {"level", "word"}) payload.erase(name);
  return event("ereport.cpu.leftover", socket_of(record, machine), std::move(payload));
}

std::vector<sdk::OutEvent> findings(const MceRecord& record, const Processors& machine) {
  const auto error = decode(record);
  if (!error) return {};
  if (!error->enabled) return {leftover(record, doubt(record, 0), machine)};
  const auto one = [&](const char* event_class, const std::string& resource) {
    return std::vector{event(event_class, resource, payload_of(record, *error))};
  };
  switch (error->kind) {
    case ErrorKind::cache:
      return of_cache(record, *error, machine);
    case ErrorKind::tlb:
      return one("ereport.cpu.tlb", core_of(record, machine));
    case ErrorKind::internal:
      return one("ereport.cpu.internal", core_of(record, machine));
    case ErrorKind::bus:
      return one("ereport.cpu.bus", socket_of(record, machine));
    case ErrorKind::memory:
      return of_memory(record, *error, machine);
    case ErrorKind::poison:
      if (const auto frame = frame_of(record, *error))
        return one("ereport.memory.page", page_fmri(*frame));
      return one("ereport.cpu.poison", socket_of(record, machine));
    default:
      return one("ereport.cpu.uncore", socket_of(record, machine));
  }
}

std::vector<sdk::OutEvent> findings(const TraceRecord& record, const Processors& machine,
                                    const LinkOf& link_of) {
  if (const auto* mce = std::get_if<MceRecord>(&record.what)) return findings(*mce, machine);
  if (const auto* memory = std::get_if<MemoryRecord>(&record.what))
    return of_edac(*memory, machine);
  if (const auto* aer = std::get_if<AerRecord>(&record.what)) return {of_pcie(*aer, link_of)};
  if (const auto* cxl = std::get_if<CxlMemoryRecord>(&record.what)) return of_cxl(*cxl);
  if (const auto* health = std::get_if<CxlHealthRecord>(&record.what))
    return {of_cxl_health(*health)};
  if (const auto* page = std::get_if<PoisonedPage>(&record.what)) return {of_lost(*page)};
  if (const auto* other = std::get_if<OtherRecord>(&record.what)) return {of_other(*other)};
  return {};
}

}  // namespace fmd::cpu
