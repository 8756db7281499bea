// Demo: runs a simulated host with the real fmd, through a program of the simulator, and plays the
// story of a failing disk, one step per click.
#pragma once
#include <QObject>
#include <QProcess>
#include <QString>
#include <optional>

namespace fmd::tray {

struct Simulator {
  QString folder, build;  // build: of the programs; "": the installed ones
};
// Beside the build folder of the program in `own`, else in `installed`; nothing if there is none.
std::optional<Simulator> find_simulator(const QString& own, const QString& installed);
std::optional<Simulator> find_simulator();

class Demo : public QObject {
  Q_OBJECT

 public:
  explicit Demo(QObject* parent = nullptr);
  ~Demo() override;
  // folder: the simulator's; build: of the programs, "": the installed ones.
  void start(const QString& folder, const QString& build);
  // Plays the next step; ready() or ended() follows.
  void next();
  // "kill": kills fmd; "start": starts it again.
  void order(const QByteArray& word);

 signals:
  void began(const QString& bus);  // fmd is running, on that bus
  void ready(const QString& told,
             const QString& next);  // what happened, and the next step; "": none
  void failed(const QString& why);

 private:
  void read();
  QProcess process_;
  QByteArray rest_;
};

}  // namespace fmd::tray
