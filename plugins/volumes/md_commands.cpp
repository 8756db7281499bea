#include "plugins/volumes/md_commands.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "fmd/base/text.h"
#include "plugins/hardware/disk_identity.h"
#include "plugins/hardware/fmris_in_text.h"
#include "plugins/sdk/messages.h"

namespace fmd::volumes {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kMdCheckAgain{300};
constexpr milliseconds kMdProbeDeadline{10000};
constexpr int kMdMostChecks = 10;

}  // namespace

struct MdCommands::Job {
  sdk::CommandRequest request;
  sdk::Plugin::Reply answer;
  MdPlan plan;
  size_t at = 0;
  int checks = 0;
  bool acted = false, resumed = false;
  std::string failure;                         // of the last step
  std::map<std::string, std::string> devices;  // FMRIs by the names that mdadm prints
};

namespace {

std::map<std::string, std::string> devices_of(const MdScan& scan) {
  std::map<std::string, std::string> devices;
  for (const MdArray& array : scan.arrays)
    for (const MdMember& m : array.members)
      devices[m.device] = devices["/dev/" + m.device] = m.fmri;
  return devices;
}

}  // namespace

MdCommands::MdCommands(sd_event* loop, sdk::Host& host, VolumesMemory& memory, Look look)
    : loop_(loop),
      host_(host),
      memory_(memory),
      look_(std::move(look)),
      guard_(host, kMdProbeDeadline),
      again_(loop) {}

MdCommands::~MdCommands() = default;

void MdCommands::run(const sdk::CommandRequest& request, sdk::Plugin::Reply reply) {
  auto job = std::make_shared<Job>();
  job->request = request;
  job->answer = std::move(reply);
  if (const auto* known = memory_.answer_to(request.key)) {
    if (!known->status.empty()) return job->answer({known->status, known->reason, known->detail});
    job->resumed = true;
  }
  queue_.push_back(std::move(job));
  if (queue_.size() == 1) start();
}

void MdCommands::start() {
  auto alive = std::weak_ptr<bool>(alive_);
  look_([this, alive](const MdScan* scan, const std::string& trouble) {
    if (alive.expired() || queue_.empty()) return;
    if (!scan) return finish(failed(trouble));
    plan(*scan);
  });
}

void MdCommands::plan(const MdScan& scan) {
  Job& job = *queue_.front();
  const bool anew = job.request.name == "replace" && !job.resumed;  // the disk may be a new one
  if (!anew && md_unmet(job.request, scan).empty()) {
    auto reply = done("it is so already");
    reply.detail["already"] = !job.resumed;
    return finish(std::move(reply));
  }
  if (job.resumed) return check();
  const auto path = job.request.args.find("path");
  std::string new_disk;
  if (path != job.request.args.end() && path->is_string())
    if (const auto identity = hardware::identify_disk(host_, path->get<std::string>()))
      new_disk = identity->fmri;
  job.plan = plan_md(job.request, scan, memory_.md, new_disk);
  job.devices = devices_of(scan);
  if (!new_disk.empty()) job.devices[path->get<std::string>()] = new_disk;
  if (job.plan.answer) return finish(*job.plan.answer);
  if (!host_.has_tool("mdadm")) return finish(failed("there is no mdadm(8) on this host"));
  if (job.request.name == "retire")
    memory_.md.deeds[job.request.resource] = {job.request.key, wanted_state(job.request), true};
  memory_.begin(job.request.key);
  step();
}

void MdCommands::step() {
  Job& job = *queue_.front();
  if (job.at >= job.plan.steps.size()) return check();
  job.acted = true;
  const MdStep& step = job.plan.steps[job.at++];
  if (!step.overwrites) return run_step();
  auto alive = std::weak_ptr<bool>(alive_);
  guard_.check(*step.overwrites, [this, alive](const std::string& refusal) {
    if (alive.expired() || queue_.empty()) return;
    if (!refusal.empty()) return finish(refused(refusal));
    run_step();
  });
}

void MdCommands::run_step() {
  Job& job = *queue_.front();
  const MdStep& step = job.plan.steps[job.at - 1];
  const milliseconds deadline(std::max<int64_t>(1000, job.request.deadline_ms * 3 / 4));
  auto alive = std::weak_ptr<bool>(alive_);
  const auto ended = [this, alive](const sdk::CommandOutput& output) {
    if (!alive.expired() && !queue_.empty()) stepped(output);
  };
  if (!step.argv.empty()) return host_.run(step.argv, deadline, ended);
  const std::string file = step.file, text = step.text;
  host_.run_apart(
      [this, file, text] {
        const auto written = host_.write(file, text);
        return written ? std::string() : written.error().text();
      },
      deadline, ended);
}

void MdCommands::stepped(const sdk::CommandOutput& output) {
  Job& job = *queue_.front();
  const MdStep& step = job.plan.steps[job.at - 1];
  const bool written = !step.argv.empty() || output.out.empty();
  job.failure.clear();
  if (output.ok() && written) {
    if (step.ends_if_done) return check();
    return this->step();
  }
  const std::string what = step.argv.empty() ? step.file : "mdadm " + step.argv[3];
  job.failure = hardware::with_fmris(display(output.ok() ? output.out : output.explain(what), 500),
                                     job.devices);
  if (step.may_fail && output.end == sdk::CommandOutput::End::exited) return this->step();
  check();
}

// Also after a failure: the kernel or a person may have made the same change meanwhile.
void MdCommands::check() {
  auto alive = std::weak_ptr<bool>(alive_);
  look_([this, alive](const MdScan* scan, const std::string& trouble) {
    if (alive.expired() || queue_.empty()) return;
    if (!scan) return finish(failed(trouble));
    checked(*scan);
  });
}

void MdCommands::checked(const MdScan& scan) {
  Job& job = *queue_.front();
  const std::string missing = md_unmet(job.request, scan);
  if (missing.empty()) {
    auto reply =
        done(job.request.name == "replace" ? "the new disk is in the array, which rebuilds onto it"
                                           : "it is done");
    // The command failed but the state is as requested: somebody else changed it.
    if (!job.failure.empty() && job.request.name == "retire") {
      reply.detail["already"] = true;
      memory_.md.deeds.erase(job.request.resource);
    }
    return finish(std::move(reply));
  }
  if (!job.failure.empty() || ++job.checks >= kMdMostChecks)
    return finish(failed(job.failure.empty() ? missing : job.failure));
  again_.start(kMdCheckAgain, [this] { check(); });
}

void MdCommands::finish(sdk::CommandReply reply) {
  const std::shared_ptr<Job> job = queue_.front();
  if (const auto deed = memory_.md.deeds.find(job->request.resource);
      deed != memory_.md.deeds.end() && deed->second.pending &&
      deed->second.key == job->request.key)
    memory_.md.deeds.erase(deed);
  if (job->acted) memory_.answered(job->request.key, reply);
  queue_.pop_front();
  job->answer(std::move(reply));
  if (!queue_.empty()) start();
}

}  // namespace fmd::volumes
