// Session: the connection to one host's fmd, maintained in its own thread. Reads on each change
// (several within a quarter of a second count as one), and reconnects with pauses of 1 s to 30 s.
// Signals are emitted in the thread that owns the object. A host that hangs delays nothing here and
// counts as away; its threads are detached.
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
  // quiet_ms: interval of polling the host and its plugins; answer_ms: time limit for the answer.
  struct Patience {
    int quiet_ms = 60'000, answer_ms = 15'000;
  };
  // name: of the host, until it has reported its own name.
  explicit Session(ui::Target target, QString name, Patience patience);
  ~Session() override;

  SnapshotPtr snapshot() const { return snapshot_; }  // nullptr: nothing read yet
  bool connected() const { return connected_; }
  QString trouble() const { return trouble_; }  // why it is not connected, as a sentence
  QString name() const;
  const ui::Target& target() const { return target_; }

  // Runs the order on its own connection, so that nothing else waits for a password; answered() has
  // the result.
  using Order = std::function<Result<std::string>(ui::Client&)>;
  void order(const QString& what, Order order);

  // Reads in sequence on one connection; `then` gets the result in the owner's thread if `to`
  // exists.
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

  static void run_here(std::function<void()> what);  // runs it in the application's thread

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
