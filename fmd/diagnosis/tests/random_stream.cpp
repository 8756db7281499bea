#include "fmd/diagnosis/tests/random_stream.h"

#include <random>

namespace fmd::test {
namespace {

void read(Rig& rig, int n, const std::string& name, int64_t value, Moment now) {
  InventoryUpdate update;
  update.source = "smart";
  update.merge = true;
  update.resources.emplace_back();
  update.resources.back().fmri = Rig::disk(n);
  update.resources.back().properties[name] = value;
  update.resources.back().properties["transport"] = std::string("sata");
  rig.engine->on_inventory(update, now);
}

}  // namespace

std::vector<Step> random_stream(unsigned seed, int length) {
  std::mt19937 random(seed);
  std::vector<Step> steps;
  int64_t now = kStart, steady = kStart;
  steps.push_back([seed](Rig& rig) {
    // In half of the histories the disks are known only later.
    for (int n = 1; n <= 2 && seed % 2; ++n) rig.put_disk(n, kStart);
    rig.put("zfs://pool=1", "zfs-pool", {{"error_t", int64_t{90}}},
            {{Relation::redundancy, Rig::vdev(1)}}, kStart);
  });
  const char* const kClasses[] = {"ereport.t.error", "ereport.t.error",   "ereport.t.error",
                                  "ereport.t.other", "ereport.t.dead",    "ereport.t.noise",
                                  "ereport.t.stop",  "ereport.t.sub.one", "sysevent.t.removed",
                                  "sysevent.t.clear"};
  const char* const kStates[] = {"ONLINE", "REMOVED", "GONE", "FAULTED"};
  const char* const kServices[] = {"in-service", "degraded", "out-of-service"};
  for (int i = 0; i < length; ++i) {
    const int64_t passes =
        static_cast<int64_t>(random() % 20) * kSecond + (random() % 40 == 0 ? 20 * kMinute : 0);
    now += passes;
    steady += passes;
    if (random() % 40 == 0) now -= 90 * kMinute;  // the clock is set back
    const Moment at{now, steady};
    const int n = static_cast<int>(random() % 3) + 1;
    const unsigned what = random() % 44, pick = random();
    const int64_t late =
        random() % 4 ? 0 : static_cast<int64_t>(random() % 200) * kSecond - 100 * kSecond;
    if (what < 11) {
      const std::string event_class = kClasses[pick % std::size(kClasses)];
      steps.push_back([=](Rig& rig) {
        Event e = rig.event(event_class, Rig::vdev(n), now + late, {{"why", std::string("x")}});
        e.ena = pick % 3;
        rig.take(e, at);
      });
    } else if (what < 14) {
      const std::string state = kStates[pick % 4], service = kServices[pick % 3];
      steps.push_back([=](Rig& rig) {
        rig.put(Rig::vdev(n), "zfs-vdev",
                {{"name", "v"},
                 {"state", state},
                 {"service", service},
                 {"health", state},
                 {"error_n", int64_t{pick % 4}}},
                {{Relation::redundancy, Rig::disk(n)}}, at);
      });
    } else if (what < 16) {
      const char* const kReasons[] = {"removed", "replaced", "detached", "removed"};
      const std::string reason = kReasons[pick % 4];
      steps.push_back(
          [=](Rig& rig) { rig.gone(pick % 2 ? Rig::vdev(n) : Rig::disk(n), reason, at); });
    } else if (what == 16) {
      steps.push_back([=](Rig& rig) {
        rig.put(Rig::disk(n), "disk", {{"serial", "S"}, {"temperature", int64_t{pick % 80}}}, {},
                at, pick % 2 ? "" : "smart");
      });
    } else if (what == 17) {
      const auto verdict = static_cast<Engine::Verdict>(pick % 3);
      steps.push_back(
          [=](Rig& rig) { (void)rig.engine->judge(verdict, "", Rig::vdev(n), "root", at); });
    } else if (what == 18) {
      steps.push_back([=](Rig& rig) {
        if (rig.engine->cases().empty()) return;
        Action a{static_cast<ActionKind>(pick % 3), Rig::vdev(n)};
        a.state = pick % 2 ? ActionState::done : ActionState::running;
        a.time_ns = now;
        const std::string uuid = rig.engine->cases().rbegin()->first;
        rig.engine->record_action(uuid, a, "did", at);
        rig.engine->set_owed(uuid, pick % 3 == 0, at);
      });
    } else if (what < 32) {
      // Counters that grow, jump and are reset, and a limit that comes and goes.
      const char* const kNames[] = {"bad", "crc", "temperature", "temperature_limit"};
      const std::string name = kNames[what % 4];
      const int64_t value = name.starts_with("temp") ? 40 + pick % 40 : i / 8 + pick % 5;
      steps.push_back([=](Rig& rig) { read(rig, 1, name, pick % 9 ? value : 0, at); });
    } else if (what == 32) {
      steps.push_back([=](Rig& rig) {
        if (!rig.engine->cases().empty())
          (void)rig.engine->acknowledge(rig.engine->cases().rbegin()->first, "root", "", at);
      });
    } else if (what == 33) {
      steps.push_back([=](Rig& rig) {  // another disk in the bay
        rig.put(Rig::bay(n), "bay", {{"label", "SLOT"}},
                {{Relation::contains, Rig::disk(static_cast<int>(pick % 3) + 1)}}, at);
      });
    } else if (what == 34) {
      const auto verdict = static_cast<Engine::Verdict>(pick % 3);
      steps.push_back(
          [=](Rig& rig) { (void)rig.engine->judge(verdict, "", Rig::disk(n), "root", at); });
    } else if (what < 37) {
      steps.push_back([=](Rig& rig) {
        if (pick % 3 == 0) return rig.send("ereport.t.sub.one", Rig::disk(n), now);
        for (int k = 0; k < 3; ++k) rig.take(rig.event("ereport.t.error", Rig::vdev(n), now), at);
      });
    } else if (what == 37) {
      steps.push_back([=](Rig& rig) { rig.put_disk(n, at); });
    } else if (what == 38) {  // two vdevs on one disk, or one that has lost its disk
      steps.push_back([=](Rig& rig) {
        std::vector<Edge> edges{{Relation::redundancy, Rig::disk(pick % 2 ? n : n % 3 + 1)}};
        if (pick % 3 == 0) edges.clear();
        rig.put(Rig::vdev(n), "zfs-vdev", {{"service", "in-service"}}, edges, at);
      });
    } else if (what == 39) {
      steps.push_back([=](Rig& rig) {
        std::vector<std::string> uuids;
        for (const auto& [uuid, c] : rig.engine->cases()) uuids.push_back(uuid);
        if (!uuids.empty()) rig.engine->forget_case(uuids[pick % uuids.size()]);
      });
    } else if (what == 40) {
      steps.push_back([=](Rig& rig) {
        (void)rig.engine->judge(Judgement::acquitted, "", Rig::bay(n), "root", at);
      });
    } else {
      steps.push_back([=](Rig& rig) { rig.engine->on_time(at); });
    }
  }
  return steps;
}

}  // namespace fmd::test
