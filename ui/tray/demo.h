// Demo: a simulated host with the real fmd on it, played by a program of the simulator's, and the
// story of a failing disk on it, a step at a click.
#pragma once
#include <QObject>
#include <QProcess>
#include <QString>
#include <optional>

namespace fmd::tray {

struct Simulator {
  QString folder, build;  // build: of the programs, "" those that are installed
};
// Beside the build that the program in own runs from, else where it is installed; nothing: there is none.
std::optional<Simulator> find_simulator(const QString& own, const QString& installed);
std::optional<Simulator> find_simulator();

class Demo : public QObject {
  Q_OBJECT

 public:
  explicit Demo(QObject* parent = nullptr);
  ~Demo() override;
  // folder: the simulator's; build: of the programs, "" those that are installed.
  void start(const QString& folder, const QString& build);
  // The next thing happens; ready() or ended() follows.
  void next();
  // "kill": fmd is killed; "start": it is started again.
  void order(const QByteArray& word);

 signals:
  void began(const QString& bus);  // fmd is there, on that bus
  void ready(const QString& told,
             const QString& next);  // what happened, and what is next; "" nothing
  void failed(const QString& why);

 private:
  void read();
  QProcess process_;
  QByteArray rest_;
};

}  // namespace fmd::tray
