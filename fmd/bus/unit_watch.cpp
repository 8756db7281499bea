#include "fmd/bus/unit_watch.h"

#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string_view>

namespace fmd::bus {
namespace {

struct Properties {
  std::string load, active, file;  // as `systemctl show` prints them
  bool condition = true;
  uint64_t condition_us = 0;  // of the last check; 0: never
};

int read_property(sd_bus_message* reply, Properties& out) {
  const char* name = nullptr;
  int r = sd_bus_message_read_basic(reply, 's', &name);
  if (r < 0) return r;
  const std::string_view member = name;
  const auto text = [&](std::string& into) {
    const char* value = nullptr;
    const int read = sd_bus_message_read(reply, "v", "s", &value);
    if (read >= 0) into = value;
    return read;
  };
  if (member == "LoadState") return text(out.load);
  if (member == "ActiveState") return text(out.active);
  if (member == "UnitFileState") return text(out.file);
  if (member == "ConditionTimestampMonotonic")
    return sd_bus_message_read(reply, "v", "t", &out.condition_us);
  if (member != "ConditionResult") return sd_bus_message_skip(reply, "v");
  int met = 1;
  r = sd_bus_message_read(reply, "v", "b", &met);
  out.condition = met != 0;
  return r;
}

bool read_all(sd_bus_message* reply, Properties& out) {
  if (sd_bus_message_enter_container(reply, 'a', "{sv}") < 0) return false;
  int r = 0;
  while ((r = sd_bus_message_enter_container(reply, 'e', "sv")) > 0)
    if (read_property(reply, out) < 0 || sd_bus_message_exit_container(reply) < 0) return false;
  return r >= 0;
}

// A unit that failed and was then disabled is no longer wanted; one that systemd restarts is.
UnitState state_of(const Properties& unit) {
  if (unit.load == "not-found") return UnitState::absent;
  const bool rests = unit.active == "inactive" || unit.active == "failed";
  if (!rests) return unit.active.empty() ? UnitState::unknown : UnitState::runs;
  if (unit.load == "masked" || unit.file == "disabled" || unit.file.starts_with("masked"))
    return UnitState::disabled;
  if (unit.active == "failed" || unit.load != "loaded") return UnitState::failed;
  return unit.condition || unit.condition_us == 0 ? UnitState::stopped : UnitState::unmet;
}

std::string path_of(const std::string& plugin) {
  char* path = nullptr;
  if (sd_bus_path_encode("/org/freedesktop/systemd1/unit", unit_of_plugin(plugin).c_str(), &path) <
      0)
    return {};
  const std::unique_ptr<char, decltype(&free)> owned(path, free);
  return path;
}

}  // namespace

void UnitWatch::ask(sd_bus* bus, const std::vector<std::string>& plugins) {
  for (const std::string& plugin : plugins) {
    Question& question = questions_[plugin];
    question.watch = this;
    question.plugin = plugin;
    sd_bus_slot* slot = nullptr;
    sd_bus_call_method_async(bus, &slot, "org.freedesktop.systemd1", path_of(plugin).c_str(),
                             "org.freedesktop.DBus.Properties", "GetAll", on_properties, &question,
                             "s", "org.freedesktop.systemd1.Unit");
    question.slot.reset(slot);
  }
}

void UnitWatch::forget() {
  questions_.clear();
}

int UnitWatch::on_properties(sd_bus_message* reply, void* self, sd_bus_error*) {
  auto& question = *static_cast<Question*>(self);
  Properties unit;
  const bool told = !sd_bus_message_is_method_error(reply, nullptr) && read_all(reply, unit);
  if (!told) {
    question.watch->questions_.erase(std::string(question.plugin));
    return 0;
  }
  question.state = state_of(unit);
  sd_bus_slot* slot = nullptr;
  sd_bus_call_method_async(sd_bus_message_get_bus(reply), &slot, "org.freedesktop.systemd1",
                           path_of(question.plugin).c_str(), "org.freedesktop.DBus.Properties",
                           "Get", on_restarts, &question, "ss", "org.freedesktop.systemd1.Service",
                           "NRestarts");
  question.slot.reset(slot);
  return 0;
}

int UnitWatch::on_restarts(sd_bus_message* reply, void* self, sd_bus_error*) {
  const auto& question = *static_cast<Question*>(self);
  UnitWatch& watch = *question.watch;
  const std::string plugin = question.plugin;
  const UnitState state = question.state;
  uint32_t restarts = 0;
  if (!sd_bus_message_is_method_error(reply, nullptr))
    sd_bus_message_read(reply, "v", "u", &restarts);
  watch.questions_.erase(plugin);
  watch.told_(plugin, state, restarts);
  return 0;
}

}  // namespace fmd::bus
