#include "fmd/daemon/pipeline.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "fmd/model/self_events.h"
#include "fmd/notify/message.h"

namespace fmd {
namespace {

constexpr int64_t kSecond = 1000000000;
constexpr int64_t kMs = 1000000;

const char* const kEvents = R"(
[class."ereport.test.broken"]
description = "broken at once"
[class."ereport.test.error"]
description = "three are a fault"
[class."sysevent.test.fine"]
description = "fine again"
[class."ereport.fmd.store.full"]
description = "no room"
[class."ereport.fmd.store.failed"]
description = "cannot write"
[class."sysevent.fmd.store.ok"]
description = "can write again"
[class."ereport.fmd.store.damaged"]
description = "damaged"
)";

std::string fault_text(const std::string& fault, int number) {
  return "[[fault]]\nclass = \"" + fault +
         "\"\ndictionary = \"TEST\"\nnumber = " + std::to_string(number) +
         "\nseverity = \"Major\"\ntitle = \"t\"\ndescription = \"d\"\nresponse = \"r\"\nimpact = "
         "\"i\"\naction = \"a\"\n";
}

std::string rules_text() {
  return R"(
[[rule]]
name = "broken"
kind = "immediate"
events = ["ereport.test.broken"]
fault = "fault.test.broken"
[[rule]]
name = "errors"
kind = "serd"
events = ["ereport.test.error"]
count = 3
within = "10min"
fault = "fault.test.errors"
[[rule]]
name = "full"
kind = "immediate"
events = ["ereport.fmd.store.full", "ereport.fmd.store.failed"]
fault = "fault.test.full"
[[rule]]
name = "damaged"
kind = "immediate"
events = ["ereport.fmd.store.damaged"]
fault = "fault.test.damaged"
)" + fault_text("fault.test.broken", 1) +
         "[fault.repair]\non = [\"sysevent.test.fine\"]\n" + fault_text("fault.test.errors", 2) +
         fault_text("fault.test.full", 3) + "[fault.repair]\non = [\"sysevent.fmd.store.ok\"]\n" +
         fault_text("fault.test.damaged", 4);
}

class PipelineTest : public ::testing::Test {
 protected:
  void SetUp() override {
    signal(SIGXFSZ, SIG_IGN);
    dir_ = std::filesystem::temp_directory_path() / ("fmd-pipeline-" + std::to_string(getpid()));
    std::filesystem::remove_all(dir_);
    std::filesystem::create_directory(dir_);
    auto [schema, schema_errors] = EventSchema::load({{"events.toml", kEvents}});
    auto [rules, errors] = RuleSet::load({{"rules.toml", rules_text()}}, schema);
    for (const auto& list : {schema_errors, errors})
      for (const Error& error : list) ADD_FAILURE() << error.text();
    rules_ = rules;
    open();
  }

  void TearDown() override {
    close();
    std::filesystem::remove_all(dir_);
  }

  void open() {
    auto store = Store::open(dir_, wall_);
    ASSERT_TRUE(store) << store.error().text();
    store_ = std::move(*store);
    engine_ =
        std::make_unique<Engine>(rules_, [this] { return "uuid-" + std::to_string(++uuids_); });
    reconciler_ = std::make_unique<Reconciler>(*engine_, ActionConfig{});
    outbox_ = std::make_unique<Outbox>();
    outbox_->set_notifiers({{"mail", {}}});
    const auto rows = store_->load_state();
    ASSERT_TRUE(rows) << rows.error().text();
    EXPECT_TRUE(engine_->restore(*rows));
    EXPECT_TRUE(outbox_->restore(*rows));
    Pipeline::Hooks hooks;
    hooks.handled = [](std::string_view) { return true; };
    hooks.command = [this](const Command& command) { commands_.push_back(command); };
    hooks.compose = [this](const Case& c, std::string_view event) {
      return compose_message(c, event, {"host", engine_->inventory()});
    };
    hooks.changed = [this](const Changes& changes) { changes_.push_back(changes); };
    hooks.inventory_changed = [](const InventoryUpdate& update, const std::vector<InventoryChange>&,
                                 int64_t) {
      return std::vector<StateRow>{{"tenancy", update.source, "{}"}};
    };
    hooks.own_rows = [] { return std::vector<StateRow>{{"cursor", "test", "{}"}}; };
    hooks.hold_sources = [this](bool on) { held_ = on; };
    hooks.log = [](int, const std::string&) {};
    pipeline_ = std::make_unique<Pipeline>(
        *engine_, *reconciler_, *outbox_, *store_,
        Clock{[this] { return wall_; }, [this] { return mono_; }}, std::move(hooks));
    (void)pipeline_->flush();
    changes_.clear();
  }

  void close() {
    pipeline_.reset();
    reconciler_.reset();
    engine_.reset();
    store_.reset();
  }

  Work events(const std::string& event_class, int count,
              const std::string& resource = "dev://serial=A") {
    Work work;
    for (int i = 0; i < count; ++i) {
      Event event = self_event(event_class, resource, {}, wall_ + i);
      event.source = "test";
      work.events.push_back(std::move(event));
    }
    work.committed = [this] { ++acked_; };
    return work;
  }

  void pass(int64_t ns) {
    wall_ += ns;
    mono_ += ns;
    pipeline_->run();
  }

  // No file may grow beyond so many bytes: a full disk.
  void limit(rlim_t bytes) {
    rlimit now{};
    getrlimit(RLIMIT_FSIZE, &now);
    now.rlim_cur = bytes;
    ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &now), 0);
  }

  const Case* case_about(const std::string& resource) {
    for (const auto& [uuid, c] : engine_->cases())
      if (!c.suspects.empty() && c.suspects[0].resource == resource) return &c;
    return nullptr;
  }

  std::filesystem::path dir_;
  std::shared_ptr<const RuleSet> rules_;
  std::unique_ptr<Store> store_;
  std::unique_ptr<Engine> engine_;
  std::unique_ptr<Reconciler> reconciler_;
  std::unique_ptr<Outbox> outbox_;
  std::unique_ptr<Pipeline> pipeline_;
  std::vector<Command> commands_;
  std::vector<Changes> changes_;
  int64_t wall_ = 1790000000 * kSecond, mono_ = 1000 * kSecond;
  int uuids_ = 0, acked_ = 0;
  bool held_ = false;
};

TEST_F(PipelineTest, ALoneBatchIsCommittedAtOnceWhenIdle) {
  pass(kSecond);
  pipeline_->submit(events("ereport.test.error", 1));
  EXPECT_EQ(acked_, 0);
  EXPECT_EQ(pipeline_->next_wake_ns(), mono_);
  pipeline_->run();
  EXPECT_EQ(acked_, 1);
  EXPECT_EQ(store_->last_seq(), 1u);
}

TEST_F(PipelineTest, SmallBatchesAreGroupedForAtMostFiftyMilliseconds) {
  pass(kSecond);
  pipeline_->submit(events("ereport.test.error", 1));
  pipeline_->run();
  const uint64_t commits = pipeline_->commits();
  for (int i = 0; i < 5; ++i) {
    pipeline_->submit(events("ereport.test.error", 1));
    pass(9 * kMs);
  }
  EXPECT_EQ(pipeline_->commits(), commits);
  EXPECT_EQ(acked_, 1);
  ASSERT_EQ(pipeline_->next_wake_ns(), mono_ + 5 * kMs);
  pass(5 * kMs);
  EXPECT_EQ(pipeline_->commits(), commits + 1) << "one transaction for all five";
  EXPECT_EQ(acked_, 6);
}

TEST_F(PipelineTest, AThousandQueuedEventsAreCommittedWithoutWaiting) {
  pass(kSecond);
  pipeline_->submit(events("ereport.test.error", 1));
  pipeline_->run();
  pipeline_->submit(events("ereport.test.error", 999, "dev://serial=B"));
  pipeline_->run();
  EXPECT_EQ(acked_, 1);
  pipeline_->submit(events("ereport.test.error", 1));
  EXPECT_EQ(pipeline_->next_wake_ns(), mono_);
  pipeline_->run();
  EXPECT_EQ(acked_, 3);
  EXPECT_EQ(store_->last_seq(), 1001u);
}

TEST_F(PipelineTest, ItIsUrgentWhenMuchIsQueuedOrSomethingWaitsLong) {
  pass(kSecond);
  EXPECT_FALSE(pipeline_->urgent());
  pipeline_->submit(events("ereport.test.error", 1));
  EXPECT_FALSE(pipeline_->urgent());
  mono_ += Pipeline::kMaxWaitNs;
  EXPECT_TRUE(pipeline_->urgent());
  pipeline_->run();
  EXPECT_FALSE(pipeline_->urgent());
  pipeline_->submit(events("ereport.test.error", 7999));
  EXPECT_FALSE(pipeline_->urgent());
  pipeline_->submit(events("ereport.test.error", 1));
  EXPECT_TRUE(pipeline_->urgent());
}

TEST_F(PipelineTest, OneTransactionHoldsEventCaseCursorAndMessage) {
  Work work = events("ereport.test.broken", 1);
  work.rows.push_back({"cursor", "test", R"({"cursor":"7"})"});
  pipeline_->submit(std::move(work));
  ASSERT_TRUE(pipeline_->flush());
  EXPECT_EQ(acked_, 1);
  close();
  open();
  EXPECT_EQ(store_->last_seq(), 1u);
  ASSERT_EQ(engine_->cases().size(), 1u);
  EXPECT_EQ(outbox_->waiting(), 1u);
  EXPECT_EQ(store_->load_state("cursor")->size(), 1u);
}

TEST_F(PipelineTest, ChangesAreToldAfterTheCommit) {
  pipeline_->submit(events("ereport.test.broken", 1));
  EXPECT_TRUE(changes_.empty());
  ASSERT_TRUE(pipeline_->flush());
  ASSERT_EQ(changes_.size(), 1u);
  EXPECT_EQ(changes_[0].last_seq, 1u);
  ASSERT_EQ(changes_[0].cases.size(), 1u);
  EXPECT_EQ(changes_[0].cases.begin()->second, "diagnosed");
  ASSERT_EQ(changes_[0].news.size(), 1u);
  EXPECT_EQ(changes_[0].news[0].event, "diagnosed");
}

TEST_F(PipelineTest, SerdEngineGoesOnAfterARestart) {
  pipeline_->submit(events("ereport.test.error", 2));
  ASSERT_TRUE(pipeline_->flush());
  close();
  open();
  EXPECT_TRUE(engine_->cases().empty());
  wall_ += kSecond;
  pipeline_->submit(events("ereport.test.error", 1));
  ASSERT_TRUE(pipeline_->flush());
  EXPECT_EQ(engine_->cases().size(), 1u);
  EXPECT_EQ(store_->last_seq(), 3u);
}

TEST_F(PipelineTest, FullDiskAcksNothingSaysSoAndLosesNothing) {
  pipeline_->submit(events("ereport.test.broken", 1, "dev://serial=before"));
  ASSERT_TRUE(pipeline_->flush());
  acked_ = 0;
  limit(4096);
  pipeline_->submit(events("ereport.test.broken", 1, "dev://serial=while"));
  const auto outcome = pipeline_->flush();
  ASSERT_FALSE(outcome);
  EXPECT_TRUE(store_->is_full()) << outcome.error().text();
  EXPECT_EQ(acked_, 0);
  EXPECT_TRUE(held_) << "sources are not read";
  EXPECT_TRUE(pipeline_->failing());
  const Case* full = case_about(kStoreResource);
  ASSERT_NE(full, nullptr) << "the case is visible although it cannot be written";
  EXPECT_EQ(full->state, CaseState::solved);

  int64_t waited = 0;
  for (int64_t wait : {1, 2, 4, 8, 8}) {
    ASSERT_EQ(pipeline_->next_wake_ns(), mono_ + wait * kSecond);
    pass(wait * kSecond);
    waited += wait;
    EXPECT_EQ(acked_, 0);
  }
  limit(RLIM_INFINITY);
  pass(8 * kSecond);
  EXPECT_FALSE(pipeline_->failing());
  EXPECT_EQ(acked_, 1);
  EXPECT_FALSE(held_);
  pass(Pipeline::kMaxWaitNs);
  full = case_about(kStoreResource);
  ASSERT_NE(full, nullptr);
  EXPECT_EQ(full->state, CaseState::resolved);
  close();
  open();
  EXPECT_NE(case_about("dev://serial=before"), nullptr);
  EXPECT_NE(case_about("dev://serial=while"), nullptr);
  EXPECT_EQ(store_->last_seq(), 4u) << "two, the store being full, and the store being well";
}

TEST_F(PipelineTest, AnAdministratorIsToldThatTheChangeIsNotOnDisk) {
  pipeline_->submit(events("ereport.test.broken", 1));
  ASSERT_TRUE(pipeline_->flush());
  limit(4096);
  const auto judged = engine_->judge(Engine::Verdict::repaired, "uuid-1", "", "root", wall_);
  ASSERT_TRUE(judged) << judged.error().text();
  const auto written = pipeline_->flush();
  limit(RLIM_INFINITY);
  ASSERT_FALSE(written);
  EXPECT_NE(written.error().message.find("not on disk"), std::string::npos);
}

}  // namespace
}  // namespace fmd
