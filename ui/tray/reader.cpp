#include "ui/tray/reader.h"

#include <condition_variable>
#include <deque>
#include <mutex>
#include <optional>
#include <thread>

namespace fmd::tray {

struct Reader::Queue {
  std::mutex mutex;
  std::condition_variable changed;
  std::deque<Job> jobs;
  bool ending = false;
};

Reader::Reader(ui::Target target) : queue_(std::make_shared<Queue>()) {
  std::thread(run, queue_, std::move(target)).detach();
}

Reader::~Reader() {
  const std::lock_guard lock(queue_->mutex);
  queue_->ending = true;
  queue_->jobs.clear();
  queue_->changed.notify_all();
}

void Reader::add(Job job) {
  const std::lock_guard lock(queue_->mutex);
  queue_->jobs.push_back(std::move(job));
  queue_->changed.notify_all();
}

void Reader::run(std::shared_ptr<Queue> queue, ui::Target target) {
  std::optional<ui::Client> client;
  for (;;) {
    Job job;
    {
      std::unique_lock lock(queue->mutex);
      queue->changed.wait(lock, [&] { return queue->ending || !queue->jobs.empty(); });
      if (queue->ending) return;
      job = std::move(queue->jobs.front());
      queue->jobs.pop_front();
    }
    if (!client || !client->connected()) {
      client.reset();
      auto made = ui::Client::connect(target);
      if (!made) {
        job(tl::unexpected(made.error()));
        continue;
      }
      client.emplace(std::move(*made));
    }
    job(&*client);
    if (client->away()) client.reset();
  }
}

}  // namespace fmd::tray
