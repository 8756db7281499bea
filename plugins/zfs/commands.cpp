#include "plugins/zfs/commands.h"
#include "fmd/base/json.h"
#include "plugins/sdk/messages.h"
#include "plugins/zfs/vdev_helper.h"
#include "plugins/zfs/vdev_words.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "fmd/base/text.h"
#include "fmd/model/fmri.h"

namespace fmd::zfs {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kCheckAgain{300}, kProbeDeadline{10000};
constexpr int kMaxChecks = 10;
constexpr size_t kMaxOwnChanges = 32, kMaxOwnCommands = 100, kMaxAnswers = 300;
constexpr int64_t kClockGrainNs = 20000000;  // zfs's event times are rounded down to a tick

uint64_t to_guid(const std::string& text) {
  uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size() ? value : 0;
}

// The command changes the tree of vdevs, which needs a thorough look. For others the quick look is
// enough: it takes a third of the time, which matters for a retirement.
bool changes_shape(const sdk::CommandRequest& request) {
  return request.name == "spare_in" || request.name == "replace";
}

template <class T>
void keep_last(std::vector<T>& list, size_t count) {
  if (list.size() > count) list.erase(list.begin(), list.end() - static_cast<ptrdiff_t>(count));
}

Memory::Answer* find_answer(Memory& memory, const std::string& key) {
  const auto found = std::find_if(memory.answers.begin(), memory.answers.end(),
                                  [&](const Memory::Answer& a) { return a.key == key; });
  return key.empty() || found == memory.answers.end() ? nullptr : &*found;
}

sdk::CommandReply reply_of(const Memory::Answer& answer) {
  auto detail = nlohmann::json::parse(answer.detail, nullptr, false);
  return {answer.status, answer.reason,
          detail.is_object() ? std::move(detail) : nlohmann::json::object()};
}

}  // namespace

struct Commands::Job {
  sdk::CommandRequest request;
  sdk::Plugin::Reply answer;
  uint64_t pool = 0, vdev = 0;
  Plan steps;
  size_t at = 0;
  int checks = 0;
  bool acted = false;      // a step was run
  bool resumed = false;    // it was running when the plugin was restarted
  bool in_vain = false;    // the last step ended with an error
  int64_t started_ns = 0;  // start of the last step
  std::string failure;     // of the last step
  std::string unfit;       // why spares were skipped
  std::unique_ptr<sdk::Timer> timer;
};

Commands::Commands(sd_event* loop, sdk::Host& host, PoolWatch& watch, HistoryReader& history)
    : loop_(loop), host_(host), watch_(watch), history_(history), guard_(host, kProbeDeadline) {
  forget_ends(watch_.memory());
  end_own_changes(0);  // from an interrupted run
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
        job->answer(look.kind != Look::Kind::ok ? failed(look.reason)
                    : look.unseen.empty()       ? done("looked at all pools")
                                          : failed(fmt::format("pool '{}' gives no answer: {}",
                                                               display(look.unseen.begin()->first),
                                                               look.unseen.begin()->second)));
    });
  }
  if (const auto* known = find_answer(watch_.memory(), request.key)) {
    if (!known->status.empty()) return job->answer(reply_of(*known));
    job->resumed = true;
  }
  if (job->pool == 0 || job->vdev == 0)
    return job->answer(
        failed(fmt::format("{} names no vdev of a pool", display(request.resource))));
  if (auto wrong = wrong_args(request); !wrong.empty()) return job->answer(failed(wrong));
  if (auto reason = watch_.acting_refusal(); !reason.empty() && !job->resumed)
    return job->answer(refused(std::move(reason)));
  auto& queue = queues_[job->pool];
  queue.push_back(job);
  if (queue.size() == 1) start(job);
}

void Commands::reply(const std::shared_ptr<Job>& job, sdk::CommandReply reply) {
  auto& memory = watch_.memory();
  if (const Deeds* deeds = deeds_of(*job))
    if (const auto intent = deeds->intents.find(job->vdev);
        intent != deeds->intents.end() && intent->second.key == job->request.key &&
        intent->second.end == Intent::End::succeeded)
      ended(*job, Intent::End::unknown);  // a late effect needs the history
  if (auto* begun = find_answer(memory, job->request.key))
    *begun = {begun->key, reply.status, reply.reason, reply.detail.dump()};
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
  const std::shared_ptr<Job> job = queue.front();  // an immediate reply removes it from the queue
  start(job);
}

// If somebody else also offlines a vdev that fmd has taken out, only the pool's history shows it.
void Commands::start(const std::shared_ptr<Job>& job) {
  const Pool* pool = watch_.find_pool(job->pool);
  const auto& effects = watch_.memory().retired.effects;
  const auto effect = effects.find(job->vdev);
  if (job->request.name != "restore" || by_person(job->request) || !pool ||
      effect == effects.end() || effect->second.value == "DEGRADED")
    return look(job);
  auto alive = std::weak_ptr<bool>(alive_);
  auto question = who_else(*pool, job->vdev, {"offline"}, effect->second.begun_ns, wall_clock_ns());
  history_.ask(std::move(question), HistoryReader::Patience::once,
               [this, alive, job](HistoryReader::Answer answer) {
                 if (alive.expired()) return;
                 if (answer == HistoryReader::Answer::unknown)
                   return reply(job, failed("zpool history does not tell who changed the vdev"));
                 if (answer == HistoryReader::Answer::somebody)
                   watch_.memory().retired.effects.erase(job->vdev);
                 look(job);
               });
}

// A very recent look, often the one that triggered the command, is reused. A restore needs the
// latest state: somebody may have changed it since.
void Commands::look(const std::shared_ptr<Job>& job) {
  if (watch_.just_looked() && job->request.name != "restore") return plan(job);
  auto alive = std::weak_ptr<bool>(alive_);
  watch_.refresh(false, [this, alive, job](const Look& look) {
    if (alive.expired()) return;
    if (look.kind != Look::Kind::ok) return reply(job, failed(look.reason));
    plan(job);
  });
}

void Commands::plan(const std::shared_ptr<Job>& job) {
  if (auto why = watch_.not_observed(job->pool); !why.empty())
    return reply(job, failed(std::move(why)));
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
    return reply(job, success(job->request, *pool, job->vdev, job->resumed));
  if (job->resumed) return check(job);
  job->steps = plan_command(job->request, *pool, job->vdev, facts());
  if (job->steps.answer) return reply(job, *job->steps.answer);
  begin(*job);
  step(job);
}

Deeds* Commands::deeds_of(const Job& job) {
  if (job.request.name == "retire") return &watch_.memory().retired;
  return job.request.name == "spare_in" ? &watch_.memory().spared : nullptr;
}

void Commands::begin(const Job& job) {
  auto& memory = watch_.memory();
  if (!job.request.key.empty()) memory.answers.push_back({job.request.key, "", "", "{}"});
  keep_last(memory.answers, kMaxAnswers);
  if (Deeds* deeds = deeds_of(job)) {
    const Pool& pool = *watch_.find_pool(job.pool);
    const int index = pool.index_of(job.vdev);
    const bool retire = job.request.name == "retire";
    deeds->intents[job.vdev] = {job.request.key, retire ? wanted_state(job.request) : "",
                                retire ? state_value(at(pool, index)) : spare_value(pool, index),
                                wall_clock_ns(), Intent::End::running};
  }
  if (job.request.name == "restore") begin_own_change(job);
  watch_.save();
}

// As far as is known: somebody else may have done it just before its zpool succeeded.
bool Commands::by_us(const Job& job) {
  const Deeds* deeds = deeds_of(job);
  if (job.in_vain) return false;
  return !deeds || deeds->intents.contains(job.vdev) || key_of(*deeds, job.vdev) == job.request.key;
}

void Commands::ended(const Job& job, Intent::End end) {
  Deeds* deeds = deeds_of(job);
  if (!deeds) return;
  if (const auto intent = deeds->intents.find(job.vdev); intent != deeds->intents.end())
    intent->second.end = end;
}

void Commands::step(const std::shared_ptr<Job>& job) {
  if (job->at >= job->steps.steps.size()) return check(job);
  if (job->steps.overwrites.contains(job->at)) return check_overwritten(job);
  run_step(job);
}

void Commands::run_step(const std::shared_ptr<Job>& job) {
  auto argv = job->steps.steps[job->at++];
  auto& own = watch_.memory().own_commands;
  job->started_ns = wall_clock_ns();
  own.push_back({fmt::format("{}", fmt::join(argv, " ")), job->started_ns, 0});
  keep_last(own, kMaxOwnCommands);
  watch_.save();
  job->acted = true;
  const milliseconds deadline(std::max<int64_t>(1000, job->request.deadline_ms * 3 / 4));
  auto alive = std::weak_ptr<bool>(alive_);
  host_.run(with_helper(host_, std::move(argv)), deadline,
            [this, alive, job](const sdk::CommandOutput& output) {
              if (!alive.expired()) stepped(job, output);
            });
}

void Commands::check_overwritten(const std::shared_ptr<Job>& job) {
  const hardware::Overwrite wish = job->steps.overwrites.at(job->at);
  auto alive = std::weak_ptr<bool>(alive_);
  guard_.check(wish, [this, alive, job, wish](const std::string& refusal) {
    if (alive.expired()) return;
    if (refusal.empty()) return run_step(job);
    if (!job->steps.alternatives) return reply(job, refused(refusal));
    // fmd shows the FMRI as the bay that the disk is in.
    skip_disk(job, wish,
              fmt::format("{}: {}", wish.disk.empty() ? display(wish.path) : wish.disk, refusal));
  });
}

// Tries the next spare.
void Commands::skip_disk(const std::shared_ptr<Job>& job, const hardware::Overwrite& wish,
                         const std::string& refusal) {
  const auto& overwrites = job->steps.overwrites;
  const auto is_same = [&] {
    const auto next = overwrites.find(job->at);
    return next != overwrites.end() && next->second.path == wish.path;
  };
  while (is_same()) ++job->at;
  job->unfit += (job->unfit.empty() ? "" : "; ") + refusal;
  if (job->at < job->steps.steps.size()) return step(job);
  if (job->acted) return check(job);
  if (Deeds* deeds = deeds_of(*job)) deeds->intents.erase(job->vdev);
  reply(job, refused(job->unfit));
}

void Commands::stepped(const std::shared_ptr<Job>& job, const sdk::CommandOutput& output) {
  job->failure.clear();
  const bool exited = output.end == sdk::CommandOutput::End::exited;
  job->in_vain = !output.ok() && exited;
  for (OwnCommand& command : watch_.memory().own_commands)
    if (exited && command.from_ns == job->started_ns) command.to_ns = wall_clock_ns();
  const bool last = job->at >= job->steps.steps.size();
  if (output.ok()) {
    if (!last && !job->steps.alternatives) return between(job);
    ended(*job, Intent::End::succeeded);
    return check(job);
  }
  const auto& argv = job->steps.steps[job->at - 1];
  job->failure = failure_words(*job, display(output.explain(argv[0] + " " + argv[1]), 500));
  if (exited && job->steps.alternatives && !last) return step(job);
  if (Deeds* deeds = deeds_of(*job); deeds && exited) deeds->intents.erase(job->vdev);
  ended(*job, Intent::End::unknown);
  check(job);
}

std::string Commands::failure_words(const Job& job, const std::string& text) const {
  const Pool* pool = watch_.find_pool(job.pool);
  if (!pool) return text;
  std::map<std::string, std::string> devices;
  for (const auto& [step, wish] : job.steps.overwrites)
    if (!wish.disk.empty()) devices[wish.path] = wish.disk;
  return with_fmris(*pool, devices, text);
}

// Between a restore's steps ZFS may have tried the disk and given up.
void Commands::between(const std::shared_ptr<Job>& job) {
  auto alive = std::weak_ptr<bool>(alive_);
  watch_.refresh(false, [this, alive, job](const Look& look) {
    if (alive.expired()) return;
    const Pool* pool = watch_.find_pool(job->pool);
    const std::string unseen = watch_.not_observed(job->pool);
    if (look.kind != Look::Kind::ok || !pool || !unseen.empty())
      return reply(job, failed(look.reason + unseen));
    if (auto reason = restore_stop(job->request, *pool, job->vdev); !reason.empty())
      return reply(job, refused(std::move(reason)));
    step(job);
  });
}

// Also after a failure: ZED or a person may have done it at the same time.
void Commands::check(const std::shared_ptr<Job>& job) {
  auto alive = std::weak_ptr<bool>(alive_);
  watch_.refresh(changes_shape(job->request), [this, alive, job](const Look& look) {
    if (alive.expired()) return;
    const Pool* pool = watch_.find_pool(job->pool);
    const std::string unseen = watch_.not_observed(job->pool);
    if (look.kind != Look::Kind::ok || !pool || !unseen.empty())
      return reply(job, failed(job->failure.empty() ? look.reason + unseen : job->failure));
    const bool left = !pool->find(job->vdev);
    std::string missing = left ? "" : unmet(job->request, *pool, job->vdev, facts());
    if (left && !(job->request.name == "replace" && job->failure.empty()))
      missing = "the vdev left the pool";
    if (missing.empty()) return reply(job, success(job->request, *pool, job->vdev, by_us(*job)));
    check_later(job, std::move(missing));
  });
}

void Commands::check_later(const std::shared_ptr<Job>& job, std::string missing) {
  if (!job->failure.empty()) return reply(job, failed(job->failure));
  if (++job->checks >= kMaxChecks)
    return reply(job, failed((job->resumed ? "fmd-zfs was restarted while it did this, and "
                                           : "the command was taken, but ") +
                             missing));
  job->timer = std::make_unique<sdk::Timer>(loop_);
  job->timer->start(kCheckAgain, [this, job] { check(job); });
}

PlanFacts Commands::facts() {
  PlanFacts facts;
  facts.retired_by = [this](uint64_t vdev) { return key_of(watch_.memory().retired, vdev); };
  facts.spare_key = [this](uint64_t vdev) { return key_of(watch_.memory().spared, vdev); };
  facts.device = [this](const Vdev& vdev) { return watch_.disks().facts(vdev); };
  facts.present = [this](const Vdev& vdev) { return watch_.disks().present(vdev); };
  facts.bears_label = [this](const Vdev& vdev) { return watch_.disks().bears_label(vdev); };
  facts.path_in_place = [this](const Vdev& vdev, std::string_view device) {
    return watch_.disks().path_in_place(vdev, device);
  };
  facts.labelled_path = [this](const Vdev& vdev, std::string_view disk) {
    return watch_.disks().labelled_path(vdev, disk);
  };
  facts.takes_names = watch_.takes_names();
  facts.at_path = [this](const Vdev& vdev) { return watch_.disks().at_path(vdev); };
  facts.disk = [this](const Vdev& vdev) { return watch_.disk_of(vdev); };
  facts.is_mapped = [this](const Vdev& vdev) { return watch_.is_mapped(vdev); };
  facts.stable_path = [this](std::string_view device, std::string_view path) {
    return watch_.disks().stable_path(device, path);
  };
  facts.has_partitions = [this](const std::string& path) {
    return watch_.disks().has_partitions(path);
  };
  facts.no_spare = watch_.options().no_spare;
  facts.spare_order = watch_.options().spare_order;
  facts.retire_only_with_spare = watch_.options().retire_only_with_spare;
  return facts;
}

void Commands::begin_own_change(const Job& job) {
  auto& changes = watch_.memory().own_changes;
  changes.push_back({job.pool, job.vdev, wall_clock_ns(), 0});
  keep_last(changes, kMaxOwnChanges);
}

void Commands::settle(const std::vector<LateEffect>& late) {
  auto alive = std::weak_ptr<bool>(alive_);
  for (const LateEffect& effect : late) {
    const Pool* pool = watch_.find_pool(effect.pool);
    if (!pool || !settling_.insert({effect.spare, effect.vdev}).second) continue;
    auto question = who_else(*pool, effect.vdev, {effect.spare ? "replace" : "offline"},
                             effect.begun_ns, wall_clock_ns());
    history_.ask(std::move(question), HistoryReader::Patience::twice,
                 [this, alive, effect](HistoryReader::Answer answer) {
                   if (!alive.expired()) settle(effect, answer);
                 });
  }
}

// If the history cannot be read, the next look asks again.
void Commands::settle(const LateEffect& effect, HistoryReader::Answer answer) {
  settling_.erase({effect.spare, effect.vdev});
  auto& intents = effect.spare ? watch_.memory().spared.intents : watch_.memory().retired.intents;
  const auto intent = intents.find(effect.vdev);
  if (intent == intents.end() || intent->second.begun_ns != effect.begun_ns ||
      answer == HistoryReader::Answer::unknown)
    return;
  if (answer == HistoryReader::Answer::somebody) {
    intents.erase(intent);
    return;
  }
  intent->second.end = Intent::End::alone;
  watch_.refresh(false, {});
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
