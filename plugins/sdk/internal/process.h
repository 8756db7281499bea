// Process: one child with its output pipes on an sd-event loop. Private to the SDK; Host describes
// the rules.
//
//   running ──exit──▶ over (done, gone)
//      │ deadline: SIGTERM, done(deadline)
//      ▼
//   dying ──1 s: SIGKILL──▶ ... ──exit──▶ over (gone)
// A child that cannot be killed stays in `dying`; it is reaped whenever it ends.
#pragma once
#include <sys/types.h>

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "fmd/base/result.h"
#include "plugins/sdk/host.h"
#include "plugins/sdk/timer.h"

namespace fmd::sdk {

class Process : public std::enable_shared_from_this<Process> {
 public:
  struct Callbacks {
    std::function<void(std::string_view)> line;  // if set, gets stdout line by line
    std::function<void(CommandOutput)> done;     // once
    std::function<void()> gone;                  // once, when the process has been reaped
  };
  // The bytes of output that all processes together may still keep; shared with the Host.
  using Budget = std::shared_ptr<size_t>;
  struct Child {
    std::string program;  // path; if empty, work runs in a fork
    std::vector<std::string> argv, environment;
    std::function<std::string(const Host::Say&)> work;  // its result is written last
  };

  // most: bytes to keep of stdout, and of stderr.
  Process(sd_event* loop, Callbacks callbacks, size_t most, Budget budget);
  ~Process();  // kills the process if it still runs
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  // deadline 0: none.
  Result<void> start(const Child& child, std::chrono::milliseconds deadline);
  void pause(bool on);
  void abandon();  // SIGTERM, then SIGKILL; no callback except gone

 private:
  static int on_output(sd_event_source*, int fd, uint32_t revents, void* self);
  static int on_exit(sd_event_source*, int fd, uint32_t revents, void* self);
  Result<void> spawn(const Child& child, int out_fd, int err_fd);
  Result<void> fork_work(const Child& child, int out_fd, int err_fd);
  bool read_some(int fd);  // false: no more for now, or end of file
  void keep(std::string& text, std::string_view bytes);
  void take_out(std::string_view bytes);
  void take_err(std::string_view bytes);
  void kill_softly();
  void finish(CommandOutput::End end, int code);
  void reap();

  sd_event* loop_;
  Callbacks callbacks_;
  pid_t pid_ = -1;
  int out_fd_ = -1, err_fd_ = -1, pid_fd_ = -1;
  Source out_source_, err_source_, pid_source_;
  Timer timer_;
  CommandOutput output_;
  size_t most_;
  Budget budget_;
  size_t charged_ = 0;     // against the budget
  std::string line_;       // line mode: the incomplete line
  bool line_cut_ = false;  // drop the rest of this line
  bool finished_ = false;
  bool killed_ = false;
};

}  // namespace fmd::sdk
