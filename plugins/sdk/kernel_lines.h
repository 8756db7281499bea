// KernelLines: reads a kernel file line by line as lines come (trace_pipe, /dev/kmsg), on an
// sd-event loop. It also sets up a tracefs instance for the plugin: its events are separate from
// other users' tracing, and it buffers events while the plugin is not running. Single thread.
#pragma once
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "fmd/base/result.h"
#include "plugins/sdk/host.h"
#include "plugins/sdk/timer.h"

namespace fmd::sdk {

// One event of the kernel's, as it is switched on in an instance of ours.
struct TraceEvent {
  std::string_view name;  // "block/block_rq_error"
  // Filters, the first that the kernel knows the fields of; none may be had: it is not switched on.
  // Empty: each of them is wanted.
  std::vector<std::string_view> filters;
  // Parts of its format's "print fmt" that the parser of its lines looks for.
  std::vector<std::string_view> marks = {};
};

class KernelLines {
 public:
  using Line = std::function<void(std::string_view)>;
  // From the oldest line that there is. An error when there is no such file, or we may not read it.
  static Result<std::unique_ptr<KernelLines>> open(sd_event* loop, const Host& host,
                                                   const std::string& file, Line line);
  // Of set_up_trace().
  static Result<std::unique_ptr<KernelLines>> trace(sd_event* loop, const Host& host,
                                                    std::string_view instance,
                                                    const std::vector<TraceEvent>& events,
                                                    Line line);
  ~KernelLines();
  KernelLines(const KernelLines&) = delete;
  KernelLines& operator=(const KernelLines&) = delete;
  void pause(bool on);  // the kernel keeps the lines meanwhile, as many as it has room for

 private:
  KernelLines(int fd, Line line) : fd_(fd), line_(std::move(line)) {}
  static int on_readable(sd_event_source*, int, uint32_t, void* self);
  void take(std::string_view bytes);

  int fd_;
  Line line_;
  std::string rest_;
  Source source_;
};

// Makes the instance ("fmd-disk"), or finds the one of before, and switches the events on. Returns its
// trace_pipe. An error when the kernel has no tracefs, or not one of the events.
Result<std::string> set_up_trace(const Host& host, std::string_view instance,
                                 const std::vector<TraceEvent>& events);
// Again, since modules (libata) come later; those that are on already are left alone. How many are.
size_t switch_on_events(const Host& host, std::string_view instance,
                        const std::vector<TraceEvent>& events);

}  // namespace fmd::sdk
