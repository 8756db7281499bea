#include "plugins/sdk/kernel_lines.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <systemd/sd-event.h>
#include <unistd.h>

#include <array>

namespace fmd::sdk {
namespace {

constexpr std::string_view kInstances = "/sys/kernel/tracing/instances/";
constexpr size_t kReadsPerTurn = 16;   // so that a storm does not starve other sources
constexpr size_t kLongestLine = 8192;  // the kernel's limit (CONSOLE_EXT_LOG_MAX)

}  // namespace

Result<std::unique_ptr<KernelLines>> KernelLines::open(sd_event* loop, const Host& host,
                                                       const std::string& file, Line line) {
  // A simulated host has a FIFO, which without a writer would be at its end permanently.
  const int mode = host.real() ? O_RDONLY : O_RDWR;
  const int fd = ::open(host.path(file).c_str(), mode | O_NONBLOCK | O_CLOEXEC);
  if (fd < 0) return fail("cannot read " + file + ": " + strerror(errno));
  std::unique_ptr<KernelLines> lines(new KernelLines(fd, std::move(line)));
  sd_event_source* source = nullptr;
  if (const int error = sd_event_add_io(loop, &source, fd, EPOLLIN, on_readable, lines.get());
      error < 0)
    return fail("cannot wait for " + file + ": " + strerror(-error));
  lines->source_.reset(source);
  return lines;
}

Result<std::unique_ptr<KernelLines>> KernelLines::trace(sd_event* loop, const Host& host,
                                                        std::string_view instance,
                                                        const std::vector<TraceEvent>& events,
                                                        Line line) {
  const auto pipe = set_up_trace(host, instance, events);
  if (!pipe) return tl::unexpected(pipe.error());
  return open(loop, host, *pipe, std::move(line));
}

KernelLines::~KernelLines() {
  source_.reset();
  close(fd_);
}

void KernelLines::pause(bool on) {
  sd_event_source_set_enabled(source_.get(), on ? SD_EVENT_OFF : SD_EVENT_ON);
}

int KernelLines::on_readable(sd_event_source*, int fd, uint32_t, void* self) {
  auto* lines = static_cast<KernelLines*>(self);
  std::array<char, 2 * kLongestLine> bytes;
  for (size_t i = 0; i < kReadsPerTurn; ++i) {
    const ssize_t n = ::read(fd, bytes.data(), bytes.size());
    // EPIPE: the log has overwritten unread records; the next read returns newer ones.
    if (n < 0 && (errno == EPIPE || errno == EINTR)) continue;
    if (n < 0 && errno == EAGAIN) return 0;
    if (n <= 0) {
      lines->pause(true);  // a file whose reads always fail must not keep the loop busy
      return 0;
    }
    lines->take({bytes.data(), static_cast<size_t>(n)});
  }
  return 0;
}

void KernelLines::take(std::string_view bytes) {
  rest_ += bytes;
  size_t from = 0;
  for (size_t end = rest_.find('\n'); end != rest_.npos; end = rest_.find('\n', from)) {
    line_(std::string_view(rest_).substr(from, end - from));
    from = end + 1;
  }
  rest_.erase(0, from);
  if (rest_.size() > kLongestLine) rest_.clear();
}

Result<std::string> set_up_trace(const Host& host, std::string_view instance,
                                 const std::vector<TraceEvent>& events) {
  const std::string folder = std::string(kInstances) + std::string(instance);
  if (!host.exists(folder) && mkdir(host.path(folder).c_str(), 0700) < 0)
    return fail(std::string("no tracing instance: ") + strerror(errno));
  // Setting the clock empties the buffer. Set it only once, to keep lines from while the plugin was
  // not running.
  const auto clock = host.read(folder + "/trace_clock");
  if (!clock) return tl::unexpected(clock.error());
  if (clock->find("[boot]") == clock->npos)
    if (auto set = host.write(folder + "/trace_clock", "boot"); !set)
      return tl::unexpected(set.error());
  // By default, a reader waits until the buffer is half full.
  (void)host.write(folder + "/buffer_percent", "0");
  (void)host.write(folder + "/buffer_size_kb", "128");
  const size_t on = switch_on_events(host, instance, events);
  (void)host.write(folder + "/tracing_on", "1");
  if (on == 0) return fail("the kernel knows none of the events");
  return folder + "/trace_pipe";
}

size_t switch_on_events(const Host& host, std::string_view instance,
                        const std::vector<TraceEvent>& events) {
  size_t on = 0;
  const std::string folder = std::string(kInstances) + std::string(instance) + "/events/";
  for (const TraceEvent& event : events) {
    const std::string at = folder + std::string(event.name);
    const auto enabled = host.read(at + "/enable");
    if (!enabled) continue;
    bool is_on = enabled->starts_with('1');
    bool filtered = event.filters.empty();
    for (const auto filter : event.filters)
      if (!is_on && !filtered) filtered = host.write(at + "/filter", filter).has_value();
    if (!is_on && filtered) is_on = host.write(at + "/enable", "1").has_value();
    on += is_on ? 1 : 0;
  }
  return on;
}

void switch_on_groups(const Host& host, std::string_view instance,
                      const std::vector<std::string_view>& groups) {
  for (const std::string_view group : groups) {
    const std::string file = std::string(kInstances) + std::string(instance) + "/events/" +
                             std::string(group) + "/enable";  // "X": some of its events are on
    const auto enabled = host.read(file);
    if (enabled && !enabled->starts_with('1')) (void)host.write(file, "1");
  }
}

}  // namespace fmd::sdk
