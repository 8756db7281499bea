#include "plugins/zfs/commands.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <nlohmann/json.hpp>

#include "fmd/base/text.h"
#include "fmd/model/fmri.h"

namespace fmd::zfs {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kCheckAgain{300};
constexpr int kMaxChecks = 10;
constexpr size_t kMaxOwnChanges = 32;
constexpr int64_t kClockGrainNs = 20000000;  // zfs's event times are those of the last tick

uint64_t to_guid(const std::string& text) {
  uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size() ? value : 0;
}

// The pool has another shape afterwards. For all else the quick look will do: it takes a third of
// the time, which a retirement does not have.
bool changes_shape(const sdk::CommandRequest& request) {
  return request.name == "spare_in" || request.name == "replace";
}

// Where our own helper is, when it is not among the tools (the simulator puts a stand-in there).
std::string helper_path(const sdk::Host& host, const std::string& tool) {
  if (tool != "fmd-zfs-vdev" || host.has_tool(tool)) return tool;
  return std::string(FMD_LIBEXECDIR) + "/" + tool;
}

}  // namespace

struct Commands::Job {
  sdk::CommandRequest request;
  sdk::Plugin::Reply answer;
  uint64_t pool = 0, vdev = 0;
  Plan steps;
  size_t at = 0;
  int checks = 0;
  bool acted = false;   // something was run
  std::string failure;  // of the last step
  std::unique_ptr<sdk::Timer> timer;
};

Commands::Commands(sd_event* loop, sdk::Host& host, PoolWatch& watch)
    : loop_(loop), host_(host), watch_(watch) {
  end_own_changes(0);  // of a run that was cut short
}

Commands::~Commands() = default;

void Commands::run(const sdk::CommandRequest& request, sdk::Plugin::Reply answer) {
  auto job = std::make_shared<Job>();
  job->request = request;
  job->answer = std::move(answer);
  if (auto fmri = Fmri::parse(request.resource); fmri && fmri->scheme == "zfs") {
    job->pool = to_guid(fmri->get("pool"));
    job->vdev = to_guid(fmri->get("vdev"));
  }
  if (request.name == "refresh") {
    auto alive = std::weak_ptr<bool>(alive_);
    return watch_.refresh(true, [job, alive](const Look& look) {
      if (!alive.expired())
        job->answer(look.kind == Look::Kind::ok ? done("looked at all pools")
                                                : failed(look.reason));
    });
  }
  if (job->pool == 0 || job->vdev == 0)
    return job->answer(
        failed(fmt::format("{} names no vdev of a pool", display(request.resource))));
  if (auto reason = watch_.acting_refusal(); !reason.empty())
    return job->answer(refused(std::move(reason)));
  auto& queue = queues_[job->pool];
  queue.push_back(job);
  if (queue.size() == 1) look(job);
}

void Commands::reply(const std::shared_ptr<Job>& job, sdk::CommandReply reply) {
  end_own_changes(job->vdev);
  job->timer.reset();
  auto& queue = queues_[job->pool];
  if (!queue.empty() && queue.front() == job) queue.pop_front();
  const uint64_t pool = job->pool;
  job->answer(std::move(reply));
  next(pool);
}

void Commands::next(uint64_t pool) {
  auto& queue = queues_[pool];
  if (queue.empty()) {
    queues_.erase(pool);
    return;
  }
  const std::shared_ptr<Job> job = queue.front();  // an answer at once takes it out of the queue
  look(job);
}

// A look of just now, which is often the one that made the core wish this, needs no repeating.
void Commands::look(const std::shared_ptr<Job>& job) {
  if (watch_.just_looked()) return plan(job);
  auto alive = std::weak_ptr<bool>(alive_);
  watch_.refresh(false, [this, alive, job](const Look& look) {
    if (alive.expired()) return;
    if (look.kind != Look::Kind::ok) return reply(job, failed(look.reason));
    plan(job);
  });
}

void Commands::plan(const std::shared_ptr<Job>& job) {
  const Pool* pool = watch_.find_pool(job->pool);
  if (!pool) return reply(job, failed("the pool is not imported on this host"));
  if (!pool->find(job->vdev)) {
    const auto gone = watch_.memory().gone.find(job->request.resource);
    const bool replaced = gone != watch_.memory().gone.end() && gone->second.reason == "replaced";
    if (replaced && job->request.name == "replace")
      return reply(job, done("it was replaced already"));
    return reply(
        job, refused(fmt::format("the vdev is not in pool '{}' any more", display(pool->name))));
  }
  if (pool->index_of(job->vdev) >= 0 && unmet(job->request, *pool, job->vdev, facts()).empty())
    return reply(job, success(job->request, *pool, job->vdev, false));
  job->steps = plan_command(job->request, *pool, job->vdev, facts());
  if (job->steps.answer) return reply(job, *job->steps.answer);
  if (job->request.name == "restore") begin_own_change(*job);
  step(job);
}

void Commands::step(const std::shared_ptr<Job>& job) {
  if (job->at >= job->steps.steps.size()) return check(job);
  auto argv = job->steps.steps[job->at++];
  argv[0] = helper_path(host_, argv[0]);
  job->acted = true;
  const milliseconds deadline(std::max<int64_t>(1000, job->request.deadline_ms * 3 / 4));
  auto alive = std::weak_ptr<bool>(alive_);
  host_.run(std::move(argv), deadline, [this, alive, job](const sdk::CommandOutput& output) {
    if (!alive.expired()) stepped(job, output);
  });
}

void Commands::stepped(const std::shared_ptr<Job>& job, const sdk::CommandOutput& output) {
  job->failure.clear();
  if (output.ok()) return job->steps.alternatives ? check(job) : step(job);
  const auto& argv = job->steps.steps[job->at - 1];
  job->failure = display(output.explain(argv[0] + " " + argv[1]), 500);
  const bool more = job->steps.alternatives && job->at < job->steps.steps.size() &&
                    output.end == sdk::CommandOutput::End::exited;
  more ? step(job) : check(job);
}

// Also after a failure: zed or a person may have done it in the same moment.
void Commands::check(const std::shared_ptr<Job>& job) {
  auto alive = std::weak_ptr<bool>(alive_);
  watch_.refresh(changes_shape(job->request), [this, alive, job](const Look& look) {
    if (alive.expired()) return;
    const Pool* pool = watch_.find_pool(job->pool);
    if (look.kind != Look::Kind::ok || !pool)
      return reply(job, failed(job->failure.empty() ? look.reason : job->failure));
    const bool left = !pool->find(job->vdev);
    std::string missing = left ? "" : unmet(job->request, *pool, job->vdev, facts());
    if (left && !(job->request.name == "replace" && job->failure.empty()))
      missing = "the vdev left the pool";
    if (missing.empty())
      return reply(job, success(job->request, *pool, job->vdev, job->failure.empty()));
    check_later(job, std::move(missing));
  });
}

void Commands::check_later(const std::shared_ptr<Job>& job, std::string missing) {
  if (!job->failure.empty()) return reply(job, failed(job->failure));
  if (++job->checks >= kMaxChecks)
    return reply(job, failed("the command was taken, but " + missing));
  job->timer = std::make_unique<sdk::Timer>(loop_);
  job->timer->start(kCheckAgain, [this, job] { check(job); });
}

PlanFacts Commands::facts() {
  PlanFacts facts;
  facts.device = [this](const Vdev& vdev) { return watch_.disks().facts(vdev); };
  facts.disk = [this](const Vdev& vdev) { return watch_.disk_of(vdev); };
  facts.stable_path = [this](std::string_view device, std::string_view path) {
    return watch_.disks().stable_path(device, path);
  };
  facts.has_partitions = [this](const std::string& path) {
    return watch_.disks().has_partitions(path);
  };
  return facts;
}

void Commands::begin_own_change(const Job& job) {
  auto& changes = watch_.memory().own_changes;
  changes.push_back({job.pool, job.vdev, wall_clock_ns(), 0});
  if (changes.size() > kMaxOwnChanges) changes.erase(changes.begin());
  watch_.save();
}

void Commands::end_own_changes(uint64_t vdev) {
  for (Memory::OwnChange& change : watch_.memory().own_changes)
    if (change.to_ns == 0 && (vdev == 0 || change.vdev == vdev)) change.to_ns = wall_clock_ns();
  watch_.save();
}

bool Commands::own_echo(const ZpoolEvent& event) const {
  if (event.event_class != "sysevent.fs.zfs.vdev_clear" &&
      event.event_class != "sysevent.fs.zfs.vdev_online")
    return false;
  const auto& changes = watch_.memory().own_changes;
  return std::any_of(changes.begin(), changes.end(), [&](const Memory::OwnChange& change) {
    return change.pool == event.number("pool_guid") && change.vdev == event.number("vdev_guid") &&
           event.time_ns >= change.from_ns - kClockGrainNs &&
           (change.to_ns == 0 || event.time_ns <= change.to_ns + kClockGrainNs);
  });
}

}  // namespace fmd::zfs
