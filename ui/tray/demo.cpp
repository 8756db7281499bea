#include "ui/tray/demo.h"

#include <QJsonDocument>
#include <QJsonObject>

namespace fmd::tray {

Demo::Demo(QObject* parent) : QObject(parent) {
  process_.setProcessChannelMode(QProcess::ForwardedErrorChannel);
  connect(&process_, &QProcess::readyReadStandardOutput, this, &Demo::read);
  connect(&process_, &QProcess::errorOccurred, this, [this](QProcess::ProcessError error) {
    if (error == QProcess::FailedToStart) emit failed(tr("python3 is needed for the demo"));
  });
  connect(&process_, &QProcess::finished, this, [this](int status) {
    emit failed(tr("The simulated host has ended (status %1)").arg(status));
  });
}

Demo::~Demo() {
  process_.disconnect(this);
  process_.closeWriteChannel();  // it takes all down, and ends
  if (!process_.waitForFinished(10000)) process_.kill();
  process_.waitForFinished(2000);
}

void Demo::start(const QString& folder, const QString& build) {
  QStringList arguments{folder + "/desktop_demo.py"};
  if (!build.isEmpty()) arguments << "--build" << build;
  process_.start("python3", arguments);
}

void Demo::next() {
  process_.write("next\n");
}

void Demo::read() {
  rest_ += process_.readAllStandardOutput();
  for (qsizetype end = rest_.indexOf('\n'); end >= 0; end = rest_.indexOf('\n')) {
    const QJsonObject line = QJsonDocument::fromJson(rest_.left(end)).object();
    rest_.remove(0, end + 1);
    if (line.contains("bus")) emit began(line["bus"].toString());
    if (line.contains("next")) emit ready(line["told"].toString(), line["next"].toString());
  }
}

}  // namespace fmd::tray
