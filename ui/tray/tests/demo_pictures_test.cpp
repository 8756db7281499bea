// `fmtray --demo --screenshot` with the real fmd on the simulated host: the documents' pictures.
#include <gtest/gtest.h>
#include <signal.h>

#include <QByteArrayList>
#include <QDir>
#include <QElapsedTimer>
#include <QFile>
#include <QGuiApplication>
#include <QHash>
#include <QImage>
#include <QProcess>
#include <QTemporaryDir>
#include <algorithm>
#include <cstdlib>
#include <memory>

#include "ui/tray/canvas.h"

namespace fmd::tray {
namespace {

constexpr int kPatienceMs = 240'000;
const QSize kSize(1280, 720);

class DemoPictures : public testing::Test {
 protected:
  struct Run {
    QTemporaryDir folder;
    QProcess fmtray;

    QByteArray ended() {
      return fmtray.waitForFinished(kPatienceMs) ? fmtray.readAllStandardError()
                                                 : QByteArray("still runs");
    }
  };
  static std::unique_ptr<Run> start(const QStringList& more = {}, const QString& path = {}) {
    auto run = std::make_unique<Run>();
    auto environment = QProcessEnvironment::systemEnvironment();
    environment.insert("XDG_CONFIG_HOME", run->folder.path());
    if (!path.isEmpty()) environment.insert("PATH", path);
    run->fmtray.setProcessEnvironment(environment);
    run->fmtray.start(
        qEnvironmentVariable("FMTRAY"),
        QStringList{"--demo", "--screenshot", run->folder.filePath("pictures"), "--size",
                    QString("%1x%2").arg(kSize.width()).arg(kSize.height())} +
            more);
    return run;
  }
  static QDir pictures(const Run& run) { return QDir(run.folder.filePath("pictures")); }
};

struct Colours {
  QRgb most = 0;     // the most frequent colour
  double share = 0;  // share of pixels that have it
  qsizetype kinds = 0;
};

Colours colours_of(const QImage& image) {
  QHash<QRgb, int> count;
  for (int y = 0; y < image.height(); ++y)
    for (int x = 0; x < image.width(); ++x) ++count[image.pixel(x, y)];
  Colours out;
  out.kinds = count.size();
  int most = 0;
  for (auto it = count.cbegin(); it != count.cend(); ++it)
    if (it.value() > most) {
      most = it.value();
      out.most = it.key();
    }
  out.share = most / static_cast<double>(image.width() * image.height());
  return out;
}

// The area with the colour of a faulty part, left of the details.
QRect red_in(const QImage& image, scene::Theme theme) {
  const QRgb red = qt_colour(scene::Ink::faulted, theme).rgb();
  QRect found;
  for (int y = 0; y < image.height(); ++y)
    for (int x = 0; x < image.width() * 6 / 10; ++x)
      if (image.pixel(x, y) == red) found |= QRect(x, y, 1, 1);
  return found;
}

void expect_pages(const QDir& folder, bool dark) {
  const QStringList names{"chassis.png", "events.png",   "fleet.png",    "map-helper.png",
                          "pools.png",   "problems.png", "telemetry.png"};
  EXPECT_EQ(folder.entryList(QDir::Files, QDir::Name), names);
  for (const QString& name : names) {
    const QImage image(folder.filePath(name));
    EXPECT_EQ(image.size(), kSize) << name.toStdString();
    if (image.isNull()) continue;
    const Colours colours = colours_of(image);
    // Without the tabs, which even a blank page has.
    const QImage page = image.copy(0, 80, kSize.width(), kSize.height() - 120);
    EXPECT_GT(colours_of(page).kinds, 40) << name.toStdString() << " is blank";
    EXPECT_LT(colours_of(page).share, 0.99) << name.toStdString() << " is blank";
    EXPECT_EQ(qGray(colours.most) < 128, dark) << name.toStdString();
  }
  const QRect red = red_in(QImage(folder.filePath("chassis.png")),
                           dark ? scene::Theme::dark : scene::Theme::light);
  EXPECT_GT(red.width(), 100) << "the disk is red";
  EXPECT_GT(red.height(), 30);
}

// The share of cells that differ. Cells of 40 pixels ignore another version of a font.
double apart(const QImage& one, const QImage& other) {
  const QSize cells(kSize.width() / 40, kSize.height() / 40);
  const QImage a = one.scaled(cells, Qt::IgnoreAspectRatio, Qt::SmoothTransformation);
  const QImage b = other.scaled(cells, Qt::IgnoreAspectRatio, Qt::SmoothTransformation);
  int differ = 0;
  for (int y = 0; y < cells.height(); ++y)
    for (int x = 0; x < cells.width(); ++x) {
      const QColor p = a.pixelColor(x, y), q = b.pixelColor(x, y);
      const int most = std::max({std::abs(p.red() - q.red()), std::abs(p.green() - q.green()),
                                 std::abs(p.blue() - q.blue())});
      differ += most > 40;
    }
  return differ / static_cast<double>(cells.width() * cells.height());
}

TEST_F(DemoPictures, EveryPageInLightAndDarkAtTheFaultAndTheReadmesIsAsNow) {
  const auto light = start(), dark = start({"--dark"});
  const QByteArray said = light->ended(), said_dark = dark->ended();
  ASSERT_EQ(light->fmtray.exitCode(), 0) << said.constData();
  ASSERT_EQ(dark->fmtray.exitCode(), 0) << said_dark.constData();
  expect_pages(pictures(*light), false);
  expect_pages(pictures(*dark), true);
  const QImage readme(qEnvironmentVariable("README_PICTURE"));
  const QImage now(pictures(*light).filePath("chassis.png"));
  ASSERT_EQ(readme.size(), kSize);
  EXPECT_FALSE(red_in(readme, scene::Theme::light).isEmpty()) << "the red disk";
  EXPECT_LT(apart(readme, now), 0.05) << "draw it anew: ninja -C build readme-picture";
}

void expect_no_pictures(const QDir& folder) {
  EXPECT_TRUE(!folder.exists() || folder.isEmpty()) << "of a story that was not told";
}

TEST_F(DemoPictures, AStoryThatCannotBeginIsAFailure) {
  QTemporaryDir only_python;  // no dbus-daemon
  ASSERT_TRUE(QFile::link("/usr/bin/python3", only_python.filePath("python3")));
  const auto run = start({}, only_python.path());
  const QByteArray said = run->ended();
  EXPECT_EQ(run->fmtray.exitStatus(), QProcess::NormalExit);
  EXPECT_EQ(run->fmtray.exitCode(), 1);
  EXPECT_TRUE(said.contains("fmtray: The simulated host has ended (status 1)")) << said.constData();
  expect_no_pictures(pictures(*run));
}

QByteArrayList children(qint64 parent) {
  const QString id = QString::number(parent);
  QFile file("/proc/" + id + "/task/" + id + "/children");
  return file.open(QIODevice::ReadOnly) ? file.readAll().simplified().split(' ') : QByteArrayList();
}

// The process of the story, once fmd, its plugins and a bus are running; 0 before.
qint64 storyteller(qint64 parent) {
  constexpr int kPrograms = 6;
  for (const QByteArray& child : children(parent)) {
    QFile command("/proc/" + QString::fromLatin1(child) + "/cmdline");
    if (command.open(QIODevice::ReadOnly) && command.readAll().contains("desktop_demo.py") &&
        children(child.toLongLong()).size() >= kPrograms)
      return child.toLongLong();
  }
  return 0;
}

TEST_F(DemoPictures, AStoryThatBreaksOffIsAFailure) {
  const auto run = start();
  QElapsedTimer waited;
  waited.start();
  qint64 story = 0;
  while ((story = storyteller(run->fmtray.processId())) == 0 && waited.elapsed() < kPatienceMs &&
         !run->fmtray.waitForFinished(20)) {
  }
  ASSERT_GT(story, 0);
  kill(static_cast<pid_t>(story), SIGTERM);
  const QByteArray said = run->ended();
  EXPECT_EQ(run->fmtray.exitStatus(), QProcess::NormalExit);
  EXPECT_EQ(run->fmtray.exitCode(), 1);
  EXPECT_TRUE(said.contains("fmtray: The simulated host has ended")) << said.constData();
  expect_no_pictures(pictures(*run));
}

}  // namespace
}  // namespace fmd::tray

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  const QGuiApplication app(argc, argv);
  return RUN_ALL_TESTS();
}
