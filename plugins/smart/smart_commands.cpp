// SmartPlugin: scheduled and requested self-tests.
#include <syslog.h>

#include <algorithm>
#include <utility>

#include "plugins/sdk/messages.h"
#include "plugins/smart/smart_plugin.h"

namespace fmd::smart {
namespace {

using nlohmann::json;

constexpr std::chrono::milliseconds kAfterStart{5000};  // until the disk reports the test
constexpr const char* kHangs = "its last smartctl hangs still";
constexpr int kNotDone = 7,
              kRefused = 4;  // bits of smartctl's exit status: bad call, open failed, …

// A reason for people. smartctl's JSON does not contain why the disk refused.
std::string why_not(const sdk::CommandOutput& output, bool test_running) {
  if (output.end != sdk::CommandOutput::End::exited) return output.explain("smartctl");
  if (std::string said = message_of(output.out); !said.empty()) return said;
  if ((output.code & kNotDone) != kRefused) return output.explain("smartctl");
  return test_running ? "a self-test is under way already" : "the disk refused it";
}

std::vector<std::string> test_options(const std::string& type) {
  if (type == "abort") return {"-X"};
  return {"-t", type};
}

}  // namespace

void SmartPlugin::plan_tests() {
  const TestPlan plan{options_.selftest.short_every, options_.selftest.long_every,
                      static_cast<size_t>(options_.selftest.at_once)};
  if (plan.short_every.count() == 0 && plan.long_every.count() == 0) return;
  std::vector<Candidate> candidates;
  for (const auto& [key, known] : known_) {
    const Report& last = known.record.last();
    Candidate one;
    one.fmri = key;
    one.groups = known.target.groups;
    one.running = known.test_asked || known.record.test_running();
    one.tests = last.tests;
    one.able = known.record.state() == DiskRecord::State::observed && last.tests_supported &&
               !asker_.busy(key);
    if (const auto hours = last.readings.find("power_on_hours"); hours != last.readings.end())
      one.hours = static_cast<int64_t>(hours->second.value);
    for (const auto& [kind, timer] : known.rests)
      if (timer->running()) one.resting.insert(kind);
    candidates.push_back(std::move(one));
  }
  for (const TestStart& start : due_tests(candidates, plan))
    ask_test(start.fmri, start.kind == SelfTest::Kind::long_test ? "long" : "short");
}

void SmartPlugin::rest(Known& known, const std::string& type, bool begun) {
  const std::pair<SelfTest::Kind, std::chrono::milliseconds> plans[] = {
      {SelfTest::Kind::short_test, options_.selftest.short_every},
      {SelfTest::Kind::long_test, options_.selftest.long_every}};
  for (const auto& [kind, every] : plans) {
    // A long test includes the short one.
    const bool concerned =
        type == (kind == SelfTest::Kind::long_test ? "long" : "short") || (type == "long" && begun);
    if (!concerned || every.count() == 0) continue;
    auto& timer = known.rests[kind] = std::make_unique<sdk::Timer>(loop_);
    timer->start(rest_after(begun, every), [this] { plan_tests(); });
  }
}

bool SmartPlugin::ask_test(const std::string& key, const std::string& type,
                           const sdk::Plugin::Reply& reply) {
  Known& known = known_.at(key);
  const bool asked = asker_.ask(
      key, argv(known, test_options(type)),
      [this, key, type, reply](const sdk::CommandOutput& output) {
        test_answered(key, type, output, reply);
      },
      [this, key] { schedule(key, options_.retry); });
  known.test_asked = asked && type != "abort";
  return asked;
}

void SmartPlugin::test_answered(const std::string& key, const std::string& type,
                                const sdk::CommandOutput& output, const sdk::Plugin::Reply& reply) {
  using End = sdk::CommandOutput::End;
  const bool done = output.end == End::exited && (output.code & kNotDone) == 0;
  const auto at = known_.find(key);
  const std::string why =
      done ? "" : why_not(output, at != known_.end() && at->second.record.test_running());
  if (reply) reply({done ? "done" : "failed", why, json::object()});
  if (at == known_.end()) return;
  Known& known = at->second;
  if (!done) {
    sdk::log(LOG_WARNING,
             "self-test (" + type + ") of " + known.target.devices.front() + ": " + why);
    known.test_asked = false;
  }
  rest(known, type, done);
  // A caller that has requested a query meanwhile does not wait for the next regular one.
  auto& waiting = known.waiting;
  if (output.end == End::deadline)
    for (const auto& one : std::exchange(waiting, {})) one({"failed", kHangs, json::object()});
  schedule(key, !waiting.empty() ? std::chrono::milliseconds(0)
                : done           ? std::min(options_.retry, kAfterStart)
                                 : options_.retry);
}

// fmd routes "dev://" to fmd-disk, so commands for this plugin use "smart://" with the same path.
void SmartPlugin::on_command(const sdk::CommandRequest& request, const sdk::Plugin::Reply& reply) {
  const auto refuse = [&](const std::string& why) { reply({"refused", why, json::object()}); };
  const size_t slashes = request.resource.find("://");
  if (slashes == std::string::npos) return refuse("that is no resource");
  const std::string fmri = "dev" + request.resource.substr(slashes);
  rescan();
  auto at = known_.begin();
  while (at != known_.end() && at->second.target.fmri != fmri) ++at;
  if (at == known_.end()) return refuse("there is no such disk");
  if (request.name == "refresh") {
    if (asker_.hangs(at->first)) return reply({"failed", kHangs, json::object()});
    at->second.waiting.push_back(reply);
    if (!asker_.busy(at->first)) look(at->first);
    return;
  }
  const auto given = request.args.find("type");
  const std::string type =
      given != request.args.end() && given->is_string() ? given->get<std::string>() : "";
  if (type != "short" && type != "long" && type != "abort")
    return refuse("a self-test is \"short\" or \"long\", and \"abort\" ends it");
  if (asker_.hangs(at->first)) return reply({"failed", kHangs, json::object()});
  if (asker_.busy(at->first)) return refuse("the disk is being asked; try again in a minute");
  ask_test(at->first, type, reply);
}

}  // namespace fmd::smart
