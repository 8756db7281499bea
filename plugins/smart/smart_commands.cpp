// SmartPlugin, self-tests: by its plan and by command.
#include <syslog.h>

#include <algorithm>
#include <utility>

#include "plugins/smart/smart_plugin.h"

namespace fmd::smart {
namespace {

using nlohmann::json;

constexpr std::chrono::hours kRefusal{24};
constexpr const char* kHangs = "its last smartctl hangs still";
constexpr int kNotDone = 7;  // bits of smartctl's exit status: bad call, not opened, refused

}  // namespace

void SmartPlugin::plan_tests() {
  const TestPlan plan{options_.selftest.short_every, options_.selftest.long_every,
                      static_cast<size_t>(options_.selftest.at_once)};
  if (plan.short_every.count() == 0 && plan.long_every.count() == 0) return;
  std::vector<Candidate> candidates;
  for (const auto& [key, known] : known_) {
    const Report& last = known.record.last();
    Candidate one{key,   known.target.groups, known.test_asked || known.record.test_running(),
                  false, std::nullopt,        last.tests};
    one.able = known.record.state() == DiskRecord::State::observed && last.tests_supported &&
               !(known.refusal && known.refusal->running()) && !asker_.busy(key);
    if (const auto hours = last.readings.find("power_on_hours"); hours != last.readings.end())
      one.hours = static_cast<int64_t>(hours->second.value);
    candidates.push_back(std::move(one));
  }
  for (const TestStart& start : due_tests(candidates, plan)) start_test(start.fmri, start.kind);
}

// It may have been busy with something else; the plan comes back to it when it would be that test's
// turn again.
void SmartPlugin::leave_untested(Known& known, SelfTest::Kind kind) {
  const std::chrono::milliseconds every = kind == SelfTest::Kind::long_test
                                              ? options_.selftest.long_every
                                              : options_.selftest.short_every;
  known.refusal = std::make_unique<sdk::Timer>(loop_);
  known.refusal->start(every.count() > 0 ? std::min<std::chrono::milliseconds>(every, kRefusal)
                                         : std::chrono::milliseconds(kRefusal),
                       [this] { plan_tests(); });
}

bool SmartPlugin::start_test(const std::string& key, SelfTest::Kind kind,
                             sdk::Plugin::Reply reply) {
  Known& known = known_.at(key);
  const char* type = kind == SelfTest::Kind::long_test ? "long" : "short";
  const auto done = [this, key, kind, reply](const sdk::CommandOutput& output) {
    const bool exited = output.end == sdk::CommandOutput::End::exited;
    const bool begun = exited && (output.code & kNotDone) == 0;
    std::string why = exited ? message_of(output.out) : output.explain("smartctl");
    if (!begun && why.empty()) why = output.explain("smartctl");
    if (reply) reply({begun ? "done" : "failed", begun ? "" : why, json::object()});
    const auto at = known_.find(key);
    if (at == known_.end()) return;
    at->second.test_asked = begun;
    at->second.refusal.reset();
    if (!begun) {
      sdk::log(LOG_WARNING, "no self-test on " + at->second.target.devices.front() + ": " + why);
      leave_untested(at->second, kind);
    }
    // Who has asked for a look meanwhile is not to wait for the next in turn.
    auto& waiting = at->second.waiting;
    if (output.end == sdk::CommandOutput::End::deadline)
      for (const auto& one : std::exchange(waiting, {})) one({"failed", kHangs, json::object()});
    schedule(key, waiting.empty() ? options_.retry : std::chrono::milliseconds(0));
  };
  known.test_asked = asker_.ask(key, argv(known, {"-t", type}), done,
                                [this, key] { schedule(key, options_.retry); });
  return known.test_asked;
}

// The core gives "dev://" to plugins/disk, so ours is called by "smart://" and the same rest.
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
    if (at->second.record.state() == DiskRecord::State::hung && asker_.busy(at->first))
      return reply({"failed", kHangs, json::object()});
    at->second.waiting.push_back(reply);
    if (!asker_.busy(at->first)) look(at->first);
    return;
  }
  const auto type = request.args.find("type");
  const bool is_long = type != request.args.end() && *type == "long";
  if (!is_long && (type == request.args.end() || *type != "short"))
    return refuse("the type of a self-test is \"short\" or \"long\"");
  if (asker_.busy(at->first)) return refuse("the disk is being asked; try again in a minute");
  start_test(at->first, is_long ? SelfTest::Kind::long_test : SelfTest::Kind::short_test, reply);
}

}  // namespace fmd::smart
