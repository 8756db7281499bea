#include "fmd/bus/boot_watch.h"

#include <algorithm>
#include <string_view>

namespace fmd::bus {
namespace {

constexpr std::array kUnits{"fmd.target", "fmd.service"};

// States of systemctl(1), is-enabled. Nothing for linked, static or generated units.
std::optional<bool> is_enabled(std::string_view state) {
  if (state == "enabled" || state == "alias" || state == "indirect") return true;
  if (state == "disabled" || state == "masked" || state == "enabled-runtime" ||
      state == "masked-runtime")
    return false;
  return {};
}

}  // namespace

void BootWatch::ask(sd_bus* bus) {
  forget();
  for (size_t i = 0; i < questions_.size(); ++i) {
    Question& question = questions_[i];
    question.watch = this;
    sd_bus_slot* slot = nullptr;
    sd_bus_call_method_async(bus, &slot, "org.freedesktop.systemd1", "/org/freedesktop/systemd1",
                             "org.freedesktop.systemd1.Manager", "GetUnitFileState", on_state,
                             &question, "s", kUnits[i]);
    question.slot.reset(slot);
  }
}

void BootWatch::forget() {
  for (Question& question : questions_) question = {};
}

int BootWatch::on_state(sd_bus_message* reply, void* self, sd_bus_error*) {
  auto& question = *static_cast<Question*>(self);
  const char* state = nullptr;
  if (!sd_bus_message_is_method_error(reply, nullptr) &&
      sd_bus_message_read(reply, "s", &state) >= 0)
    question.enabled = is_enabled(state);
  question.watch->answered();
  return 0;
}

// One enabled unit is enough; "not enabled" needs both answers.
void BootWatch::answered() {
  const auto says = [this](bool enabled) {
    return std::count_if(questions_.begin(), questions_.end(),
                         [&](const Question& q) { return q.enabled == enabled; });
  };
  if (says(true) > 0) return told_(true);
  if (says(false) == static_cast<long>(questions_.size())) told_(false);
}

}  // namespace fmd::bus
