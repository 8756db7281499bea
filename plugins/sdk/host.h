// Host: the one seam between plugins and the machine. A root folder in front of /sys, /proc, /dev and /run, and
// commands run with a deadline. With root "/" it is the real machine; the simulator gives another root
// and puts stand-ins first in PATH. Single thread, on one sd-event loop.
#pragma once
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "fmd/core/result.h"

struct sd_event;

namespace fmd::sdk {

struct CommandOutput {
  enum class End { exited, killed, deadline, not_found };
  End end = End::exited;
  int code = 0;            // exit status, or signal number when killed
  std::string out, err;    // at most 16 MiB each
  bool ok() const { return end == End::exited && code == 0; }
  std::string explain(std::string_view what) const;  // "zpool status: exit 1: cannot open 'tank'"
};

class Host {
 public:
  // root: "" or "/" real. tools: folders searched before PATH, ":"-separated (FMD_HOST_ROOT, FMD_HOST_PATH).
  static Host from_environment(sd_event* loop);
  Host(sd_event* loop, std::string root, std::string tools);
  ~Host();
  Host(Host&&) noexcept;

  bool real() const;                                // root is "/"
  std::string path(std::string_view absolute) const;  // "/sys/block" → root + "/sys/block"
  Result<std::string> read(std::string_view absolute) const;   // whole small file, trailing newline cut
  Result<void> write(std::string_view absolute, std::string_view text) const;
  Result<std::vector<std::string>> list(std::string_view absolute) const;  // names, sorted, no dot files
  Result<std::string> read_link(std::string_view absolute) const;          // raw target
  Result<std::string> resolve(std::string_view absolute) const;  // canonical path inside root, without root
  bool exists(std::string_view absolute) const;
  bool has_tool(std::string_view name) const;

  // Runs without a shell, stdin /dev/null, LC_ALL=C. At the deadline SIGTERM, 1 s later SIGKILL; the
  // callback comes at the deadline even when the process cannot be killed (it is left alone then).
  // The callback runs from the loop, never from within run().
  void run(std::vector<std::string> argv, std::chrono::milliseconds deadline,
           std::function<void(CommandOutput)> done);
  // A long-running command whose stdout comes in lines; ended() once when it is over.
  struct Stream;
  std::shared_ptr<Stream> stream(std::vector<std::string> argv, std::function<void(std::string_view)> line,
                                 std::function<void(CommandOutput)> ended);  // dropping the pointer kills it

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace fmd::sdk
