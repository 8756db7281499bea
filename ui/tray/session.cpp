#include "ui/tray/session.h"

#include <malloc.h>

#include <QCoreApplication>
#include <algorithm>
#include <chrono>
#include <thread>

#include "fmd/base/json.h"
#include "ui/client/documents.h"
#include "ui/client/surroundings.h"
#include "ui/tray/wake.h"

namespace fmd::tray {
namespace {

constexpr int kGatherMs = 250, kFirstRetryMs = 1000, kLastRetryMs = 30000;

Result<std::vector<Case>> open_cases(ui::Client& client, ui::AdviceByCase& advice) {
  auto cases = ui::fetch_cases(client, nlohmann::json::object(), &advice);
  if (!cases) return cases;
  std::erase_if(*cases, [](const Case& c) { return !c.open(); });
  std::stable_sort(cases->begin(), cases->end(), [](const Case& a, const Case& b) {
    const int x = severity_rank(a.severity), y = severity_rank(b.severity);
    return x != y ? x > y : a.opened_ns > b.opened_ns;
  });
  return cases;
}

Result<ui::Watching> eyes_of(ui::Client& client) {
  const auto config = client.query("GetConfig");
  if (!config) return tl::unexpected(config.error());
  const auto plugins = client.query("ListPlugins");
  if (!plugins) return tl::unexpected(plugins.error());
  return ui::watching_in(*plugins, *config);
}

// In another thread: deleting a large snapshot in a window's thread would delay a frame.
void give_back(Snapshot* snapshot) {
  constexpr size_t kBig = 1000;  // resources
  if (snapshot->inventory.all().size() < kBig)
    delete snapshot;
  else
    std::thread([snapshot] { delete snapshot; }).detach();
}

Result<SnapshotPtr> take(ui::Client& client) {
  auto around = ui::Surroundings::fetch(client);
  if (!around) return tl::unexpected(around.error());
  auto eyes = eyes_of(client);
  if (!eyes) return tl::unexpected(eyes.error());
  ui::AdviceByCase advice;
  auto cases = open_cases(client, advice);
  if (!cases) return tl::unexpected(cases.error());
  const auto now = client.query("GetStatus");  // an older fmd lacks it
  if (!now && client.away()) return tl::unexpected(now.error());
  const std::shared_ptr<Snapshot> snapshot(new Snapshot, give_back);
  snapshot->host = QString::fromStdString(around->host);
  snapshot->inventory = std::move(around->inventory);
  snapshot->cases = std::move(*cases);
  snapshot->advice = std::move(advice);
  if (now) snapshot->now = ui::machine_now_in(*now);
  snapshot->eyes = std::move(*eyes);
  snapshot->scenes = scene::compose_all(snapshot->inventory, snapshot->cases);
  snapshot->figures = heat_figures(snapshot->inventory);
  snapshot->taken = QDateTime::currentDateTime();
  malloc_trim(0);  // parsing a big host's answer needs much more memory than is kept
  return SnapshotPtr(snapshot);
}

}  // namespace

// Shared by the watching thread and the session, which the thread may outlive.
struct Session::Watch {
  Wake ending;
  int quiet_ms = 0, patience_ms = 0;
  ui::Watching eyes;          // as last shown
  QPointer<Session> session;  // used in the application's thread only

  static void tell(const std::shared_ptr<Watch>& self, SnapshotPtr snapshot, bool connected,
                   const QString& trouble) {
    run_here([self, snapshot = std::move(snapshot), connected, trouble] {
      if (self->session) self->session->tell(snapshot, connected, trouble);
    });
  }
  static bool read(const std::shared_ptr<Watch>& self, ui::Client& client) {
    const auto snapshot = take(client);
    if (!snapshot) {
      tell(self, nullptr, false, QString::fromStdString(snapshot.error().text()));
      return false;
    }
    self->eyes = (*snapshot)->eyes;
    tell(self, *snapshot, true, {});
    return true;
  }
  static bool look(const std::shared_ptr<Watch>& self, ui::Client& client);
  static void follow(const std::shared_ptr<Watch>& self, ui::Client& client);
};

namespace {

ui::Target on_desktop(ui::Target target) {
  target.desktop = true;
  return target;
}

}  // namespace

Session::Session(ui::Target target, QString name, Patience patience)
    : target_(on_desktop(std::move(target))),
      name_(std::move(name)),
      watch_(std::make_shared<Watch>()),
      reader_(target_) {
  watch_->session = this;
  watch_->quiet_ms = patience.quiet_ms;
  watch_->patience_ms = patience.answer_ms;
  std::thread(run, watch_, target_).detach();
}

Session::~Session() {
  watch_->ending.ring();
}

QString Session::name() const {
  if (snapshot_ && !snapshot_->host.isEmpty() && snapshot_->host != "-") return snapshot_->host;
  return name_.isEmpty() ? tr("This machine") : name_;
}

void Session::run_here(std::function<void()> what) {
  // The application may have ended while this thread waited for a host.
  if (QCoreApplication* app = QCoreApplication::instance())
    QMetaObject::invokeMethod(app, std::move(what), Qt::QueuedConnection);
}

void Session::tell(SnapshotPtr snapshot, bool connected, const QString& trouble) {
  if (snapshot) snapshot_ = std::move(snapshot);
  connected_ = connected;
  trouble_ = trouble;
  emit changed();
}

// Polls, because a host without power, a broken connection and a stopped plugin send no signal.
bool Session::Watch::look(const std::shared_ptr<Watch>& self, ui::Client& client) {
  const auto there = client.ping(self->patience_ms);
  // The host may stop answering after the ping.
  constexpr std::chrono::milliseconds kFew{5000}, kMany{60'000};
  client.set_patience(std::max(kFew, std::chrono::milliseconds(self->patience_ms)));
  const auto eyes = there ? eyes_of(client) : Result<ui::Watching>(tl::unexpected(there.error()));
  client.set_patience(kMany);
  if (!eyes) {
    tell(self, nullptr, false, QString::fromStdString(eyes.error().text()));
    return false;
  }
  return *eyes == self->eyes || read(self, client);
}

void Session::Watch::follow(const std::shared_ptr<Watch>& self, ui::Client& client) {
  using Clock = std::chrono::steady_clock;
  constexpr auto kNever = Clock::time_point::max();
  auto due = kNever;  // when to read changes, even if more arrive until then
  const auto quiet = std::chrono::milliseconds(self->quiet_ms);
  auto asked = Clock::now();
  while (!self->ending.rang()) {
    // Sleeps until a signal: an idle desktop costs only a few queries per minute.
    const auto until = std::min(due, asked + quiet);
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(until - Clock::now()).count();
    const auto news =
        client.wait(static_cast<uint64_t>(std::max<int64_t>(0, left)), self->ending.fd());
    if (!news) return tell(self, nullptr, false, QString::fromStdString(news.error().text()));
    if (self->ending.rang()) return;
    const auto now = Clock::now();
    if (news->signal == "Gone")
      return tell(self, nullptr, false,
                  Session::tr("fmd is not running there. Start it: systemctl start fmd"));
    if (news->signal == "EventsLogged")
      run_here([self] {
        if (self->session) emit self->session->logged();
      });
    else if (!news->signal.empty() && due == kNever)
      due = now + std::chrono::milliseconds(kGatherMs);
    const bool changed = now >= due;
    if (!changed && now - asked < quiet) continue;
    if (!(changed ? read(self, client) : look(self, client))) return;
    due = changed ? kNever : due;
    asked = Clock::now();
  }
}

void Session::run(std::shared_ptr<Watch> watch, ui::Target target) {
  int retry = kFirstRetryMs;
  while (!watch->ending.rang()) {
    auto client = ui::Client::connect(target);
    const auto heard = client ? client->subscribe() : Result<void>(tl::unexpected(client.error()));
    if (!heard) {
      Watch::tell(watch, nullptr, false, QString::fromStdString(heard.error().text()));
    } else if (Watch::read(watch, *client)) {
      retry = kFirstRetryMs;
      Watch::follow(watch, *client);
    }
    if (!watch->ending.rest(retry)) return;
    retry = std::min(retry * 2, kLastRetryMs);
  }
}

void Session::order(const QString& what, Order order) {
  std::thread([self = QPointer<Session>(this), target = target_, what, order = std::move(order)] {
    Result<std::string> result = [&]() -> Result<std::string> {
      auto client = ui::Client::connect(target);
      if (!client) return tl::unexpected(client.error());
      return order(*client);
    }();
    const bool done = result.has_value();
    const QString text = QString::fromStdString(done ? *result : result.error().text());
    run_here([self, what, done, text] {
      if (self) emit self->answered(what, done, text);
    });
  }).detach();
}

}  // namespace fmd::tray
