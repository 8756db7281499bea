#include "ui/client/absence.h"

namespace fmd::ui {
namespace {

constexpr const char* kSystemd = "org.freedesktop.systemd1";
constexpr const char* kUnit = "/org/freedesktop/systemd1/unit/fmd_2eservice";
constexpr uint64_t kPatienceUs = 500'000;  // per query; there are four
constexpr int kWrongConfiguration = 78;    // fmd's exit status (fmd/daemon/main.cpp)

// Not sd_bus_get_property(), which waits 25 s for a systemd that hangs.
sd_bus_message* get(sd_bus* bus, const char* interface, const char* property) {
  sd_bus_message *call = nullptr, *reply = nullptr;
  int r = sd_bus_message_new_method_call(bus, &call, kSystemd, kUnit,
                                         "org.freedesktop.DBus.Properties", "Get");
  if (r >= 0) r = sd_bus_message_append(call, "ss", interface, property);
  if (r >= 0) sd_bus_message_set_auto_start(call, 0);
  if (r >= 0) r = sd_bus_call(bus, call, kPatienceUs, nullptr, &reply);
  sd_bus_message_unref(call);
  return r < 0 ? nullptr : reply;
}

bool read_word(sd_bus* bus, const char* property, std::string& into) {
  sd_bus_message* reply = get(bus, "org.freedesktop.systemd1.Unit", property);
  const char* text = nullptr;
  const bool read = reply && sd_bus_message_read(reply, "v", "s", &text) >= 0;
  if (read) into = text;
  sd_bus_message_unref(reply);
  return read;
}

}  // namespace

FmdUnit ask_fmd_unit(sd_bus* bus) {
  FmdUnit unit;
  if (!read_word(bus, "ActiveState", unit.active) || !read_word(bus, "SubState", unit.sub))
    return {};
  sd_bus_message* reply = get(bus, "org.freedesktop.systemd1.Service", "ExecMainStatus");
  if (reply) sd_bus_message_read(reply, "v", "i", &unit.exit_status);
  sd_bus_message_unref(reply);
  if (!read_word(bus, "LoadState", unit.load)) return {};
  return unit;
}

std::string absence_words(const FmdUnit& unit, const std::string& bus) {
  if (unit.load == "loaded" && unit.active == "active")
    return "fmd is running, but it has no name on " + bus +
           ": the bus has not read fmd's policy file. Make it read it with: systemctl reload dbus "
           "(if that does not help: journalctl -u fmd)";
  if (unit.load == "loaded" && unit.exit_status == kWrongConfiguration)
    return "fmd does not start: there are errors in its configuration or rules. List them with: "
           "fmd "
           "--check; after correcting them: systemctl restart fmd";
  if (unit.load == "loaded" && (unit.active == "failed" || unit.sub == "auto-restart"))
    return "fmd ends as soon as it is started (exit status " + std::to_string(unit.exit_status) +
           "); find out why with: journalctl -u fmd";
  if (unit.load == "loaded" && unit.active == "activating")
    return "fmd is starting; try again in a moment (systemctl status fmd)";
  if (unit.load == "not-found") return "fmd is not installed there (systemd has no fmd.service)";
  return "fmd is not running (no org.fmd.FaultManager1 on " + bus +
         "); start it, now and at each boot, with: systemctl enable --now fmd.target";
}

}  // namespace fmd::ui
