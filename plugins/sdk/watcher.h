// Watcher: decides when a source looks at its part of the machine: at intervals, after a hint
// (udev), on a request from fmd (refresh) and when fmd has connected. One look at a time: look()
// tells the source to begin, and the source ends it with over(). A member of the plugin; single
// thread.
//
//              hint + coalesce, pause since the last look,
//              refresh, connection: at once
//   ┌─────────┐ ────────────────────────▶ ┌─────────┐ ─┐ hint, refresh or connection: another
//   │ resting │                           │ looking │  │ look follows this one
//   └─────────┘ ◀──────────────────────── └─────────┘ ◀┘
//     ▲     │     over(): answers the refreshes that came before the look began
//     │     │
//     └─────┘  due, but hangs(): the refreshes fail; due again after a pause
//
// Calm: after some looks without news() the pause is longer, until the next news().
#pragma once
#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "plugins/sdk/calm.h"

struct sd_event;

namespace fmd::sdk {

class Watcher {
 public:
  using milliseconds = std::chrono::milliseconds;
  using Time = std::chrono::steady_clock::time_point;
  struct Clock {
    std::function<Time()> now;
    // Calls wake once after that time; replaces the previous call. lazily: Timer::start_lazily().
    std::function<void(milliseconds in, bool lazily, std::function<void()> wake)> wake_in;
    static Clock of(sd_event* loop);
  };
  struct Pace {
    milliseconds pause;     // from the end of a look to the next
    milliseconds coalesce;  // from a hint to the look: one change sends many messages
    Calm calm = kNeverCalm;
    int rest = 0;           // minimum pause, as a multiple of the duration of the look
    bool punctual = false;  // pauses are exact until the source is calm
  };
  struct Source {
    // Begins a look. asked: for a refresh. May call over() before it returns.
    std::function<void(bool asked)> look;
    // Why no look can begin: the child of an earlier one still hangs. "" if one can. Optional.
    std::function<std::string()> hangs = {};
  };
  // trouble: why the look failed; "" if it succeeded.
  using Answer = std::function<void(const std::string& trouble)>;

  Watcher(Clock clock, Pace pace, Source source);
  Watcher(const Watcher&) = delete;
  Watcher& operator=(const Watcher&) = delete;

  void look();  // immediately, or after the current look
  void hint() { hint(pace_.coalesce); }
  // A hint to look within that time. True: the next look comes earlier because of a hint.
  bool hint(milliseconds in);
  // Answered by the first look that begins after this call.
  void refresh(Answer answer);
  // fmd has connected: it needs a complete inventory.
  void connected();
  bool complete_due() const { return complete_due_; }
  void complete_sent() { complete_due_ = false; }

  // Something has changed, seen by a look or otherwise: ends the calm.
  void news();
  // Ends the look. pause: exact, replaces the usual pause once.
  void over(const std::string& trouble, std::optional<milliseconds> pause = {});
  bool looking() const { return looking_; }

 private:
  void due();
  void begin();
  bool plan();
  void want(Time at);
  void answer(std::vector<Answer>& waiting, const std::string& trouble);

  Clock clock_;
  Pace pace_;
  Source source_;
  bool looking_ = false;
  bool news_ = false;  // during the current look
  bool complete_due_ = false;
  Time began_{}, ended_{};           // of the last look
  milliseconds took_{0};             // of the last look
  std::optional<milliseconds> own_;  // the pause that the source gave to over()
  std::optional<Time> wanted_;       // by a hint or a request
  std::vector<Answer> waiting_;      // for the current look
  std::vector<Answer> next_;         // for the next look
};

}  // namespace fmd::sdk
