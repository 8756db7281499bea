// Host: the only access of plugins to the machine: a root folder before /sys, /proc, /dev and /run,
// and commands with a deadline. The root "/" is the real machine; the simulator uses another root,
// with its own programs first in PATH. Single thread, on one sd-event loop.
#pragma once
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "fmd/base/result.h"
#include "plugins/sdk/internal/root_folder.h"

struct sd_event;

namespace fmd::sdk {

struct CommandOutput {
  enum class End { exited, killed, deadline, not_found };
  End end = End::exited;
  int code = 0;            // exit status, or signal number when killed
  std::string out, err;    // see Host::Limits
  bool truncated = false;  // there was more than that
  // All of the output of a command that succeeded. Output that was cut may end in the middle of a number.
  bool ok() const { return end == End::exited && code == 0 && !truncated; }
  std::string explain(std::string_view what) const;  // "zpool status: exit 1: cannot open 'tank'"
};

class Host {
 public:
  // root: "" or "/" real. tools: folders searched before PATH, ":"-separated (FMD_HOST_ROOT,
  // FMD_HOST_PATH). A link to /dev/null there stands for a tool that is not installed.
  static Host from_environment(sd_event* loop);
  // Bytes of output that are kept; the rest is read and dropped (CommandOutput::truncated).
  struct Limits {
    size_t command = 16 << 20;   // stdout of one command, and its stderr
    size_t own_work = 48 << 20;  // the result of one run_apart()
    size_t all = 128 << 20;      // of everything that runs at the same time
  };
  void set_limits(const Limits& limits);
  Host(sd_event* loop, std::string root, std::string tools);
  ~Host();
  Host(Host&&) noexcept;

  bool real() const;                                  // root is "/"
  std::string path(std::string_view absolute) const;  // "/sys/block" → root + "/sys/block"
  Result<std::string> read(
      std::string_view absolute) const;  // whole small file, trailing newline cut
  // A folder that is held open while several of its files are read: a path of sysfs has thirty parts. Not beyond a fork.
  class Folder {
   public:
    Folder(const Host& host, std::string_view absolute);
    Result<std::string> read(const std::string& name) const;  // as Host::read()
    const std::string& path() const { return path_; }

   private:
    const Host& host_;
    std::string path_;
    FileDescriptor folder_;
  };
  Result<void> write(std::string_view absolute, std::string_view text) const;
  Result<std::vector<std::string>> list(
      std::string_view absolute) const;                            // names, sorted, no dot files
  Result<std::string> read_link(std::string_view absolute) const;  // raw target
  Result<std::string> resolve(
      std::string_view absolute) const;  // canonical path inside root, without root
  bool exists(std::string_view absolute) const;
  // When names in that folder last came or went, for comparison; "" there is none, or it was just now: more may follow in the same
  // instant of the file system's clock.
  std::string state_of_folder(std::string_view absolute) const;
  bool has_tool(std::string_view name) const;

  // Runs without a shell, stdin /dev/null, LC_ALL=C. At the deadline SIGTERM, 1 s later SIGKILL;
  // the callback comes at the deadline even when the process cannot be killed (it is left alone
  // then). The callback runs from the loop, never from within run(). It has its own process group,
  // and the signals go to that. gone, if given, is called once the process really is no more: at or
  // after done (one flight per device: start no other one before).
  void run(std::vector<std::string> argv, std::chrono::milliseconds deadline,
           std::function<void(CommandOutput)> done, std::function<void()> gone = {});
  // The same for a piece of our own code that may block in the kernel (a sysfs attribute whose
  // device hangs): work runs in a forked child and its result comes as `out`. It must not touch the
  // loop or the plugin.
  void run_apart(std::function<std::string()> work, std::chrono::milliseconds deadline,
                 std::function<void(CommandOutput)> done, std::function<void()> gone = {});
  // A long-running command whose stdout comes in lines (at most 1 MiB, a longer one is cut);
  // ended() once when it is over, with the last 64 KiB of stderr. Dropping the pointer kills it,
  // and nothing is called any more.
  struct Stream {
    virtual ~Stream() = default;
    virtual void pause(bool on) = 0;  // stops reading: the command blocks in its write
  };
  std::shared_ptr<Stream> stream(std::vector<std::string> argv,
                                 std::function<void(std::string_view)> line,
                                 std::function<void(CommandOutput)> ended);
  // The same for a piece of our own code in a forked child, which says lines (false: nobody hears).
  using Say = std::function<bool(std::string_view line)>;
  std::shared_ptr<Stream> stream_apart(std::function<void(const Say&)> work,
                                       std::function<void(std::string_view)> line,
                                       std::function<void(CommandOutput)> ended);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace fmd::sdk
