// HistoryReader: asks a pool's history who has done something. One `zpool history` a pool at a
// time; it may print megabytes, of which only what a question is about is kept, and questions that
// come meanwhile share the next one. A zpool that gives no answer is killed, and that pool is not
// asked again for a minute. Single thread, on the loop.
#pragma once
#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "plugins/sdk/host.h"
#include "plugins/sdk/timer.h"
#include "plugins/zfs/zpool_history.h"

namespace fmd::zfs {

class HistoryReader {
 public:
  enum class Answer { somebody, nobody, unknown };  // unknown: zpool did not tell
  using Done = std::function<void(Answer)>;
  enum class Patience { once, twice };  // twice: nobody is nobody only at a second look, 1.5 s on

  // own: fmd's own commands, asked for at each answer.
  HistoryReader(sd_event* loop, sdk::Host& host, std::chrono::milliseconds deadline,
                std::function<std::vector<OwnCommand>()> own);
  ~HistoryReader();
  void ask(HistoryQuestion question, Patience patience, Done done);  // done from the loop
  // The last record that it is about, as people read it; "" none, nothing: zpool did not tell.
  using Last = std::function<void(std::optional<std::string>)>;
  void ask_last(HistoryQuestion question, Last last);

 private:
  using Clock = std::chrono::steady_clock;
  struct Asked {
    HistoryQuestion question;
    Patience patience;
    Done done;
    Clock::time_point not_before;
    std::vector<HistoryRecord> found;
    Last last = {};  // then only the newest is kept
  };
  struct Reading {
    explicit Reading(sd_event* loop) : timer(loop) {}
    std::vector<Asked> waiting, current;
    std::shared_ptr<sdk::Host::Stream> stream;
    sdk::Timer timer;  // of the next look, or of this one's deadline
    Clock::time_point rest_until;
  };
  void add(Asked asked);
  void schedule(Reading& reading);
  void begin(const std::string& pool);
  void take(Reading& reading, std::string_view line);
  void finish(const std::string& pool, bool told);

  sd_event* loop_;
  sdk::Host& host_;
  std::chrono::milliseconds deadline_;
  std::function<std::vector<OwnCommand>()> own_;
  std::map<std::string, Reading> readings_;  // by pool's name
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
};

}  // namespace fmd::zfs
