#include "plugins/enclosure/components.h"

namespace fmd::enclosure {

std::shared_ptr<Components> Components::ask(std::shared_ptr<Lane> lane, std::string device,
                                            SesLayout layout, Done done) {
  std::shared_ptr<Components> self(
      new Components(std::move(lane), std::move(device), std::move(layout), std::move(done)));
  if (self->layout_.configuration.empty())
    self->ask_layout();
  else
    self->ask_status();
  return self;
}

void Components::page(const char* number, Page then) {
  lane_->run_command(
      {"sg_ses", "--readonly", std::string("--page=") + number, "-rr", device_},
      [weak = weak_from_this(), then = std::move(then)](const sdk::CommandOutput& output) {
        if (auto self = weak.lock()) then(output);
      },
      false);
}

void Components::ask_layout() {
  fresh_ = true;
  page("0x1", [this](const sdk::CommandOutput& configuration) {
    if (!configuration.ok())
      return done_(fail(configuration.explain("sg_ses " + device_)),
                   configuration.end == sdk::CommandOutput::End::deadline);
    layout_.configuration = configuration.out;
    page("0x7", [this](const sdk::CommandOutput& descriptors) {
      // The names of elements are optional; the other two pages are required.
      layout_.descriptors = descriptors.ok() ? descriptors.out : "";
      ask_status();
    });
  });
}

void Components::ask_status() {
  page("0x2", [this](const sdk::CommandOutput& status) {
    if (!status.ok())
      return done_(fail(status.explain("sg_ses " + device_)),
                   status.end == sdk::CommandOutput::End::deadline);
    answered(status.out);
  });
}

void Components::answered(const std::string& status) {
  auto elements = decode_elements(layout_.configuration, status, layout_.descriptors);
  auto slots = decode_slots(layout_.configuration, status, layout_.descriptors);
  if (elements && slots)
    return done_(Answer{layout_, std::move(*elements), std::move(*slots)}, false);
  if (!fresh_) return ask_layout();  // the shelf's configuration has changed
  done_(tl::unexpected(elements ? slots.error() : elements.error()), false);
}

}  // namespace fmd::enclosure
