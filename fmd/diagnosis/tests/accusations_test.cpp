// The indexes say what looking at everything says, at every moment of random histories.
#include "fmd/diagnosis/accusations.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "fmd/base/tests/share.h"
#include "fmd/diagnosis/suspect_text.h"
#include "fmd/diagnosis/tests/common_rig.h"
#include "fmd/diagnosis/tests/plain_search.h"

namespace fmd {
namespace {

using namespace test;
using With = Accusations::With;

constexpr const char* kMoreRules = R"(
[[rule]]
name = "machine"
kind = "common"
faults = ["fault.t.wrong"]
in_common = "machine itself"
parts = "disk"
count = 3
proof = "both"
undecided = 3
within = "10min"
wait = "0s"
signs_wait = "10min"
begun = 2
fault = "fault.t.shared"

[[rule]]
name = "kinds"
kind = "common"
faults = ["fault.t.lost", "fault.t.link"]
along = ["path", "contains"]
parts = ["disk", "expander"]
kinds = 2
count = 2
within = "20s"
wait = "1s"
signs_wait = "1min"
fault = "fault.t.shared"
)";

// Two controllers, each with expanders behind it, disks behind these and some on paths of both; the parts of an engine
// by themselves.
class World {
 public:
  explicit World(unsigned seed) : schema_(schema_of(kSchema)), random_(seed) {
    context.rules = rules_of(std::string(kCommonRules) + kMoreRules, schema_);
    context.now = kStart;
    serds.set_rules(context.rules);
    for (int n = 0; n < 4; ++n) {
      for (int i = 0; i < kEach; ++i) {
        put(disk(n * kEach + i), "disk", {});
        if (chance(4)) put(fmt::format("path://{}", n * kEach + i), "path", {disk(n * kEach + i)});
      }
      lead(n);
    }
    for (const int h : {0, 1}) put_hba(h);
  }

  void step() {
    const auto passes = static_cast<int64_t>(random_() % 30) * kSecond / (1 + random_() % 4);
    context.now.wall_ns += passes;
    context.now.steady_ns += passes;
    if (chance(60)) context.now.wall_ns -= 20 * kMinute;
    book.begin(context.now);
    switch (random_() % 12) {
      case 0:
      case 1:
      case 2:
        return find();
      case 3:
        return end();
      case 4:
      case 5:
        return convict();
      case 6:
        return change_case();
      case 7:
      case 8:
      case 9:
        return count();
      case 10:
        return change_part();
      default:
        return chance(3) ? lead(static_cast<int>(random_() % 4)) : explain();
    }
  }

  void compare() {
    for (const Rule& rule : context.rules->rules()) {
      if (rule.kind != RuleKind::common) continue;
      const int64_t since = context.now.steady_ns -
                            static_cast<int64_t>(random_() % 700) * kSecond / (1 + random_() % 20);
      for (const With with : {With::findings, With::begun, With::gone}) compare(rule, since, with);
    }
  }

  size_t found = 0, doubts = 0, on_ways = 0, absent = 0, apart = 0;

 private:
  static constexpr int kEach = 5, kDisks = 4 * kEach;

  static std::string disk(int n) { return fmt::format("dev://disk={:02}", n); }
  std::string any_disk() {
    return disk(static_cast<int>(random_() % (kDisks + 1)));
  }  // one is not known
  bool chance(unsigned one_in) { return random_() % one_in == 0; }

  void apply(const InventoryUpdate& update) {
    const auto changes = context.inventory.apply(update);
    context.paths.observe(context.inventory, changes);
    for (const InventoryChange& change : changes) {
      const Resource* r = context.inventory.find(change.fmri);
      context.left_changes +=
          r && !r->present ? context.left.try_emplace(change.fmri, context.now.steady_ns).second
                           : context.left.erase(change.fmri);
    }
  }
  void put(const std::string& fmri, const char* type, const std::vector<std::string>& to) {
    InventoryUpdate update;
    update.source = "t";
    Resource& r = update.resources.emplace_back();
    r.fmri = fmri;
    r.type = type;
    for (const std::string& one : to) r.edges.push_back({Relation::path, one});
    apply(update);
  }
  void lead(int n) {
    std::vector<std::string> to;
    for (int i = 0; i < kEach; ++i) {
      if (chance(8)) continue;
      const std::string path = fmt::format("path://{}", n * kEach + i);
      to.push_back(context.inventory.find(path) && chance(2) ? path : disk(n * kEach + i));
    }
    if (chance(6)) to.push_back(disk(kDisks));
    put(fmt::format("dev://expander={}", n), "expander", to);
  }
  void put_hba(int n) {
    std::vector<std::string> to{fmt::format("dev://expander={}", 2 * n)};
    to.push_back(fmt::format("dev://expander={}", 2 * n + 1));
    if (chance(3)) to.push_back(fmt::format("dev://expander={}", 2 * (1 - n)));
    put(fmt::format("dev://hba={}", n), "hba", to);
  }

  const Rule& any_rule() {
    for (;;) {
      const Rule& rule = context.rules->rules()[random_() % context.rules->rules().size()];
      if (rule.kind != RuleKind::common) return rule;
    }
  }
  std::set<std::string> any_ways() {
    std::set<std::string> out;
    for (const auto& [fmri, r] : context.inventory.all())
      if (r.type == "path" && chance(10)) out.insert(fmri);
    return out;
  }
  void find() {
    Hold hold;
    hold.part = chance(15) ? "dev://expander=1" : any_disk();
    const RuleKey key{chance(3) ? "zfs://" + hold.part : hold.part, any_rule().name};
    hold.since_ns = context.now.steady_ns - (chance(3) ? kMinute : 0);
    if (chance(4)) hold.ways = any_ways();
    Case& c = book.open(fmt::format("case-{}", ++cases_), key.resource);
    if (chance(10)) c.facts[kFoundSo] = "true";
    hold.uuid = c.uuid;
    holds.begin(key, hold, context.now.steady_ns + kMinute);
  }
  const RuleKey* any_hold() {
    if (holds.all().empty()) return nullptr;
    return &std::next(holds.all().begin(), static_cast<long>(random_() % holds.all().size()))
                ->first;
  }
  void end() {
    if (const RuleKey* key = any_hold()) holds.end(RuleKey(*key));
  }
  void explain() {
    if (const RuleKey* key = any_hold()) holds.explain(RuleKey(*key), "cause");
  }
  void convict() {
    const Rule& rule = any_rule();
    Suspect s;
    s.resource = chance(4) ? fmt::format("path://{}", random_() % kDisks) : any_disk();
    if (chance(2)) s.fru = s.resource;
    s.fault_class = rule.fault->name;
    if (chance(10)) s.facts[kFoundSo] = "true";
    if (chance(5)) s.facts[kBesideSigns] = "true";
    Case& c = book.open(fmt::format("case-{}", ++cases_), s.resource);
    c.state = CaseState::solved;
    c.solved_steady_ns = context.now.steady_ns;
    c.rules = {chance(8) ? "other" : rule.name};
    c.suspects.push_back(std::move(s));
    book.touch(c);
  }
  void change_case() {
    if (book.all().empty()) return;
    Case* c = book.find(
        std::next(book.all().begin(), static_cast<long>(random_() % book.all().size()))->first);
    if (!c->open() || c->state == CaseState::unsolved) return;
    switch (random_() % 4) {
      case 0:
        return book.discard(*c);
      case 1:
        return book.resolve(*c, "note", "over");
      case 2:
        c->suspects.front().fru = any_disk();
        break;
      default:
        c->suspects.front().status = SuspectStatus::acquitted;
    }
    book.touch(*c);
  }
  void count() {
    const Rule* rule = context.rules->find(chance(3) ? "errors" : "wrong");
    Event e;
    e.seq = ++seq_;
    e.event_class = "ereport.t.other";
    e.resource = any_disk();
    e.time_ns = context.now.wall_ns - (chance(3) ? kMinute : 0);
    e.ena = seq_;
    serds.take(static_cast<uint32_t>(rule - context.rules->rules().data()), e, context.now.wall_ns);
    if (chance(20)) serds.reset(e.resource);
  }
  void change_part() {
    InventoryUpdate update;
    update.source = "t";
    const std::string fmri = any_disk();
    const Resource* r = context.inventory.find(fmri);
    if (chance(3) || !r) {
      update.gone.push_back({fmri, chance(5) ? "destroyed" : "removed", ""});
    } else if (chance(2)) {
      update.merge = true;
      update.resources.push_back(
          {fmri, "disk", {{"temperature", Value(int64_t(random_() % 9))}}, {}, true, {}});
    } else {
      update.resources.push_back({fmri, "disk", {}, {}, true, {}});
    }
    apply(update);
  }

  using Told = std::tuple<std::vector<std::string>, std::vector<std::string>, size_t, size_t,
                          size_t, size_t, std::vector<std::string>>;
  static std::optional<Told> told(const std::optional<CommonCause>& found) {
    if (!found) return {};
    return Told(found->lowest, found->higher, found->count, found->below, found->elsewhere,
                found->elsewhere_failing, found->failing);
  }
  void compare(const Rule& rule, int64_t since, With with) {
    const Accused plain = plain_accused(context, book, holds, serds, rule, since, with);
    Crowd& crowd = index.at(rule, since, with);
    Accused seen;
    for (Hanging::Id part = 0; part < crowd.hanging().parts(); ++part)
      if (crowd.contains(part)) seen[crowd.hanging().part_name(part)] = crowd.ways(part);
    ASSERT_EQ(seen, plain) << rule.name << " with " << static_cast<int>(with);
    ASSERT_EQ(crowd.size(), plain.size());
    const Topology topology(context.inventory, context.paths, rule);
    const auto named = [&](std::optional<CommonCause> one) {
      if (one) name_failing(*one, crowd);
      return told(one);
    };
    for (const auto& [part, ways] : plain) {
      const auto cause = plain_cause(context.inventory, topology, rule, part, plain);
      ASSERT_EQ(named(common_cause(context.inventory, crowd, rule, part)), told(cause))
          << rule.name << " " << part;
      const auto doubt = plain_doubt(context.inventory, topology, rule, part, plain);
      ASSERT_EQ(named(common_doubt(context.inventory, crowd, rule, part)), told(doubt))
          << rule.name << " " << part;
      for (const auto& one : {cause, doubt}) {
        if (!one || with != With::findings) continue;
        const auto times = index.firsts(rule, since, one->failing);
        const auto [first, last] = std::minmax_element(times.begin(), times.end());
        ASSERT_EQ(index.span(rule, since, one->lowest.front()), *last - *first)
            << rule.name << " " << part;
        apart += *last != *first;
      }
      found += cause.has_value();
      doubts += doubt.has_value();
      on_ways += !ways.empty();
      const Resource* r = context.inventory.find(part);
      absent += r && !r->present;
    }
  }

  EventSchema schema_;
  std::mt19937 random_;
  int cases_ = 0;
  uint64_t seq_ = 0;
  Context context;
  CaseBook book{context.inventory};
  HoldBank holds;
  SerdBank serds{context.inventory};
  Accusations index{context, book, holds, serds};
};

TEST(Accusations, SayWhatLookingAtAllSays) {
  size_t found = 0, doubts = 0, on_ways = 0, absent = 0, apart = 0;
  for (unsigned seed = 1; seed <= share_of(60); ++seed) {
    World world(seed);
    for (int i = 0; i < 160; ++i) {
      world.step();
      if (i % 4 == 3) world.compare();  // so that they have several changes to catch up with
      if (::testing::Test::HasFatalFailure()) FAIL() << "seed " << seed << ", step " << i;
    }
    found += world.found;
    doubts += world.doubts;
    on_ways += world.on_ways;
    absent += world.absent;
    apart += world.apart;
  }
  EXPECT_GT(found, share_of(1000));
  EXPECT_GT(doubts, share_of(1000));
  EXPECT_GT(on_ways, share_of(1000));
  EXPECT_GT(absent, share_of(1000));
  EXPECT_GT(apart, share_of(1000));
}

}  // namespace
}  // namespace fmd
