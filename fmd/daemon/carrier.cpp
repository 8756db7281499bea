#include "fmd/daemon/carrier.h"

#include <utility>

namespace fmd {

Result<void> Carrier::carry_out(Committed committed) {
  const Result<void> outcome = committed.outcome;
  waiting_.push_back(std::move(committed));
  if (carrying_) return outcome;
  carrying_ = true;
  while (!waiting_.empty()) {
    const Committed next = std::move(waiting_.front());
    waiting_.pop_front();
    carry(next);
  }
  carrying_ = false;
  return outcome;
}

void Carrier::carry(const Committed& committed) {
  for (const LogLine& line : committed.log) outlets_.log(line);
  if (committed.flow) outlets_.set_flow(*committed.flow);
  for (const auto& answer : committed.answers) answer();
  if (committed.lights_ahead) outlets_.keep_lights(*committed.lights_ahead);
  for (const Command& command : committed.commands) outlets_.send(command);
  for (const OrderResult& result : committed.orders) outlets_.ordered(result);
  if (!committed.changes.empty()) outlets_.changed(committed.changes);
  if (committed.start_again) outlets_.start_again();
}

}  // namespace fmd
