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

// A kernel event to switch on in a tracefs instance.
struct TraceEvent {
  std::string_view name;  // "block/block_rq_error"
  // Filters: the first one whose fields the kernel knows is used; if it knows none, the event stays
  // off. Empty: no filter.
  std::vector<std::string_view> filters;
  // Parts of the format's "print fmt" that the parser of its lines needs.
  std::vector<std::string_view> marks = {};
};

class KernelLines {
 public:
  using Line = std::function<void(std::string_view)>;
  // Starts at the oldest available line. An error if the file is missing or unreadable.
  static Result<std::unique_ptr<KernelLines>> open(sd_event* loop, const Host& host,
                                                   const std::string& file, Line line);
  // Sets up the trace with set_up_trace() and reads it.
  static Result<std::unique_ptr<KernelLines>> trace(sd_event* loop, const Host& host,
                                                    std::string_view instance,
                                                    const std::vector<TraceEvent>& events,
                                                    Line line);
  ~KernelLines();
  KernelLines(const KernelLines&) = delete;
  KernelLines& operator=(const KernelLines&) = delete;
  void pause(bool on);  // meanwhile the kernel keeps as many lines as fit in its buffer

 private:
  KernelLines(int fd, Line line) : fd_(fd), line_(std::move(line)) {}
  static int on_readable(sd_event_source*, int, uint32_t, void* self);
  void take(std::string_view bytes);

  int fd_;
  Line line_;
  std::string rest_;
  Source source_;
};

// Creates the instance ("fmd-disk") or reuses an existing one, and switches the events on. Returns
// its trace_pipe. An error if the kernel has no tracefs or none of the events.
Result<std::string> set_up_trace(const Host& host, std::string_view instance,
                                 const std::vector<TraceEvent>& events);
// Repeat it, since modules (libata) may load later; returns how many are on.
size_t switch_on_events(const Host& host, std::string_view instance,
                        const std::vector<TraceEvent>& events);
// Switches on all events of these groups ("ras"), also those that the plugin does not know.
void switch_on_groups(const Host& host, std::string_view instance,
                      const std::vector<std::string_view>& groups);

}  // namespace fmd::sdk
