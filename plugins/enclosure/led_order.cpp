#include "plugins/enclosure/led_order.h"

namespace fmd::enclosure {
namespace {

// In the child: "=VALUE" as read back, else why not.
std::string write_and_read(const sdk::Host& host, const std::string& file, bool on,
                           const LedOrder::Write& write) {
  if (!host.exists(file)) return "the enclosure has no such LED";
  const std::string_view value_to_write = on ? "1" : "0";
  auto written = write ? write(host, file, value_to_write) : host.write(file, value_to_write);
  if (!written) return written.error().message;
  auto value = host.read(file);
  return value ? "=" + *value : value.error().message;
}

}  // namespace

std::shared_ptr<LedOrder> LedOrder::start(sd_event* loop, const sdk::Host& host,
                                          std::vector<Way> ways, bool on, Write write, Done done) {
  std::shared_ptr<LedOrder> order(
      new LedOrder(loop, host, std::move(ways), on, std::move(write), std::move(done)));
  order->attempt();
  return order;
}

void LedOrder::attempt() {
  const Way& way = ways_[static_cast<size_t>(tries_) % ways_.size()];
  ++tries_;
  way.lane->run([&host = host_, file = way.file, on = on_,
                 write = write_] { return write_and_read(host, file, on, write); },
                [weak = weak_from_this()](const sdk::CommandOutput& output) {
                  if (auto self = weak.lock()) self->answered(output);
                },
                true);
}

void LedOrder::answered(const sdk::CommandOutput& output) {
  std::string reason;
  if (!output.ok()) {
    reason = "the enclosure does not answer";
  } else if (!output.out.starts_with('=')) {
    reason = output.out;
  } else {
    // Some read back 2 or more (requested, sensed): anything but 0 is lit.
    const std::string value = output.out.substr(1);
    const bool lit = value.find_first_not_of('0') != std::string::npos;
    if (!value.empty() && lit == on_) return done_({true, "", tries_});
    reason = std::string("written ") + (on_ ? "1" : "0") + ", reads back " +
             (value.empty() ? "nothing" : value);
  }
  if (tries_ >= kTries) return done_({false, reason, tries_});
  timer_.start(kBetween, [this] {
    auto self = shared_from_this();
    attempt();
  });
}

}  // namespace fmd::enclosure
