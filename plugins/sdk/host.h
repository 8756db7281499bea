// Host: the plugins' only access to the machine: files below a root that contains /sys, /proc, /dev
// and /run, and commands with a deadline. The root "/" is the real machine; the simulator uses
// another, with its own programs first in PATH. Single thread, on one sd-event loop.
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
  bool truncated = false;  // output beyond the limits was dropped
  // Exited with 0 and the output is complete. Truncated output may end in the middle of a number.
  bool ok() const { return end == End::exited && code == 0 && !truncated; }
  std::string explain(std::string_view what) const;  // "zpool status: exit 1: cannot open 'tank'"
};

class Host {
 public:
  // root: "" or "/" is the real machine. tools: folders searched before PATH, ":"-separated
  // (FMD_HOST_ROOT, FMD_HOST_PATH). There, a link to /dev/null marks a tool as not installed.
  static Host from_environment(sd_event* loop);
  // Bytes of output to keep; the rest is read and dropped (CommandOutput::truncated).
  struct Limits {
    size_t command = 16 << 20;   // of stdout, and as much of stderr, per command
    size_t own_work = 48 << 20;  // the result of one run_apart()
    size_t all = 128 << 20;      // of all running commands together
  };
  void set_limits(const Limits& limits);
  Host(sd_event* loop, std::string root, std::string tools);
  ~Host();
  Host(Host&&) noexcept;

  bool real() const;                                  // root is "/"
  std::string path(std::string_view absolute) const;  // "/sys/block" → root + "/sys/block"
  Result<std::string> read(
      std::string_view absolute) const;  // whole small file, trailing newline cut
  // A folder kept open while several of its files are read: saves resolving a long sysfs path each
  // time. Not valid in a forked child.
  class Folder {
   public:
    Folder(const Host& host, std::string_view absolute);
    Result<std::string> read(const std::string& name) const;  // like Host::read()
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
  // When names in that folder last changed, for comparison. "" if there is no such folder, or if it
  // changed just now: the file system's clock is too coarse to show a further change.
  std::string state_of_folder(std::string_view absolute) const;
  bool has_tool(std::string_view name) const;

  // Runs without a shell, with stdin /dev/null and LC_ALL=C, in its own process group. At the
  // deadline the group gets SIGTERM, 1 s later SIGKILL. done is called from the loop, never from
  // within run(), and at the deadline even if the process cannot be killed. gone, if given, is
  // called once the process has been reaped: at or after done. To keep one child per device, start
  // no other before gone.
  void run(std::vector<std::string> argv, std::chrono::milliseconds deadline,
           std::function<void(CommandOutput)> done, std::function<void()> gone = {});
  // The same for our own code that may block in the kernel (a sysfs attribute of a device that
  // hangs): work runs in a forked child, and its result becomes `out`. It must not use the loop or
  // the plugin.
  void run_apart(std::function<std::string()> work, std::chrono::milliseconds deadline,
                 std::function<void(CommandOutput)> done, std::function<void()> gone = {});
  // A long-running command whose stdout comes in lines (cut at 1 MiB). ended() is called once when
  // it is over, with the last 64 KiB of stderr. Dropping the pointer kills the command and ends all
  // callbacks.
  struct Stream {
    virtual ~Stream() = default;
    virtual void pause(bool on) = 0;  // stops reading: the command then blocks when it writes
  };
  std::shared_ptr<Stream> stream(std::vector<std::string> argv,
                                 std::function<void(std::string_view)> line,
                                 std::function<void(CommandOutput)> ended);
  // The same for our own code in a forked child, which sends lines (false: nobody reads them).
  using Say = std::function<bool(std::string_view line)>;
  std::shared_ptr<Stream> stream_apart(std::function<void(const Say&)> work,
                                       std::function<void(std::string_view)> line,
                                       std::function<void(CommandOutput)> ended);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace fmd::sdk
