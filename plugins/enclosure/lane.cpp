#include "plugins/enclosure/lane.h"

#include <utility>

namespace fmd::enclosure {

void Lane::run(Work work, Done done, bool urgent) {
  add({std::move(work), {}, std::move(done)}, urgent);
}

void Lane::run_command(std::vector<std::string> argv, Done done, bool urgent) {
  add({{}, std::move(argv), std::move(done)}, urgent);
}

void Lane::add(Job job, bool urgent) {
  (urgent ? urgent_ : jobs_).push_back(std::move(job));
  if (stuck_)
    refuse_.start(std::chrono::milliseconds(0), [this] { refuse_all(); });
  else
    next();
}

void Lane::next() {
  auto& from = urgent_.empty() ? jobs_ : urgent_;
  if (busy_ || from.empty()) return;
  busy_ = true;
  Job job = std::move(from.front());
  from.pop_front();
  auto weak = weak_from_this();
  auto done = [weak, done = std::move(job.done)](const sdk::CommandOutput& output) {
    if (auto self = weak.lock()) self->answered(done, output);
  };
  auto gone = [weak] {
    auto self = weak.lock();
    if (!self) return;
    self->busy_ = self->stuck_ = false;
    self->next();
  };
  if (job.argv.empty())
    host_.run_apart(std::move(job.work), deadline_, std::move(done), std::move(gone));
  else
    host_.run(std::move(job.argv), deadline_, std::move(done), std::move(gone));
}

void Lane::answered(const Done& done, const sdk::CommandOutput& output) {
  stuck_ = output.end == sdk::CommandOutput::End::deadline;
  done(output);
  if (stuck_) refuse_all();
}

void Lane::refuse_all() {
  auto self = shared_from_this();
  sdk::CommandOutput output;
  output.end = sdk::CommandOutput::End::deadline;
  for (auto* jobs : {&urgent_, &jobs_})
    for (auto& job : std::exchange(*jobs, {})) job.done(output);
}

}  // namespace fmd::enclosure
