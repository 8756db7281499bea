// The pipeline on a store in a temporary folder, with clocks that the test sets, and a pool as its
// inventory. The consequences of commits are collected in lists.
#pragma once
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "fmd/base/json.h"
#include "fmd/daemon/carrier.h"
#include "fmd/daemon/pipeline.h"
#include "fmd/model/event_schema.h"
#include "fmd/model/self_events.h"

namespace fmd::test {

inline constexpr int64_t kSecond = 1000000000;
inline constexpr int64_t kMs = 1000000;
inline constexpr int64_t kDay = 86400 * kSecond;
inline constexpr const char* kVdev = "zfs://pool=1/vdev=1";

inline constexpr const char* kPipelineEvents = R"(
[class."ereport.test.broken"]
description = "broken at once"
[class."ereport.test.error"]
description = "three are a fault"
[class."ereport.test.vdev"]
description = "a vdev that is to be retired"
[class."sysevent.test.fine"]
description = "fine again"
[class."ereport.fmd.store.full"]
description = "no room"
[class."ereport.fmd.store.failed"]
description = "cannot write"
[class."sysevent.fmd.store.ok"]
description = "can write again"
[class."ereport.fmd.store.slow"]
description = "slow"
[class."sysevent.fmd.store.fast"]
description = "fast"
[class."ereport.fmd.store.damaged"]
description = "damaged"
)";

inline std::string rule_text(const std::string& name, const std::string& kind,
                             const std::string& events, const std::string& more = "") {
  return "[[rule]]\nname = \"" + name + "\"\nkind = \"" + kind + "\"\nevents = [" + events +
         "]\nfault = \"fault.test." + name + "\"\n" + more;
}

inline std::string fault_text(const std::string& name, int number, const std::string& more = "") {
  return "[[fault]]\nclass = \"fault.test." + name +
         "\"\ndictionary = \"TEST\"\nnumber = " + std::to_string(number) +
         "\nseverity = \"Major\"\ntitle = \"t\"\ndescription = \"d\"\nresponse = \"r\"\nimpact = "
         "\"i\"\naction = \"a\"\n" +
         more;
}

inline std::string pipeline_rules() {
  const std::string fine = "[fault.repair]\non = [\"sysevent.test.fine\"]\n";
  return rule_text("broken", "immediate", "\"ereport.test.broken\"") +
         rule_text("error", "serd", "\"ereport.test.error\"", "count = 3\nwithin = \"10min\"\n") +
         rule_text("vdev", "immediate", "\"ereport.test.vdev\"") +
         rule_text("full", "immediate",
                   "\"ereport.fmd.store.full\", \"ereport.fmd.store.failed\"") +
         rule_text("slow", "immediate", "\"ereport.fmd.store.slow\"") +
         fault_text("slow", 60, "[fault.repair]\non = [\"sysevent.fmd.store.fast\"]\n") +
         rule_text("damaged", "immediate", "\"ereport.fmd.store.damaged\"") +
         fault_text("broken", 1, fine) + fault_text("error", 2) +
         fault_text("full", 3, "[fault.repair]\non = [\"sysevent.fmd.store.ok\"]\n") +
         fault_text("damaged", 4) +
         "[[rule]]\nname = \"channel\"\nkind = \"state\"\ntype = \"channel\"\nproperty = "
         "\"delivery\"\n"
         "values = [\"failing\"]\nhold = \"30min\"\nfault = \"fault.test.channel\"\n" +
         fault_text("channel", 6, "[fault.repair]\nwhen_clear = true\n") +
         fault_text("vdev", 5, fine + "[fault.retire]\nfirst = \"out-of-service\"\n");
}

// Jobs are done on the spot; or, when held, as a disk that hangs: not before let_go().
class DirectJobs : public StoreJobs {
 public:
  explicit DirectJobs(Store& store) : store_(store) {}
  void run(Job job) override {
    waiting_.push_back(std::move(job));
    if (!held) let_go();
  }
  void ask(Job question) override { run(std::move(question)); }
  size_t collect(int64_t) override {
    size_t met = 0;
    while (!done_.empty())
      for (const Done& done : std::exchange(done_, {})) {
        ++met;
        if (done) done();
      }
    return met;
  }
  StoreFacts facts() override { return {store_.stats(), store_.moved_aside(), store_.is_full()}; }
  bool says_damaged = false;
  bool damaged() override { return says_damaged || store_.is_damaged(); }
  // Those that wait are done; collect() tells.
  void let_go() {
    while (!waiting_.empty()) let_one_go();
  }
  void let_one_go() {
    const Job job = std::move(waiting_.front());
    waiting_.erase(waiting_.begin());
    done_.push_back(job(store_));
  }
  bool held = false;

 private:
  Store& store_;
  std::vector<Job> waiting_;
  std::vector<Done> done_;
};

class PipelineRig : public ::testing::Test, protected Handlers, protected Outlets {
 protected:
  void SetUp() override {
    signal(SIGXFSZ, SIG_IGN);
    dir_ = std::filesystem::temp_directory_path() / ("fmd-pipeline-" + std::to_string(getpid()));
    std::filesystem::remove_all(dir_);
    std::filesystem::create_directory(dir_);
    auto [schema, schema_errors] = EventSchema::load({{"events.toml", kPipelineEvents}});
    auto [rules, errors] = RuleSet::load({{"rules.toml", pipeline_rules()}}, schema);
    for (const auto& list : {schema_errors, errors})
      for (const Error& error : list) ADD_FAILURE() << error.text();
    rules_ = rules;
    open();
  }

  void TearDown() override {
    limit(RLIM_INFINITY);
    close();
    std::filesystem::remove_all(dir_);
  }

  Clock kernel() {
    return {[this] { return wall_; }, [this] { return boot_ += tick_; },
            [this] { return synchronised_; }};
  }

  virtual void open() {
    auto store = Store::open(dir_, wall_);
    ASSERT_TRUE(store) << store.error().text();
    store_ = std::move(*store);
    durable_ = std::make_unique<Durable>(
        rules_, [this] { return "uuid-" + std::to_string(++uuids_); }, ActionConfig{},
        SteadyClock(kernel(), boot_id_));
    Preferences preferences;
    preferences.channels["mail"];
    durable_->alerts.set_preferences(std::move(preferences));
    EXPECT_EQ(durable_->restore(*store_, lights_ahead_), "");
    jobs_ = std::make_unique<DirectJobs>(*store_);
    const Handlers& handlers = *this;
    pipeline_ = std::make_unique<Pipeline>(*durable_, *jobs_, store_->last_seq(), arrivals_,
                                           handlers, "host");
    if (!lights_ahead_.empty()) pipeline_->begin_with_lights_ahead();
    (void)flush();
    changes_.clear();
  }

  virtual void close() {
    pipeline_.reset();
    jobs_.reset();
    durable_.reset();
    store_.reset();
  }

  // A process that is killed: what was committed is all there is.
  void kill_and_restart() {
    close();
    commands_.clear();
    open();
  }

  Result<void> flush() { return carrier_.carry_out(pipeline_->flush()); }
  void run() { (void)carrier_.carry_out(pipeline_->run()); }
  // After it a small group waits.
  void spend_pace() {
    pass(kSecond);
    for (int i = 0; i < Pace::kAtOnce; ++i) {
      pipeline_->submit(events("ereport.test.error", 1));
      run();
    }
    acked_ = 0;
  }
  int64_t steady() const { return durable_->clock.steady_ns(); }
  Engine& engine() { return durable_->engine; }

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

  void put_vdev(const std::string& service, const std::string& retired_by = "") {
    Resource vdev;
    vdev.fmri = kVdev;
    vdev.type = "zfs-vdev";
    for (const auto& [name, value] : std::map<std::string, std::string>{{"name", "vdev1"},
                                                                        {"service", service},
                                                                        {"spare", "none"},
                                                                        {"busy", ""},
                                                                        {"group", "zfs://pool=1"},
                                                                        {"spares_available", "0"}})
      vdev.properties[name] = value;
    if (!retired_by.empty()) vdev.properties["retired_by"] = retired_by;
    Work work;
    InventoryUpdate update;
    update.source = "test";
    update.resources.push_back(std::move(vdev));
    work.inventory.push_back(std::move(update));
    pipeline_->submit(std::move(work));
  }

  void answer(const Command& command, CommandResult result) {
    Work work;
    work.apply = [command, result](Durable& durable, Moment now) {
      durable.reconciler.done(command, result, now);
    };
    pipeline_->submit(std::move(work));
  }

  void pass(int64_t ns) {
    wall_ += ns;
    boot_ += ns;
    run();
  }

  // No file may grow beyond so many bytes: a full disk.
  void limit(rlim_t bytes) {
    rlimit now{};
    getrlimit(RLIMIT_FSIZE, &now);
    now.rlim_cur = bytes;
    ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &now), 0);
  }

  const Case* case_about(const std::string& resource) {
    for (const auto& [uuid, c] : engine().cases())
      if (!c.suspects.empty() && c.suspects[0].resource == resource) return &c;
    return nullptr;
  }

  bool handled(std::string_view) const override { return handled_; }
  void log(const LogLine& line) override { lines_.push_back(line.text); }
  void set_flow(Flow flow) override { flow_ = flow; }
  void keep_lights(const std::vector<StateRow>& rows) override { lights_ahead_ = rows; }
  void send(const Command& command) override { commands_.push_back(command); }
  void ordered(const OrderResult& result) override { orders_.push_back(result); }
  void changed(const Changes& changes) override { changes_.push_back(changes); }
  void start_again() override { ++started_again_; }

  std::filesystem::path dir_;
  std::shared_ptr<const RuleSet> rules_;
  std::unique_ptr<Store> store_;
  std::unique_ptr<DirectJobs> jobs_;
  std::unique_ptr<Durable> durable_;
  Arrivals arrivals_;
  std::unique_ptr<Pipeline> pipeline_;
  Carrier carrier_{*this};
  std::vector<std::string> lines_;
  std::vector<Command> commands_;
  std::vector<OrderResult> orders_;
  std::vector<StateRow> lights_ahead_;  // outlive the process
  std::vector<Changes> changes_;
  int64_t wall_ = 1790000000 * kSecond, boot_ = 1000 * kSecond;
  int64_t tick_ = 0;  // that passes with each look at the clock
  std::string boot_id_ = "boot-1";
  int uuids_ = 0, acked_ = 0, started_again_ = 0;
  Flow flow_ = Flow::acked;
  bool handled_ = true, synchronised_ = false;
};

}  // namespace fmd::test
