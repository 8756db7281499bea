#include "ui/tray/demo.h"

#include <QCoreApplication>
#include <QDir>
#include <QFile>
#include <QJsonDocument>
#include <QJsonObject>

#include "ui/client/paths.h"

namespace fmd::tray {
namespace {

// Translates texts of simulator/desktop_demo.py; unknown texts stay unchanged.
QString story_words(const QString& told) {
  static constexpr const char* kStory[] = {
      QT_TRANSLATE_NOOP(
          "Demo",
          "A storage server: eight bays, a raidz2 pool of six disks, a spare. All is well."),
      QT_TRANSLATE_NOOP("Demo", "The disk in bay 4 begins to return garbage"),
      QT_TRANSLATE_NOOP("Demo", "The disk in bay 4 returns garbage. Nobody has noticed."),
      QT_TRANSLATE_NOOP("Demo", "The monthly scrub finds it"),
      QT_TRANSLATE_NOOP("Demo",
                        "Ten checksum errors: the disk is faulty. The spare takes over when the "
                        "scrub has ended."),
      QT_TRANSLATE_NOOP("Demo", "A person pulls the disk"),
      QT_TRANSLATE_NOOP("Demo", "The bay is empty."),
      QT_TRANSLATE_NOOP("Demo", "A new disk goes in"),
      QT_TRANSLATE_NOOP("Demo",
                        "The new disk is taken; when it holds all data the case is resolved.")};
  for (const char* one : kStory)
    if (told == one) return Demo::tr(one);
  return told;
}

}  // namespace

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
  process_.closeWriteChannel();  // the program stops everything at the end of its input
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
    if (line.contains("next"))
      emit ready(story_words(line["told"].toString()), story_words(line["next"].toString()));
  }
}

}  // namespace fmd::tray
