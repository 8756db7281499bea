#include "plugins/enclosure/components.h"

#include <array>

namespace fmd::enclosure {
namespace {

// Configuration and names first, the status last: then it is the freshest.
constexpr std::array<const char*, 3> kPages{"0x1", "0x7", "0x2"};

}  // namespace

std::shared_ptr<Components> Components::ask(std::shared_ptr<Lane> lane, std::string device,
                                            Done done) {
  std::shared_ptr<Components> self(
      new Components(std::move(lane), std::move(device), std::move(done)));
  self->next();
  return self;
}

void Components::next() {
  const size_t at = pages_.size();
  if (at == kPages.size()) return done_(decode_elements(pages_[0], pages_[2], pages_[1]));
  lane_->run_command(
      {"sg_ses", "--readonly", std::string("--page=") + kPages[at], "-rr", device_},
      [weak = weak_from_this(), at](const sdk::CommandOutput& output) {
        auto self = weak.lock();
        if (!self) return;
        // Not every enclosure has names for its elements; the other two pages are needed.
        if (!output.ok() && at != 1)
          return self->done_(fail(output.explain("sg_ses " + self->device_)));
        self->pages_.push_back(output.ok() ? output.out : "");
        self->next();
      },
      false);
}

}  // namespace fmd::enclosure
