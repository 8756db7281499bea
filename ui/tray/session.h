// Session: the connection to one host's fmd, kept up in a thread of its own. Reads whenever fmd tells
// of a change (several within a quarter of a second are one), and tries again by itself, from 1 s up to
// 30 s apart, when the connection is lost. Signals arrive in the thread that owns the object. A host
// that hangs delays nothing here, and is said to be away: its threads are left to themselves.
#pragma once
#include <QObject>
#include <QPointer>
#include <QString>
#include <functional>
#include <memory>

#include "fmd/base/result.h"
#include "ui/client/client.h"
#include "ui/tray/reader.h"
#include "ui/tray/snapshot.h"

namespace fmd::tray {

class Session : public QObject {
  Q_OBJECT

 public:
  // A host is asked that often whether it is there and who watches, and is given so long to answer.
  struct Patience {
    int quiet_ms = 60'000, answer_ms = 15'000;
  };
  // name: what the host is called until it has told its own name.
  explicit Session(ui::Target target, QString name, Patience patience);
  ~Session() override;

  SnapshotPtr snapshot() const { return snapshot_; }  // nullptr: nothing was read yet
  bool connected() const { return connected_; }
  QString trouble() const { return trouble_; }  // why it is not connected, for people
  QString name() const;
  const ui::Target& target() const { return target_; }

  // Does it on a connection of its own, so that nothing waits for a password; answered() tells what
  // came of it.
  using Order = std::function<Result<std::string>(ui::Client&)>;
  void order(const QString& what, Order order);

  // Reads in turn on one connection; `then` gets what came, in the owner's thread, while `to` lives.
  template <typename T>
  void ask(QObject* to, std::function<Result<T>(ui::Client&)> read,
           std::function<void(Result<T>)> then) {
    reader_.add([self = QPointer<Session>(this), to = QPointer<QObject>(to), read = std::move(read),
                 then = std::move(then)](Result<ui::Client*> client) {
      auto answer = std::make_shared<Result<T>>(client ? read(**client)
                                                       : Result<T>(tl::unexpected(client.error())));
      run_here([self, to, then, answer] {
        if (self && to) then(std::move(*answer));
      });
    });
  }

  static void run_here(std::function<void()> what);  // in the application's thread

 signals:
  void changed();  // snapshot, connected or trouble
  void logged();   // events were logged
  void answered(const QString& what, bool done, const QString& text);

 private:
  struct Watch;
  static void run(std::shared_ptr<Watch> watch, ui::Target target);
  void tell(SnapshotPtr snapshot, bool connected, const QString& trouble);

  ui::Target target_;
  QString name_;
  SnapshotPtr snapshot_;
  bool connected_ = false;
  QString trouble_;
  std::shared_ptr<Watch> watch_;
  Reader reader_;
};

}  // namespace fmd::tray
