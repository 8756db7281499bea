// Turns: which query is answered next. Each user has a queue, and the users take turns, privileged
// ones first, so a user with many queries delays only their own. Single thread.
#pragma once
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>

namespace fmd::bus {

class Turns {
 public:
  static constexpr size_t kMostOfUser = 48, kMost = 128;  // that wait
  using Answered = std::function<void()>;
  using Ask = std::function<void(Answered answered)>;

  // at_once: so many of those who are not privileged are under way. wake: next() has something to do.
  Turns(size_t at_once, std::function<void()> wake);

  // False: too many wait already, of that user or of all.
  bool add(uint32_t uid, bool privileged, Ask ask);
  // Asks the next one. True when there is another that need not wait.
  bool next();
  void forget_all();  // the connection to the bus is gone

 private:
  bool ready() const;

  size_t at_once_;
  std::function<void()> wake_;
  std::deque<Ask> privileged_;
  std::map<uint32_t, std::deque<Ask>> rows_;  // none is empty
  uint32_t last_ = 0;                         // who had his turn
  size_t waiting_ = 0, under_way_ = 0;        // of those who are not privileged
  uint64_t connection_ = 0;
};

}  // namespace fmd::bus
