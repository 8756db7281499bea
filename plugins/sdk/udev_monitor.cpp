#include "plugins/sdk/udev_monitor.h"

#include <errno.h>
#include <libudev.h>
#include <syslog.h>
#include <systemd/sd-event.h>

#include "plugins/sdk/plugin.h"
#include "plugins/sdk/timer.h"

namespace fmd::sdk {
namespace {

constexpr int kReceiveBuffer = 8 << 20;  // bytes; holds a shelf of disks with partitions at once
constexpr int kMessagesPerTurn = 64;     // so that a storm does not starve other sources

struct UdevDeleter {
  void operator()(udev* context) const { udev_unref(context); }
  void operator()(udev_monitor* monitor) const { udev_monitor_unref(monitor); }
  void operator()(udev_device* device) const { udev_device_unref(device); }
};
template <class T>
using Udev = std::unique_ptr<T, UdevDeleter>;

std::string text(const char* value) {
  return value ? value : "";
}

}  // namespace

struct UdevMonitor::Impl {
  Callback callback;
  Udev<udev> context;
  Udev<udev_monitor> monitor;
  Source source;

  static int on_message(sd_event_source*, int, uint32_t, void* self) {
    auto* impl = static_cast<Impl*>(self);
    for (int i = 0; i < kMessagesPerTurn; ++i) {
      errno = 0;
      Udev<udev_device> device(udev_monitor_receive_device(impl->monitor.get()));
      if (!device && errno == ENOBUFS) {
        impl->callback({"lost", "", ""});
        continue;
      }
      if (!device) break;
      Event event{text(udev_device_get_action(device.get())),
                  text(udev_device_get_subsystem(device.get())),
                  text(udev_device_get_sysname(device.get()))};
      for (const char* name : {"DM_ACTION", "DM_PATH", "DM_NAME"})
        if (const char* value = udev_device_get_property_value(device.get(), name))
          event.properties[name] = value;
      impl->callback(event);
    }
    return 0;
  }
};

UdevMonitor::UdevMonitor(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
UdevMonitor::~UdevMonitor() = default;

Result<std::unique_ptr<UdevMonitor>> UdevMonitor::open(sd_event* loop,
                                                       const std::vector<std::string>& subsystems,
                                                       Callback callback) {
  auto impl = std::make_unique<Impl>();
  impl->callback = std::move(callback);
  impl->context.reset(udev_new());
  if (impl->context)
    impl->monitor.reset(udev_monitor_new_from_netlink(impl->context.get(), "udev"));
  if (!impl->monitor) return fail("cannot listen to udev");
  for (const auto& subsystem : subsystems)
    udev_monitor_filter_add_match_subsystem_devtype(impl->monitor.get(), subsystem.c_str(),
                                                    nullptr);
  udev_monitor_set_receive_buffer_size(impl->monitor.get(), kReceiveBuffer);
  sd_event_source* source = nullptr;
  if (udev_monitor_enable_receiving(impl->monitor.get()) < 0 ||
      sd_event_add_io(loop, &source, udev_monitor_get_fd(impl->monitor.get()), EPOLLIN,
                      &Impl::on_message, impl.get()) < 0)
    return fail("cannot listen to udev");
  impl->source.reset(source);
  return std::unique_ptr<UdevMonitor>(new UdevMonitor(std::move(impl)));
}

std::unique_ptr<UdevMonitor> UdevMonitor::of_host(const Host& host, sd_event* loop,
                                                  const std::vector<std::string>& subsystems,
                                                  Callback callback) {
  if (!host.real()) return nullptr;
  auto monitor = open(loop, subsystems, std::move(callback));
  if (monitor) return std::move(*monitor);
  log(LOG_WARNING, monitor.error().text() + "; looking from time to time only");
  return nullptr;
}

}  // namespace fmd::sdk
