#include "ui/tray/hosts.h"

#include <QRegularExpression>
#include <algorithm>

namespace fmd::tray {

Session* Hosts::add(ui::Target target, const QString& name, Session::Patience patience) {
  sessions_.push_back(std::make_unique<Session>(std::move(target), name, patience));
  Session* added = sessions_.back().get();
  connect(added, &Session::changed, this, [this, added] { emit changed(added); });
  connect(added, &Session::answered, this,
          [this, added](const QString& what, bool done, const QString& text) {
            emit answered(added, what, done, text);
          });
  emit listed();
  return added;
}

// Passed to ssh(1), so it must not look like an option.
bool Hosts::is_name(const QString& host) {
  return !host.isEmpty() && !host.startsWith('-') && !host.contains(QRegularExpression("\\s"));
}

Session* Hosts::remote(const QString& host) const {
  for (const auto& one : sessions_)
    if (!host.isEmpty() && one->target().host == host.toStdString()) return one.get();
  return nullptr;
}

Session* Hosts::add_remote(const QString& host) {
  const QString name = host.trimmed();
  if (!is_name(name) || remote(name)) return nullptr;
  ui::Target target;
  target.host = name.toStdString();
  return add(std::move(target), name);
}

void Hosts::remove(Session* session) {
  const auto at = std::find_if(sessions_.begin(), sessions_.end(),
                               [&](const auto& one) { return one.get() == session; });
  if (at == sessions_.end()) return;
  const std::unique_ptr<Session> gone = std::move(*at);
  sessions_.erase(at);
  emit listed();
}

QStringList Hosts::remotes() const {
  QStringList names;
  for (const auto& one : sessions_)
    if (!one->target().host.empty()) names << QString::fromStdString(one->target().host);
  return names;
}

Health Hosts::health() const {
  Health worst = Health::ok;
  for (const auto& one : sessions_)
    worst = std::max(worst, health_of(one->snapshot().get(), one->connected()));
  return worst;
}

std::vector<Session*> Hosts::by_need() const {
  std::vector<Session*> list;
  for (const auto& one : sessions_) list.push_back(one.get());
  std::stable_sort(list.begin(), list.end(), [](const Session* a, const Session* b) {
    const Health x = health_of(a->snapshot().get(), a->connected());
    const Health y = health_of(b->snapshot().get(), b->connected());
    return x != y ? x > y : a->name() < b->name();
  });
  return list;
}

}  // namespace fmd::tray
