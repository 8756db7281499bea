// fmtray: the desktop's view of fmd.
#include <QApplication>
#include <QCommandLineParser>
#include <QDBusConnection>
#include <QLabel>
#include <QLocale>
#include <QPushButton>
#include <QSettings>
#include <QSystemTrayIcon>
#include <QTimer>
#include <QToolBar>
#include <QTranslator>
#include <cstdio>

#include "ui/client/paths.h"
#include "ui/tray/demo.h"
#include "ui/tray/instance.h"
#include "ui/tray/looks.h"
#include "ui/tray/screenshots.h"
#include "ui/tray/tray.h"

namespace {

using namespace fmd::tray;

int complain(const QString& text) {
  fprintf(stderr, "fmtray: %s\n", qPrintable(text));
  return 1;
}

struct Options {
  QString bus, pictures;
  QStringList hosts;
  QSize size;
  bool hidden = false, demo = false, dark = false;
};

Options parse(const QApplication& app) {
  QCommandLineParser parser;
  parser.setApplicationDescription(
      "Shows what fmd knows of this machine's hardware: the chassis, its parts, open problems.");
  parser.addHelpOption();
  parser.addVersionOption();
  const QCommandLineOption bus("bus", "Where fmd is: system, session or a D-Bus address (system).",
                               "BUS");
  const QCommandLineOption host("host", "The fmd of that host, through ssh; may be given again.",
                                "[USER@]HOST");
  const QCommandLineOption pictures("screenshot", "Paint every page to DIR and end.", "DIR");
  const QCommandLineOption size("size", "Of those pictures (1180x720).", "WIDTHxHEIGHT");
  const QCommandLineOption dark("dark", "Those pictures on a dark ground.");
  const QCommandLineOption hidden("hidden", "Start without a window, where there is a tray.");
  const QCommandLineOption demo(
      "demo", "Show a simulated host, on which the story of a failing disk can be played.");
  parser.addOptions({bus, host, pictures, size, dark, hidden, demo});
  parser.process(app);
  Options options;
  options.bus = parser.isSet(bus) ? parser.value(bus) : qEnvironmentVariable("FMD_BUS_ADDRESS");
  options.pictures = parser.value(pictures);
  const QStringList sides = parser.value(size).split('x');
  if (sides.size() == 2) options.size = {sides[0].toInt(), sides[1].toInt()};
  options.dark = parser.isSet(dark);
  options.hosts = parser.values(host);
  options.hidden = parser.isSet(hidden);
  options.demo = parser.isSet(demo);
  return options;
}

// Options without a window (help, version, pictures) need no display. Call this before
// QApplication, which exits if there is none.
void choose_platform(int argc, char** argv) {
  for (const char* display : {"DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM"})
    if (qEnvironmentVariableIsSet(display)) return;
  const QStringList windowless = {"-h",        "--help", "-?",           "--help-all",
                                  "--version", "-v",     "--screenshot", "-screenshot"};
  for (int i = 1; i < argc; ++i)
    if (windowless.contains(QString::fromLocal8Bit(argv[i]).section('=', 0, 0)))
      qputenv("QT_QPA_PLATFORM", "offscreen");
}

// Paints every page, and exits.
int screenshots(Window& window, const QString& folder, const Awaited& awaited) {
  const QString failed = take_screenshots(window, folder, awaited);
  return failed.isEmpty() ? 0 : complain(failed);
}

void add_demo_bar(Window& window, Demo& demo) {
  auto* bar = new QToolBar(QObject::tr("Demo"));
  bar->setMovable(false);
  auto* told = new QLabel(QObject::tr("Starting a simulated host…"));
  told->setTextFormat(Qt::PlainText);
  told->setWordWrap(true);
  told->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Preferred);
  told->setMargin(4);
  auto* next = new QPushButton;
  next->setEnabled(false);
  bar->addWidget(next);
  bar->addWidget(told);
  window.addToolBar(Qt::TopToolBarArea, bar);
  QObject::connect(next, &QPushButton::clicked, &demo, [next, &demo] {
    next->setEnabled(false);
    demo.next();
  });
  QObject::connect(&demo, &Demo::ready, &window,
                   [told, next](const QString& what, const QString& then) {
                     told->setText(what);
                     next->setVisible(!then.isEmpty());
                     next->setText(QObject::tr("Next: %1").arg(then));
                     next->setEnabled(true);
                   });
  QObject::connect(&demo, &Demo::failed, &window, [told, next](const QString& why) {
    told->setText(why);
    next->hide();
  });
}

int run_demo(Hosts& hosts, const Options& options) {
  const QString& pictures = options.pictures;
  const auto simulator = find_simulator();
  if (!simulator) return complain("the simulator is not installed here");
  Window window(hosts);
  if (options.size.isValid()) window.resize(options.size);
  Demo demo;
  add_demo_bar(window, demo);
  QObject::connect(&demo, &Demo::began, &window, [&](const QString& bus) {
    fmd::ui::Target target;
    target.bus = bus.toStdString();
    hosts.add(target, QObject::tr("Simulated host"));
  });
  demo.start(simulator->folder, simulator->build);
  if (pictures.isEmpty()) {
    // Icon and notifications are part of the demo, and say that the host is simulated.
    Tray tray(hosts, window, QDBusConnection::sessionBus(), Tray::Names::always);
    window.show();
    return QApplication::exec();
  }
  // Play up to the faulty disk, which the pictures show.
  int steps = 0;
  QObject::connect(&demo, &Demo::ready, &demo, [&] {
    if (++steps <= 2) demo.next();
  });
  QString failed;
  QObject::connect(&demo, &Demo::failed, &demo, [&](const QString& why) { failed = why; });
  const auto at_the_fault = [&] { return steps > 2 && hosts.health() >= Health::degraded; };
  if (const int ended = screenshots(window, pictures, {at_the_fault, [&] { return failed; }}))
    return ended;
  const QString lacks = take_map_helper_screenshot(*hosts.all().front(), pictures, window.size());
  return lacks.isEmpty() ? 0 : complain(lacks);
}

}  // namespace

int main(int argc, char** argv) {
  choose_platform(argc, argv);
  QApplication app(argc, argv);
  QApplication::setApplicationName("fmtray");
  QApplication::setOrganizationName("fmd");
  QApplication::setApplicationVersion(FMD_VERSION);
  QApplication::setDesktopFileName("org.fmd.fmtray");
  // fmd's texts are English, so the window is English as well.
  QLocale::setDefault(QLocale::c());
  QTranslator plurals;
  if (plurals.load(":/i18n/fmtray_en")) QApplication::installTranslator(&plurals);
  const Options options = parse(app);
  if (options.dark && !options.pictures.isEmpty()) {
    QApplication::setStyle("Fusion");
    QApplication::setPalette(dark_palette());
  }
  follow_looks(app);
  Hosts hosts;
  if (options.demo) return run_demo(hosts, options);
  const QDBusConnection bus = QDBusConnection::sessionBus();
  Instance instance(bus);
  for (const QString& host : options.hosts)
    if (!Hosts::is_name(host)) return complain(host + " is not a host's name");
  if (options.pictures.isEmpty() && !instance.first() && instance.wake_other(options.hosts))
    return 0;
  QSettings settings;
  const QString kHosts = "hosts";
  if (options.hosts.isEmpty()) {
    fmd::ui::Target target;
    target.bus = options.bus.toStdString();
    hosts.add(target);
    for (const QString& host : settings.value(kHosts).toStringList()) hosts.add_remote(host);
  }
  for (const QString& host : options.hosts)
    if (!hosts.add_remote(host)) return complain(host + " is given twice");
  Window window(hosts);
  if (options.size.isValid()) window.resize(options.size);
  // Hosts on the command line are for this run only and do not change the saved list.
  if (options.hosts.isEmpty())
    QObject::connect(&window, &Window::hosts_edited, &window,
                     [&] { settings.setValue(kHosts, hosts.remotes()); });
  if (!options.pictures.isEmpty())
    return screenshots(window, options.pictures,
                       {[&] { return hosts.all().front()->snapshot() != nullptr; },
                        [&] {
                          const QString trouble = hosts.all().front()->trouble();
                          return trouble.isEmpty() ? QString() : "not connected: " + trouble;
                        }});
  Tray tray(hosts, window, bus);
  QObject::connect(&instance, &Instance::activated, &tray, &Tray::open);
  QObject::connect(&instance, &Instance::hosts_wanted, &window, &Window::show_remotes);
  // GNOME has no tray without an extension: then the window must be shown. At login, wait for the
  // panel, which may start later than this program.
  constexpr int kPanelComesMs = 20000;
  const auto settle = [&window] {
    const bool has_tray = QSystemTrayIcon::isSystemTrayAvailable();
    QApplication::setQuitOnLastWindowClosed(!has_tray);
    if (!has_tray) window.show();
  };
  if (options.hidden) {
    QApplication::setQuitOnLastWindowClosed(false);
    QTimer::singleShot(kPanelComesMs, &window, settle);
  } else {
    settle();
    window.show();
  }
  return QApplication::exec();
}
