#include "plugins/cpu/cpu_commands.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <set>

#include "fmd/base/text.h"
#include "fmd/model/fmri.h"
#include "plugins/cpu/findings.h"
#include "plugins/sdk/messages.h"

namespace fmd::cpu {
namespace {

constexpr const char* kSoftOffline = "/sys/devices/system/memory/soft_offline_page";
// As illumos: at most 10 basis points of memory (max_pages_retired_bps). One lost page is small,
// but many indicate a bad module.
constexpr uint64_t kMostPagesPerMille = 1;

sdk::CommandReply reply(const char* status, std::string reason) {
  return {status, std::move(reason), nlohmann::json::object()};
}

std::string word(const sdk::CommandRequest& request, const char* name) {
  const auto at = request.args.find(name);
  return at != request.args.end() && at->is_string() ? at->get<std::string>() : "";
}

std::string online_file(unsigned thread) {
  return fmt::format("/sys/devices/system/cpu/cpu{}/online", thread);
}

const Deed* deed_of(const std::string& fmri, const Processors& machine, const CpuMemory& memory) {
  const auto at = memory.deeds.find(fmri);
  return at == memory.deeds.end() || at->second.boot != machine.boot ? nullptr : &at->second;
}

std::vector<unsigned> online_of(const std::vector<unsigned>& threads, const Processors& machine) {
  std::vector<unsigned> out;
  for (const unsigned number : threads)
    if (const auto at = machine.threads.find(number);
        at != machine.threads.end() && at->second.online)
      out.push_back(number);
  return out;
}

// Runs in the child. Returns what failed, "" on success. Offlines all of the threads or none.
std::string set_online(const sdk::Host& host, const std::vector<unsigned>& threads, bool online) {
  std::vector<unsigned> changed;
  for (const unsigned number : threads) {
    auto written = host.write(online_file(number), online ? "1" : "0");
    if (written && host.read(online_file(number)).value_or("") == (online ? "1" : "0")) {
      changed.push_back(number);
      continue;
    }
    const std::string why =
        written ? "the kernel has left it as it was" : display(written.error().message);
    if (!online)
      for (const unsigned back : changed) (void)host.write(online_file(back), "1");
    return fmt::format("cpu{}: {}", number, why);
  }
  return "";
}

// Number of cores with at least one online thread.
size_t cores_online(const Processors& machine) {
  std::set<std::string> cores;
  for (const auto& [number, thread] : machine.threads)
    if (thread.online) cores.insert(core_fmri(thread.place));
  return cores.size();
}

}  // namespace

PartState state_of_core(const std::string& core, const Processors& machine,
                        const CpuMemory& memory) {
  PartState out;
  const auto threads = machine.of_core(core);
  const auto online = online_of(threads, machine);
  out.service = online.empty() ? "out-of-service" : "in-service";
  out.state = online.empty()                    ? "offline"
              : online.size() == threads.size() ? "online"
                                                : "partly online";
  const Deed* deed = deed_of(core, machine, memory);
  if (deed && online.empty()) out.retired_by = deed->key;
  out.by_restart = !deed && !online.empty() && memory.ended.contains(core);
  for (const unsigned number : online)
    if (!machine.threads.at(number).can_go)
      out.refusal = fmt::format("the kernel cannot take cpu{} offline", number);
  if (out.refusal.empty() && !online.empty() && machine.threads.contains(0) &&
      core_fmri(machine.threads.at(0).place) == core)
    out.refusal = "cpu0 stays: the machine was started on it";
  if (out.refusal.empty() && !online.empty() && cores_online(machine) == 1)
    out.refusal = "the last core that is online";
  return out;
}

PartState state_of_page(uint64_t frame, const Processors& machine, const CpuMemory& memory) {
  PartState out;
  const Deed* deed = deed_of(page_fmri(frame), machine, memory);
  const auto page = memory.pages.find(frame);
  const bool lost = page != memory.pages.end() && !page->second.lost_in.empty() &&
                    page->second.lost_in == machine.boot;
  const auto released = memory.released.find(frame);
  const bool ours_before = released != memory.released.end() && released->second == machine.boot;
  const bool out_of_use = deed || lost || ours_before;
  out.service = out_of_use ? "out-of-service" : "in-service";
  out.state = out_of_use ? "out of use" : "in use";
  out.until_boot = out_of_use;
  if (deed) out.retired_by = deed->key;
  out.by_restart = !out_of_use && memory.ended.contains(page_fmri(frame));
  const auto retired = static_cast<uint64_t>(
      std::count_if(memory.deeds.begin(), memory.deeds.end(), [&](const auto& entry) {
        return entry.second.boot == machine.boot && frame_in(entry.first);
      }));
  if (!out_of_use && machine.memory_bytes > 0 &&
      ((retired + 1) << kPageShift) > machine.memory_bytes * kMostPagesPerMille / 1000)
    out.refusal = "a thousandth of the memory was taken out of use already";
  return out;
}

std::optional<uint64_t> frame_in(const std::string& fmri) {
  constexpr std::string_view kPrefix = "mem://page=";
  if (!fmri.starts_with(kPrefix)) return std::nullopt;
  uint64_t address = 0;
  const char* end = fmri.data() + fmri.size();
  const auto [stop, error] = std::from_chars(fmri.data() + kPrefix.size(), end, address, 16);
  if (error != std::errc() || stop != end) return std::nullopt;
  return address >> kPageShift;
}

CpuCommands::CpuCommands(sdk::Host& host, CpuMemory& memory, std::chrono::milliseconds deadline,
                         std::function<const Processors&()> look)
    : host_(host),
      memory_(memory),
      flight_(std::make_shared<sdk::Flight>(host, deadline)),
      look_(std::move(look)) {}

void CpuCommands::run(const sdk::CommandRequest& request, sdk::Plugin::Reply answer) {
  queue_.push_back({request, std::move(answer)});
  if (queue_.size() == 1) next();
}

void CpuCommands::next() {
  const Job& job = queue_.front();
  const Processors& machine = look_();
  const bool retire = job.request.name == "retire";
  if (flight_->stuck()) return finish(reply("failed", "the kernel has not ended the one before"));
  if (retire && word(job.request, "to") != "out-of-service")
    return finish(reply("refused", "it is in service or out of it, nothing in between"));
  if (!retire && word(job.request, "key").empty() && word(job.request, "by") != "person")
    return finish(reply("failed", "restore wants \"key\" or \"by\": \"person\""));
  if (const auto frame = frame_in(job.request.resource)) return page(job, *frame, machine);
  core(job, machine);
}

void CpuCommands::core(const Job& job, const Processors& machine) {
  const std::string fmri = job.request.resource, key = job.request.key;
  const auto threads = machine.of_core(fmri);
  if (threads.empty()) return finish(reply("refused", "there is no such core on this machine"));
  const PartState now = state_of_core(fmri, machine, memory_);
  const bool out = now.service == "out-of-service";
  const Deed* deed = deed_of(fmri, machine, memory_);
  const auto already = [&](bool ours) {
    auto answer = reply("done", "it is " + now.state + " already");
    if (!ours) answer.detail["already"] = true;
    finish(std::move(answer));
  };
  if (job.request.name == "retire") {
    if (out) return already(deed && deed->key == key);
    if (!now.refusal.empty()) return finish(reply("refused", now.refusal));
    const auto going = online_of(threads, machine);
    memory_.deeds[fmri] = {key, machine.boot, going};
    memory_.ended.erase(fmri);
    memory_.save();
    return write_online(going, false, [this, fmri, going](const std::string& trouble) {
      if (!trouble.empty()) forget(fmri);
      look_();
      if (!trouble.empty()) return finish(reply("failed", trouble));
      std::string names;
      for (const unsigned number : going)
        names += (names.empty() ? "cpu" : ", cpu") + std::to_string(number);
      finish(reply("done", names + (going.size() == 1 ? " is offline" : " are offline")));
    });
  }
  if (!out) return already(false);
  const bool person = word(job.request, "by") == "person";
  if (!person && !deed) return finish(reply("refused", "not fmd's doing"));
  if (!person && deed->key != word(job.request, "key"))
    return finish(reply("refused", "changed by somebody else since"));
  // Threads that were offline before fmd acted stay offline, unless a person orders otherwise.
  const auto coming = person ? threads : deed->threads;
  write_online(coming, true, [this, fmri](const std::string& trouble) {
    if (trouble.empty()) memory_.deeds.erase(fmri);
    memory_.save();
    look_();
    finish(trouble.empty() ? reply("done", "online again") : reply("failed", trouble));
  });
}

void CpuCommands::page(const Job& job, uint64_t frame, const Processors& machine) {
  const std::string fmri = page_fmri(frame), key = job.request.key;
  const PartState now = state_of_page(frame, machine, memory_);
  const bool out = now.service == "out-of-service";
  if (job.request.name != "retire") {
    if (!out) {
      auto answer = reply("done", "it is in use");
      answer.detail["already"] = true;
      return finish(std::move(answer));
    }
    const bool person = word(job.request, "by") == "person";
    if (!person && now.retired_by != word(job.request, "key"))
      return finish(reply("refused", "not fmd's doing"));
    memory_.deeds.erase(fmri);
    memory_.released[frame] = machine.boot;
    memory_.save();
    look_();
    return finish(reply("done",
                        "its 4 KiB stay out of use until the next boot: the kernel has no "
                        "way to put them back"));
  }
  if (out) {
    auto answer = reply("done", "it is out of use already");
    if (now.retired_by != key) answer.detail["already"] = true;
    return finish(std::move(answer));
  }
  if (!now.refusal.empty()) return finish(reply("refused", now.refusal));
  memory_.deeds[fmri] = {key, machine.boot, {}};
  memory_.ended.erase(fmri);
  memory_.save();
  flight_->start(
      [this, frame] {
        const auto written = host_.write(kSoftOffline, fmt::format("{:#x}", frame << kPageShift));
        return written ? std::string() : written.error().message;
      },
      [this, fmri](const sdk::CommandOutput& output, bool) {
        const std::string trouble = output.ok() ? output.out : output.explain("the kernel");
        if (!trouble.empty()) forget(fmri);
        look_();
        finish(trouble.empty()
                   ? reply("done", "the kernel has moved what was there and uses the page no more")
                   : reply("failed", "the page cannot be freed now: " + display(trouble)));
      });
}

// An unfinished write may still take effect; it is then fmd's action, so the record stays.
void CpuCommands::forget(const std::string& fmri) {
  if (flight_->stuck()) return;
  memory_.deeds.erase(fmri);
  memory_.save();
}

void CpuCommands::write_online(const std::vector<unsigned>& threads, bool online,
                               std::function<void(const std::string& trouble)> then) {
  flight_->start([this, threads, online] { return set_online(host_, threads, online); },
                 [then = std::move(then)](const sdk::CommandOutput& output, bool) {
                   then(output.ok() ? output.out : output.explain("the kernel"));
                 });
}

void CpuCommands::finish(sdk::CommandReply answer) {
  const Job job = std::move(queue_.front());
  queue_.pop_front();
  job.reply(std::move(answer));
  if (!queue_.empty()) next();
}

}  // namespace fmd::cpu
