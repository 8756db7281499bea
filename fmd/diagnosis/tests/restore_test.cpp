// A stop and start at any point changes nothing: a stream of events, inventory, judgements and time
// is run once without and, for each point of it, once with a restart there; all that can be seen
// must be the same.
#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <sstream>

#include "fmd/base/json.h"
#include "fmd/base/tests/share.h"
#include "fmd/diagnosis/engine.h"
#include "fmd/diagnosis/tests/random_stream.h"
#include "fmd/diagnosis/tests/rig.h"

namespace fmd {
namespace {

using test::keep;
using test::kSecond;
using test::kStart;
using test::random_stream;
using test::restart;
using test::Rig;
using test::Rows;
using test::Step;

std::string picture(Rig& rig, const Rows& rows, const std::string& news) {
  nlohmann::json doc;
  for (const auto& [uuid, c] : rig.engine->cases()) doc["cases"][uuid] = to_json(c);
  for (const auto& [fmri, r] : rig.engine->inventory().all())
    doc["resources"][fmri] = Inventory::to_json(r);
  for (const SerdView& s : rig.engine->serd_engines())
    doc["serd"][s.rule + s.resource] = {s.count,     s.n,         s.within_ns,
                                        s.oldest_ns, s.newest_ns, s.fired};
  for (const auto& [key, text] : rows) {
    nlohmann::json row = nlohmann::json::parse(text);
    row.erase("order");  // only which is greater matters; a number whose row is gone may come again
    row.erase("upto");
    doc["rows"][key.first + key.second] = row;
  }
  doc["deadline"] = rig.engine->next_deadline_ns().value_or(0);
  doc["news"] = news;
  return doc.dump(1);
}

// All that a run is before a step, as a crash there leaves it.
struct Point {
  Rows rows;
  std::string news;
  int cases = 0;
  uint64_t seq = 0;
  std::vector<std::pair<Event, Moment>> journal;
};

// With which of the commits a checkpoint goes.
using Checkpoints = std::function<bool(size_t step)>;
bool each(size_t) {
  return true;
}

// Runs on from a step; what it then looks like. passed: gets the points on the way.
std::string run(Rig& rig, Point now, const std::vector<Step>& steps, size_t from,
                const Checkpoints& checkpoints, std::vector<Point>* passed) {
  for (size_t i = from; i < steps.size(); ++i) {
    if (passed) passed->push_back({now.rows, now.news, rig.cases, rig.seq, rig.journal});
    steps[i](rig);
    rig.engine->write_out();  // what may be lost of readings: condition_test.cpp
    keep(*rig.engine, now.rows, checkpoints(i) || i + 1 == steps.size());
    now.news += rig.news() + ";";
  }
  return picture(rig, now.rows, now.news);
}

std::string run_restarted(const Point& point, const std::vector<Step>& steps, size_t from,
                          const Checkpoints& checkpoints) {
  Rig rig;
  rig.cases = point.cases;
  rig.seq = point.seq;
  rig.journal = point.journal;
  restart(rig, point.rows);
  return run(rig, point, steps, from, checkpoints, nullptr);
}

// The first line in which two pictures differ; a whole picture is too much to read.
std::string difference(const std::string& a, const std::string& b) {
  std::istringstream left(a), right(b);
  std::string path, l, r;
  while (std::getline(left, l) && std::getline(right, r) && l == r)
    if (l.ends_with('{') || l.ends_with('[')) path = l;
  return l == r ? "" : path + "\n" + l + "\n" + r;
}

TEST(Restore, AtEveryPointChangesNothing) {
  for (unsigned seed = 1; seed <= share_of(6); ++seed) {
    const std::vector<Step> steps = random_stream(seed, 80);
    Rig never_stopped;
    std::vector<Point> points;
    const std::string expected = run(never_stopped, {}, steps, 0, each, &points);
    ASSERT_EQ(points.size(), steps.size());
    for (size_t at = 0; at < steps.size(); ++at)
      ASSERT_EQ(difference(run_restarted(points[at], steps, at, each), expected), "")
          << "seed " << seed << ", restart before step " << at;
  }
}

// What was only counted is counted again from the journal: the same as if each commit had written it
// all. The restarts come at each point, the checkpoints now and then; news twice would be seen too.
TEST(Restore, TheTailIsCountedAgainExactly) {
  size_t left_out = 0, recounted = 0;
  for (unsigned seed = 1; seed <= share_of(8); ++seed) {
    const std::vector<Step> steps = random_stream(seed, 80);
    Rig all;
    const std::string expected = run(all, {}, steps, 0, each, nullptr);
    const Checkpoints seldom = [seed](size_t step) { return step * 7919 % (9 + seed) == 0; };
    Rig never_stopped;
    std::vector<Point> points;
    ASSERT_EQ(difference(run(never_stopped, {}, steps, 0, seldom, &points), expected), "")
        << "seed " << seed;
    for (size_t at = 0; at < steps.size(); ++at) {
      ASSERT_EQ(difference(run_restarted(points[at], steps, at, seldom), expected), "")
          << "seed " << seed << ", restart before step " << at;
      Rig rig;
      rig.journal = points[at].journal;
      rig.seq = points[at].seq;
      restart(rig, points[at].rows);
      recounted += rig.engine->uncounted() > 0;
    }
    left_out += points.size();
  }
  EXPECT_GT(recounted * 5, left_out) << "nothing was left to count: this tests nothing";
}

// A crash, a start, and another crash before anything is written.
TEST(Restore, TheTailIsCountedAgainAsOftenAsItTakes) {
  Rig rig;
  Rows rows;
  rig.put_disk(1, kStart);
  keep(*rig.engine, rows);
  rig.errors(1, Rig::vdev(1), kStart);
  keep(*rig.engine, rows, false);  // a new engine has a row at once
  rig.errors(1, Rig::vdev(1), kStart + kSecond);
  keep(*rig.engine, rows, false);
  for (int start = 0; start < 3; ++start) {
    restart(rig, rows);
    ASSERT_EQ(rig.engine->serd_engines().size(), 1u);
    EXPECT_EQ(rig.engine->serd_engines()[0].count, 2u);
    EXPECT_EQ(rig.news(), "");
    EXPECT_TRUE(rig.engine->cases().empty());
  }
  rig.send("ereport.t.error", Rig::vdev(1), kStart + 5 * kSecond);
  EXPECT_EQ(rig.news(), "diagnosed:1");
  keep(*rig.engine, rows, false);
  restart(rig, rows);
  EXPECT_EQ(rig.only_case().evidence_count, 3u);
  EXPECT_EQ(rig.news(), "") << "it was told";
}

// A store of a fmd that wrote all with each commit has no checkpoint: nothing is counted twice.
TEST(Restore, WithoutACheckpointTheRowsAreAll) {
  Rig rig;
  Rows rows;
  rig.errors(2, Rig::vdev(1), kStart);
  keep(*rig.engine, rows);
  rows.erase({"checkpoint", "events"});
  restart(rig, rows);
  EXPECT_EQ(rig.engine->serd_engines().at(0).count, 2u);
  EXPECT_TRUE(rig.engine->must_checkpoint());
  keep(*rig.engine, rows);
  EXPECT_EQ((rows[{"checkpoint", "events"}]), R"({"seq":2})");
  EXPECT_FALSE(rig.engine->must_checkpoint());
}

TEST(Restore, OtherRulesAskForACheckpointFirst) {
  Rig rig;
  Rows rows;
  rig.errors(1, Rig::vdev(1), kStart);
  keep(*rig.engine, rows);
  rig.engine->set_rules(rig.rules);
  EXPECT_FALSE(rig.engine->must_checkpoint()) << "nothing was left out";
  rig.errors(1, Rig::vdev(1), kStart);
  keep(*rig.engine, rows, false);
  rig.engine->set_rules(rig.rules);
  EXPECT_TRUE(rig.engine->must_checkpoint());
}

// The stream must do what it is there for: all states, all sorts of rows.
TEST(Restore, TheStreamsAreRich) {
  std::set<std::string> kinds, states, told, convicted;
  bool merged = false, acquitted = false, forgotten = false;
  for (unsigned seed = 1; seed <= 6; ++seed) {
    Rig rig;
    for (const Step& step : random_stream(seed, 80)) {
      step(rig);
      for (const StateRow& row : rig.engine->take_changes()) {
        kinds.insert(row.kind);
        acquitted |= row.kind == "condition" && row.doc.find("acquitted") != std::string::npos;
      }
      forgotten |= rig.engine->cases().size() < static_cast<size_t>(rig.cases);
      for (const auto& [uuid, c] : rig.engine->cases()) {
        states.insert(std::string(state_name(c.state)));
        if (c.state != CaseState::unsolved) convicted.insert(c.rules.begin(), c.rules.end());
        merged |= !c.merged_into.empty();
      }
      for (const CaseNews& n : rig.engine->take_news()) told.insert(n.event);
    }
  }
  EXPECT_TRUE(merged && acquitted && forgotten) << merged << acquitted << forgotten;
  EXPECT_EQ(kinds, (std::set<std::string>{"case", "checkpoint", "condition", "evidence", "growth",
                                          "hold", "item", "resource", "serd"}));
  for (const char* name : {"bad", "crc", "warm"}) EXPECT_TRUE(convicted.count(name)) << name;
  EXPECT_TRUE(states.count("UNSOLVED") && states.count("SOLVED") && states.count("REPAIRED") &&
              states.count("RESOLVED"));
  EXPECT_EQ(told, (std::set<std::string>{"diagnosed", "repaired", "resolved", "updated"}));
}

TEST(Restore, NineOfTenBeforeACrashFireOnTheNext) {
  Rig rig;
  Rows rows;
  rig.errors(2, Rig::vdev(1), kStart);
  keep(*rig.engine, rows);
  restart(rig, rows);
  rig.send("ereport.t.error", Rig::vdev(1), kStart + 5 * kSecond);
  EXPECT_EQ(rig.news(), "diagnosed:1");
  EXPECT_EQ(rig.only_case().evidence.front().event_class, "ereport.t.error");
  EXPECT_EQ(rig.only_case().evidence.front().seq, 1u);
}

TEST(Restore, ACaseOfAnOlderFmdLearnsItsOrderFromItsRule) {
  Rig rig;
  rig.put_disk(1, kStart);
  rig.errors(3, Rig::vdev(1), kStart);
  EXPECT_TRUE(rig.only_case().replaces);
  EXPECT_EQ(rig.only_case().urgency, "within days");
  Rows rows;
  keep(*rig.engine, rows);
  auto& row = rows.at({"case", rig.only_case().uuid});
  auto doc = nlohmann::json::parse(row);
  doc["urgency"] = "soon";
  row = doc.dump();
  restart(rig, rows);
  EXPECT_EQ(rig.only_case().urgency, "soon") << "an open case keeps what it was opened with";
  doc.erase("replaces");
  doc.erase("urgency");
  row = doc.dump();
  restart(rig, rows);
  EXPECT_TRUE(rig.only_case().replaces);
  EXPECT_EQ(rig.only_case().urgency, "within days");
}

TEST(Restore, DamagedRowsAreLeftOutAndNamed) {
  Rig rig;
  rig.errors(3, Rig::vdev(1), kStart);
  rig.errors(2, Rig::vdev(2), kStart);
  rig.send("ereport.t.dead", Rig::vdev(3), kStart);
  Rows rows;
  keep(*rig.engine, rows);
  rows[{"case", "2"}] = "{";  // the held one's
  rows[{"serd", "noblank"}] = "{}";
  rows[{"serd", "errors " + Rig::vdev(9)}] = "[]";
  rows[{"hold", "dead " + Rig::vdev(8)}] = "nonsense";
  rows[{"resource", "x y"}] = "{}";
  rows[{"condition", "missing " + Rig::vdev(7)}] = "{}";
  rows[{"serd", "norule " + Rig::vdev(7)}] = "{}";
  rows[{"cursor", "zfs"}] = "not ours";
  rig.engine = std::make_unique<Engine>(rig.rules, [&rig] { return std::to_string(++rig.cases); });
  std::vector<StateRow> list;
  for (const auto& [key, doc] : rows) list.push_back({key.first, key.second, doc});
  const auto restored = rig.engine->restore(list);
  ASSERT_FALSE(restored);
  EXPECT_EQ(restored.error().message, "stored case \"2\" is not a JSON object");
  EXPECT_EQ(rig.states(), "SOLVED");
  EXPECT_EQ(rig.engine->serd_engines().size(), 2u);
  std::set<std::string> cleaned;
  for (const StateRow& row : rig.engine->take_changes())
    if (row.doc.empty()) cleaned.insert(row.kind + " " + row.key);
  EXPECT_TRUE(cleaned.count("hold dead " + Rig::vdev(3)));
  EXPECT_TRUE(cleaned.count("serd norule " + Rig::vdev(7)));
  EXPECT_TRUE(cleaned.count("condition missing " + Rig::vdev(7)));
}

TEST(Restore, AllRowsAgainMakeTheSameStore) {
  Rig rig;
  Rows rows, again;
  for (const Step& step : random_stream(3, 60)) {
    step(rig);
    keep(*rig.engine, rows);
  }
  rig.engine->mark_all_changed();
  keep(*rig.engine, again);
  ASSERT_EQ(again.size(), rows.size());
  for (const auto& [key, text] : rows) {
    if (key.first != "case") {
      EXPECT_EQ(again[key], text);
      continue;
    }
    // A case's row has the evidence that there was when it was written last.
    nlohmann::json before = nlohmann::json::parse(text), now = nlohmann::json::parse(again[key]);
    for (const char* member : {"evidence", "evidence_count", "last_evidence"}) {
      before.erase(member);
      now.erase(member);
    }
    EXPECT_EQ(now, before);
  }
}

// The case that fired is gone (a damaged store): the engine must not be silent for good.
TEST(Restore, AFiredEngineWithoutItsCaseCountsAnew) {
  Rig rig;
  rig.errors(3, Rig::vdev(1), kStart);
  Rows rows;
  keep(*rig.engine, rows);
  rows.erase({"case", "1"});
  restart(rig, rows);
  rig.errors(3, Rig::vdev(1), kStart + kSecond);
  EXPECT_EQ(rig.states(), "SOLVED");
}

}  // namespace
}  // namespace fmd
