// Turns: which query is answered next. Each user has a queue, and users take turns, privileged ones
// first, so a user with many queries delays only their own. Single thread.
#pragma once
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>

namespace fmd::bus {

class Turns {
 public:
  static constexpr size_t kMostOfUser = 48, kMost = 128;  // waiting queries
  using Answered = std::function<void()>;
  using Ask = std::function<void(Answered answered)>;

  // at_once: maximum of unprivileged queries in progress. wake: called when next() has work to do.
  Turns(size_t at_once, std::function<void()> wake);

  // False: too many queries wait already, of that user or in total.
  bool add(uint32_t uid, bool privileged, Ask ask);
  // Starts the next query. True if another one can start now.
  bool next();
  void forget_all();  // the connection to the bus is lost

 private:
  bool ready() const;

  size_t at_once_;
  std::function<void()> wake_;
  std::deque<Ask> privileged_;
  std::map<uint32_t, std::deque<Ask>> rows_;  // by uid; no queue is empty
  uint32_t last_ = 0;                         // last user served
  size_t waiting_ = 0, under_way_ = 0;        // of unprivileged users
  uint64_t connection_ = 0;
};

}  // namespace fmd::bus
