#include "plugins/zfs/history_reader.h"

#include <algorithm>

namespace fmd::zfs {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kSecondLook{1500};  // the record is written after the event
constexpr std::chrono::seconds kRest{60};
constexpr size_t kMaxFound = 1000;

}  // namespace

HistoryReader::HistoryReader(sd_event* loop, sdk::Host& host, milliseconds deadline,
                             std::function<std::vector<OwnCommand>()> own)
    : loop_(loop), host_(host), deadline_(deadline), own_(std::move(own)) {}

HistoryReader::~HistoryReader() = default;

void HistoryReader::ask(HistoryQuestion question, Patience patience, Done done) {
  add({std::move(question), patience, std::move(done), Clock::now(), {}});
}

void HistoryReader::ask_last(HistoryQuestion question, Last last) {
  add({std::move(question), Patience::once, {}, Clock::now(), {}, std::move(last)});
}

void HistoryReader::add(Asked asked) {
  const std::string pool = asked.question.ask;
  Reading& reading = readings_.try_emplace(pool, loop_).first->second;
  reading.waiting.push_back(std::move(asked));
  if (reading.current.empty()) schedule(reading);
}

// One run for all waiting questions, when the earliest is due.
void HistoryReader::schedule(Reading& reading) {
  const auto first =
      std::min_element(reading.waiting.begin(), reading.waiting.end(),
                       [](const Asked& a, const Asked& b) { return a.not_before < b.not_before; });
  const auto wait = std::max(first->not_before - Clock::now(), Clock::duration::zero());
  reading.timer.start(std::chrono::ceil<milliseconds>(wait),
                      [this, pool = first->question.ask] { begin(pool); });
}

void HistoryReader::begin(const std::string& name) {
  const std::string pool = name;  // copied: restarting the timer destroys the original
  Reading& reading = readings_.at(pool);
  const auto due = std::stable_partition(
      reading.waiting.begin(), reading.waiting.end(),
      [now = Clock::now()](const Asked& asked) { return asked.not_before > now; });
  std::move(due, reading.waiting.end(), std::back_inserter(reading.current));
  reading.waiting.erase(due, reading.waiting.end());
  if (reading.current.empty()) return schedule(reading);
  if (pool.empty() || Clock::now() < reading.rest_until) return finish(pool, false);
  auto line = [this, &reading](std::string_view text) { take(reading, text); };
  // Deferred: finish() destroys the stream whose callback this is.
  auto ended = [this, &reading, pool](const sdk::CommandOutput& output) {
    const bool told = output.end == sdk::CommandOutput::End::exited && output.code == 0;
    reading.timer.start(milliseconds(0), [this, pool, told] { finish(pool, told); });
  };
  reading.stream = host_.stream({"zpool", "history", "-l", pool}, line, ended);
  reading.timer.start(deadline_, [this, &reading, pool] {
    reading.rest_until = Clock::now() + kRest;
    finish(pool, false);
  });
}

void HistoryReader::take(Reading& reading, std::string_view line) {
  const auto record = parse_history_line(line);
  if (!record) return;
  for (Asked& asked : reading.current)
    if (asked.found.size() < kMaxFound && concerns(*record, asked.question)) {
      if (asked.last) asked.found.clear();
      if (!asked.last || !undoes(*record)) asked.found.push_back(*record);
    }
}

void HistoryReader::finish(const std::string& name, bool told) {
  const std::string pool = name;
  Reading& reading = readings_.at(pool);
  reading.stream.reset();
  reading.timer.stop();
  const auto own = own_();
  std::vector<std::pair<Done, Answer>> answers;
  for (Asked& asked : std::exchange(reading.current, {})) {
    if (asked.last) {
      const std::string text =
          asked.found.empty() ? "" : asked.found.back().time + " " + asked.found.back().command;
      answers.emplace_back([last = std::move(asked.last), told,
                            text](Answer) { last(told ? std::optional(text) : std::nullopt); },
                           Answer::unknown);
      continue;
    }
    const bool somebody = told && any_foreign(asked.found, own);
    if (told && !somebody && asked.patience == Patience::twice) {
      asked.found.clear();
      reading.waiting.push_back({std::move(asked.question),
                                 Patience::once,
                                 std::move(asked.done),
                                 Clock::now() + kSecondLook,
                                 {}});
      continue;
    }
    answers.emplace_back(std::move(asked.done), !told      ? Answer::unknown
                                                : somebody ? Answer::somebody
                                                           : Answer::nobody);
  }
  if (!reading.waiting.empty()) schedule(reading);
  auto alive = std::weak_ptr<bool>(alive_);
  for (const auto& [done, answer] : answers) {
    done(answer);
    if (alive.expired()) return;
  }
}

}  // namespace fmd::zfs
