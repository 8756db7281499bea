#include "ui/tray/demo.h"

#include <QCoreApplication>
#include <QDir>
#include <QFile>
#include <QJsonDocument>
#include <QJsonObject>

#include "ui/client/paths.h"

namespace fmd::tray {

std::optional<Simulator> find_simulator(const QString& own, const QString& installed) {
  const QString build = QDir::cleanPath(QDir(own).filePath("../..")), story = "/desktop_demo.py";
  const QString folder = QDir::cleanPath(QDir(build).filePath("../simulator"));
  if (QFile::exists(folder + story) && QFile::exists(build + "/fmd/fmd"))
    return Simulator{folder, build};
  if (QFile::exists(installed + story)) return Simulator{installed, {}};
  return {};
}

std::optional<Simulator> find_simulator() {
  return find_simulator(QCoreApplication::applicationDirPath(), FMD_SIMULATOR_DIR);
}

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
  order("next");
}

void Demo::order(const QByteArray& word) {
  process_.write(word + "\n");
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
