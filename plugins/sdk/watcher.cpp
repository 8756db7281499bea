#include "plugins/sdk/watcher.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "plugins/sdk/timer.h"

namespace fmd::sdk {

Watcher::Clock Watcher::Clock::of(sd_event* loop) {
  const auto timer = std::make_shared<Timer>(loop);
  return {std::chrono::steady_clock::now,
          [timer](milliseconds in, bool lazily, std::function<void()> wake) {
            if (lazily)
              timer->start_lazily(in, std::move(wake));
            else
              timer->start(in, std::move(wake));
          }};
}

Watcher::Watcher(Clock clock, Pace pace, Source source)
    : clock_(std::move(clock)), pace_(pace), source_(std::move(source)) {}

void Watcher::look() {
  want(clock_.now());
  if (!looking_) due();
}

bool Watcher::hint(milliseconds in) {
  want(clock_.now() + in);
  return !looking_ && plan();
}

void Watcher::refresh(Answer answer) {
  next_.push_back(std::move(answer));
  look();
}

void Watcher::connected() {
  complete_due_ = true;
  look();
}

void Watcher::news() {
  news_ |= looking_;
  if (pace_.calm.looked(true) && !looking_) plan();
}

// Keeps the earliest request, so that a storm of hints does not postpone the look.
void Watcher::want(Time at) {
  wanted_ = wanted_ ? std::min(*wanted_, at) : at;
}

void Watcher::due() {
  if (looking_) return;
  const std::string why = source_.hangs ? source_.hangs() : "";
  if (why.empty()) return begin();
  wanted_.reset();
  ended_ = clock_.now();
  answer(next_, why);
  if (!looking_) plan();
}

void Watcher::begin() {
  wanted_.reset();
  waiting_ = std::exchange(next_, {});
  looking_ = true;
  began_ = clock_.now();
  source_.look(!waiting_.empty());
}

void Watcher::over(const std::string& trouble, std::optional<milliseconds> pause) {
  if (!looking_) return;
  looking_ = false;
  ended_ = clock_.now();
  took_ = std::chrono::duration_cast<milliseconds>(ended_ - began_);
  own_ = pause;
  pace_.calm.looked(std::exchange(news_, false));
  answer(waiting_, trouble);
  if (!looking_) plan();  // an answer may have begun the next look
}

// True: the next look comes earlier because of a hint or request.
bool Watcher::plan() {
  const bool calm = pace_.calm.is_calm();
  Time at =
      ended_ + own_.value_or(pace_.calm.until_next(std::max(pace_.pause, took_ * pace_.rest)));
  bool lazily = !own_ && (calm || !pace_.punctual);
  const bool wished = wanted_ && *wanted_ <= at;
  if (wished) {
    at = *wanted_;
    lazily = false;
  }
  const auto in = std::chrono::ceil<milliseconds>(at - clock_.now());
  clock_.wake_in(std::max(in, milliseconds(0)), lazily, [this] { due(); });
  return wished;
}

void Watcher::answer(std::vector<Answer>& waiting, const std::string& trouble) {
  for (const Answer& one : std::exchange(waiting, {})) one(trouble);
}

}  // namespace fmd::sdk
