#include "plugins/enclosure/led_order.h"

#include "plugins/enclosure/enclosure_scan.h"

namespace fmd::enclosure {
namespace {

// In the child: returns "=VALUE" as read back, else the error.
std::string write_and_read(const sdk::Host& host, const std::string& file, const std::string& value,
                           bool reads_back, const LedOrder::Write& write) {
  if (!host.exists(file)) return "the enclosure has no such LED";
  auto written = write ? write(host, file, value) : host.write(file, value);
  if (!written) return written.error().message;
  if (!reads_back) return "=";
  auto read = host.read(file);
  return read ? "=" + *read : read.error().message;
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
  if (!way.command) return put(way);
  std::vector<std::string> command = way.command();
  program_ = command.front();
  way.lane->run_command(
      std::move(command),
      [weak = weak_from_this()](const sdk::CommandOutput& output) {
        if (auto self = weak.lock()) self->commanded(output);
      },
      true);
}

void LedOrder::put(const Way& way) {
  exact_ = static_cast<bool>(way.value);
  written_ = exact_ ? way.value() : on_ ? "1" : "0";
  reads_back_ = way.reads_back;
  not_ours_ = way.not_ours;
  way.lane->run([&host = host_, file = way.file, value = written_, reads_back = reads_back_,
                 write = write_] { return write_and_read(host, file, value, reads_back, write); },
                [weak = weak_from_this()](const sdk::CommandOutput& output) {
                  if (auto self = weak.lock()) self->answered(output);
                },
                true);
}

void LedOrder::commanded(const sdk::CommandOutput& output) {
  using End = sdk::CommandOutput::End;
  if (output.ok()) return done_({true, "", tries_});
  done_({false,
         output.end == End::deadline ? program_ + " does not answer" : output.explain(program_),
         tries_});
}

void LedOrder::answered(const sdk::CommandOutput& output) {
  std::string reason;
  if (!output.ok()) {
    reason = "the enclosure does not answer";
  } else if (!output.out.starts_with('=')) {
    reason = output.out;
  } else {
    // Some enclosures read back 2 or more. Any value but 0 means lit, except for the disk's own
    // signal.
    const std::string value = output.out.substr(1);
    const auto number = to_number(trim(value));
    const bool lit = number && (*number & ~not_ours_) != 0;
    const bool right = exact_ ? value == written_ : number && lit == on_;
    if (right || !reads_back_) return done_({true, "", tries_});
    reason = "written " + written_ + ", reads back " + (value.empty() ? "nothing" : value);
  }
  if (tries_ >= kTries) return done_({false, reason, tries_});
  timer_.start(kBetween, [this] {
    auto self = shared_from_this();
    attempt();
  });
}

}  // namespace fmd::enclosure
