#include "judge.h"

#include <fmt/format.h>

#include <stdexcept>

#include "circumstances.h"
#include "corpus.h"
#include "signs.h"
#include "zed.h"

namespace fmd::score {
namespace {

Circumstances circumstances_of(const Job& job, const Conditions& conditions) {
  if (conditions.varied) return drawn_circumstances(*job.scenario, job.seed);
  Circumstances out;
  if (conditions.mute_bays) out.form.bays = Bays::silent;
  out.spread = conditions.spread;
  return out;
}

void tell(const Job& job, const Played& played, const Conditions& conditions) {
  fmt::print("{}, seed {} ({})\n", job.scenario->label, job.seed,
             circumstances_of(job, conditions).text());
  for (const auto& [role, parts] : played.cast.roles)
    for (const Part& part : parts) fmt::print("  {}: {}\n", role, *part.fmris.begin());
  const auto seconds = [&](int64_t at) {
    return static_cast<double>(at - played.cast.onset) / kSec;
  };
  for (const Blamed& b : played.outcome.blamed)
    fmt::print("  {:7.1f} s  {} {} {} ({} %)\n", seconds(b.at), b.uuid, b.fault_class,
               b.parts.front(), b.certainty);
  const Outcome& o = played.outcome;
  for (const auto& [what, done] :
       {std::pair{"retired", &o.retired}, std::pair{"spared", &o.spared}, std::pair{"lit", &o.lit}})
    for (const Done& one : *done)
      fmt::print("  {:7.1f} s  {} {}\n", seconds(one.at), what, one.fmri);
  for (const Told& told : o.told)
    fmt::print("  {:7.1f} s  message: {} {}\n", seconds(told.at), told.event, told.uuid);
}

// Adds the scenario's disturbances to the generator's plan.
void stage_meanwhile(Stage& stage, const Meanwhile& m) {
  Play& play = stage.play;
  const auto drawn = [&](int64_t low, int64_t high) {
    return low + stage.chance().below(static_cast<int>((high - low) / kMs) + 1) * kMs;
  };
  const int64_t from = stage.cast.onset + drawn(m.from_low, m.from_high);
  const int64_t lasts = drawn(m.lasts_low, m.lasts_high);
  for (const Teller teller : m.silent) play.silence(teller, from, from + lasts);
  if (m.clock_high > 0)
    play.step_wall_clock(from,
                         (stage.chance().percent(50) ? 1 : -1) * drawn(m.clock_low, m.clock_high));
  for (int i = stage.chance().between(m.noise_low, m.noise_high); i > 0; --i)
    signs::errors(play, stage.disk(), from + drawn(0, 20 * kMin), 1, false);
}

void surround(Stage& stage, const Circumstances& beside) {
  Play& play = stage.play;
  const int64_t onset = stage.cast.onset;
  for (const auto& [teller, by] : beside.lag) play.lags(teller, by);
  if (const auto& r = beside.restart)
    play.restarts(r->teller, onset + r->after, onset + r->after + r->lasts);
  if (beside.zed) play.zed_acts();
  for (int i = 0; i < beside.noise; ++i)
    signs::errors(play, stage.disk(), onset + stage.chance().below(20 * 60'000) * kMs, 1, false);
}

// The first suspects in messages: the FRU that people would replace, however it showed.
std::set<std::string> verdicts(const Outcome& outcome) {
  std::set<std::string> out;
  for (const Blamed& b : outcome.blamed)
    if (b.first) out.insert(b.parts.back().empty() ? b.parts.front() : b.parts.back());
  return out;
}

Host host_of(const Job& job, const Conditions& conditions) {
  return Host(*job.scenario->shape, Variant::plain, circumstances_of(job, conditions).form);
}

Zed::GroupOf groups_of(const Host& host) {
  Zed::GroupOf out;
  for (size_t i = 0; i < host.disks.size(); ++i)
    if (!host.disks[i].spare)
      out.emplace(host.disks[i].vdev, static_cast<int>(i) / host.spec.group);
  return out;
}

}  // namespace

Played play(const Job& job, Host& host, const Rules& rules, const Conditions& conditions,
            std::function<void(const Event&, int64_t at)> heard) {
  histories::Chance chance(seed_of(job.scenario->label) + job.seed * 1'000'003);
  Play play(host, rules, chance);
  play.lost = conditions.lost_percent / 100.0;
  play.asks_for_odds = conditions.odds;
  play.heard = std::move(heard);
  const Circumstances beside = circumstances_of(job, conditions);
  Stage stage{play, job.scenario->knobs, beside.spread, beside.log_uniform};
  stage.cast.onset = play.begin + chance.below(60'000) * kMs;
  stage.cast.until = stage.cast.onset + 30 * kMin;
  try {
    job.scenario->generator->run(stage);
  } catch (const std::logic_error& e) {  // values that are impossible on this machine
    throw std::logic_error(fmt::format("{}:{}: {}: {}", job.scenario->file, job.scenario->line,
                                       job.scenario->label, e.what()));
  }
  stage.cast.until += stage.latest_spread();
  stage_meanwhile(stage, job.scenario->meanwhile);
  surround(stage, beside);
  Played out{std::move(stage.cast), {}};
  out.outcome = play.run(out.cast.until);
  return out;
}

namespace {

// ZED's rules depend only on events, so they are judged in the same play.
void judge_others(const Job& job, const Rules& alone, const Conditions& conditions, Result& out) {
  const Scenario scenario = required_under(circumstances_of(job, conditions), *job.scenario);
  Host host = host_of(job, conditions);
  Zed zed, peers(groups_of(host));
  const Played each = play(job, host, alone, conditions, [&](const Event& event, int64_t at) {
    zed.hear(event, at, scenario.shape->spares);
    peers.hear(event, at, scenario.shape->spares);
  });
  out.marks[1] = mark(scenario, each.cast, each.outcome);
  out.marks[2] = mark(scenario, each.cast, zed.outcome());
  out.marks[3] = mark(scenario, each.cast, peers.outcome());
}

Mark mark_odds(const Scenario& scenario, const Played& played) {
  Outcome likely;
  likely.blamed = played.outcome.likely;
  for (const Blamed& b : likely.blamed) likely.told.push_back({b.at, "diagnosed", b.uuid});
  return mark(scenario, played.cast, likely);
}

}  // namespace

Result judge(const Job& job, const Rules& rules, const Rules& alone, const Conditions& conditions,
             bool story) {
  Host host = host_of(job, conditions);
  const Scenario required = required_under(circumstances_of(job, conditions), *job.scenario);
  const Played own = play(job, host, rules, conditions);
  if (story) tell(job, own, conditions);
  Result out;
  out.marks[0] = mark(required, own.cast, own.outcome);
  if (conditions.odds) out.marks[kOdds] = mark_odds(required, own);
  if (alone) judge_others(job, alone, conditions, out);
  if (conditions.lost_percent > 0) {
    Conditions all = conditions;
    all.lost_percent = 0;
    Host whole = host_of(job, all);
    out.other = verdicts(own.outcome) != verdicts(play(job, whole, rules, all).outcome);
  }
  return out;
}

}  // namespace fmd::score
