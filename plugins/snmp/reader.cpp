#include "plugins/snmp/reader.h"

#include <sys/eventfd.h>
#include <sys/socket.h>
#include <syslog.h>
#include <systemd/sd-event.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>

#include "plugins/sdk/plugin.h"
#include "plugins/snmp/entity_tables.h"
#include "plugins/snmp/fmd_tables.h"
#include "plugins/snmp/source.h"

namespace fmd::snmp {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

constexpr milliseconds kPoll{10000};     // no signal reports the plugins' states
constexpr milliseconds kLeastGap{1000};  // between two queries
constexpr int kShare = 10;               // at most 1/10 of fmd's time
constexpr milliseconds kStaleAfter{60000};
constexpr int kReconnectMs = 2000;

int64_t boottime() {
  timespec now{};
  clock_gettime(CLOCK_BOOTTIME, &now);
  return now.tv_sec * 1000000000LL + now.tv_nsec;
}

// Builds the tables from fmd's state.
class Painter {
 public:
  explicit Painter(PartNumbers numbers) : numbers_(std::move(numbers)), entities_(boottime()) {}

  Picture paint(const Knowledge& knowledge) {
    const std::vector<Entity> parts = entities(knowledge, numbers_);
    std::vector<Table> tables = fmd_tables(knowledge, parts, numbers_);
    for (Table& table : entities_.build(knowledge, parts)) tables.push_back(std::move(table));
    if (auto saved = numbers_.save(); !saved && saved.error().text() != problem_)
      sdk::log(LOG_WARNING, problem_ = saved.error().text());
    return std::make_shared<const View>(std::move(tables));
  }

 private:
  PartNumbers numbers_;
  EntityTables entities_;
  std::string problem_;
};

}  // namespace

Reader::Reader(std::string bus, PartNumbers numbers, std::function<void(const Picture&)> tell)
    : tell_(std::move(tell)), bell_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
  if (bell_ >= 0)
    thread_ = std::thread([this, from = std::move(bus), kept = std::move(numbers)]() mutable {
      run(std::move(from), std::move(kept));
    });
}

Result<std::unique_ptr<Reader>> Reader::start(sd_event* loop, std::string bus, PartNumbers numbers,
                                              std::function<void(const Picture&)> tell) {
  std::unique_ptr<Reader> reader(new Reader(std::move(bus), std::move(numbers), std::move(tell)));
  sd_event_source* source = nullptr;
  if (reader->bell_ < 0 ||
      sd_event_add_io(loop, &source, reader->bell_, EPOLLIN, on_bell, reader.get()) < 0)
    return fail("the thread that asks fmd cannot be started");
  reader->bell_source_.reset(source);
  return reader;
}

Reader::~Reader() {
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
    if (descriptor_ >= 0) shutdown(descriptor_, SHUT_RDWR);
  }
  ended_.notify_all();
  if (thread_.joinable()) thread_.join();
  bell_source_.reset();
  if (bell_ >= 0) close(bell_);
}

bool Reader::pause(int wait_ms) {
  std::unique_lock lock(mutex_);
  return !ended_.wait_for(lock, milliseconds(wait_ms), [this] { return ending_; });
}

void Reader::watch(int descriptor) {
  const std::lock_guard lock(mutex_);
  descriptor_ = descriptor;
  if (ending_ && descriptor_ >= 0) shutdown(descriptor_, SHUT_RDWR);
}

void Reader::hand_over(Picture picture) {
  {
    const std::lock_guard lock(mutex_);
    picture_ = std::move(picture);
  }
  const uint64_t one = 1;
  if (write(bell_, &one, sizeof one) < 0) return;  // already signalled
}

int Reader::on_bell(sd_event_source*, int fd, uint32_t, void* self) {
  uint64_t rung = 0;
  if (read(fd, &rung, sizeof rung) < 0) return 0;
  auto& reader = *static_cast<Reader*>(self);
  Picture picture;
  {
    const std::lock_guard lock(reader.mutex_);
    picture.swap(reader.picture_);
  }
  if (picture) reader.tell_(picture);
  return 0;
}

void Reader::run(std::string bus, PartNumbers numbers) {
  Source source(std::move(bus));
  Painter painter(std::move(numbers));
  auto answered = Clock::now();  // fmd's last answer
  milliseconds gap = kLeastGap;
  bool stale = false;
  hand_over(painter.paint({}));  // empty tables until fmd answers
  while (pause(0)) {
    const auto begun = Clock::now();
    Result<void> good;
    bool asked = true;
    if (!source.is_open()) {
      good = source.connect();
      watch(source.descriptor());
      if (good) good = source.refresh();
    } else if (begun - answered >= kPoll || (source.changed() && begun - answered >= gap)) {
      good = source.refresh();
    } else {
      const auto due = source.changed() ? gap : kPoll;
      const auto left = std::chrono::duration_cast<milliseconds>(answered + due - begun);
      good = source.listen(static_cast<uint64_t>(std::clamp(left, milliseconds(1), kPoll).count()));
      asked = false;
    }
    if (!good) {
      watch(-1);
      source.close();
      if (!stale && Clock::now() - answered >= kStaleAfter) {
        stale = true;
        hand_over(painter.paint(source.knowledge(false)));
      }
      if (!pause(kReconnectMs)) return;
      continue;
    }
    if (!asked) continue;
    answered = Clock::now();
    gap =
        std::max(kLeastGap, std::chrono::duration_cast<milliseconds>((answered - begun) * kShare));
    stale = false;
    hand_over(painter.paint(source.knowledge(true)));
  }
}

}  // namespace fmd::snmp
