// HistoryReader: finds in a pool's history who did something. One `zpool history` per pool at a
// time; it may print megabytes, so only matching records are kept, and questions that arrive
// meanwhile share the next run. A zpool that does not respond is killed, and its pool is left alone
// for a minute. Single thread, on the loop.
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
  enum class Answer { somebody, nobody, unknown };  // unknown: zpool history failed
  using Done = std::function<void(Answer)>;
  enum class Patience { once, twice };  // twice: "nobody" is confirmed by a second look after 1.5 s

  // own: returns fmd's own commands; called for each answer.
  HistoryReader(sd_event* loop, sdk::Host& host, std::chrono::milliseconds deadline,
                std::function<std::vector<OwnCommand>()> own);
  ~HistoryReader();
  void ask(HistoryQuestion question, Patience patience, Done done);  // done from the loop
  // The last matching record, for people; "" none, nullopt: zpool history failed.
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
    Last last = {};  // if set, only the newest record is kept
  };
  struct Reading {
    explicit Reading(sd_event* loop) : timer(loop) {}
    std::vector<Asked> waiting, current;
    std::shared_ptr<sdk::Host::Stream> stream;
    sdk::Timer timer;  // for the next look, or the deadline of the current one
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
  std::map<std::string, Reading> readings_;  // by pool name
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
};

}  // namespace fmd::zfs
