// FileChooser: answers a file dialog and its question.
#pragma once
#include <QApplication>
#include <QComboBox>
#include <QDialogButtonBox>
#include <QFileDialog>
#include <QLineEdit>
#include <QMessageBox>
#include <QPushButton>
#include <QTimer>

namespace fmd::tray {

class FileChooser {
 public:
  // name: "": keeps the proposed one. filter: chosen as by a user; "": none.
  FileChooser(QString name, QMessageBox::StandardButton answer, QString filter = {})
      : name_(std::move(name)), answer_(answer), filter_(std::move(filter)) {
    QObject::connect(&look_, &QTimer::timeout, [this] { step(); });
    look_.start(20);
  }
  QString asked() const { return asked_; }

 private:
  void step() {
    QWidget* modal = QApplication::activeModalWidget();
    if (auto* box = qobject_cast<QMessageBox*>(modal)) {
      asked_ = box->text();
      return box->button(answer_)->click();
    }
    auto* dialog = qobject_cast<QFileDialog*>(modal);
    if (!dialog) return;
    if (chosen_) return dialog->reject();  // the answer was no
    chosen_ = true;
    if (!name_.isEmpty()) dialog->findChild<QLineEdit*>("fileNameEdit")->setText(name_);
    if (!filter_.isEmpty()) {
      auto* kinds = dialog->findChild<QComboBox*>("fileTypeCombo");
      kinds->setCurrentIndex(kinds->findText(filter_));
      emit kinds->activated(kinds->currentIndex());
      emit kinds->textActivated(filter_);
    }
    // Not from here: this timer must go on while the question is open.
    QAbstractButton* save = dialog->findChild<QDialogButtonBox*>()->button(QDialogButtonBox::Save);
    QTimer::singleShot(0, save, [save] { save->click(); });
  }

  const QString name_;
  const QMessageBox::StandardButton answer_;
  const QString filter_;
  QTimer look_;
  bool chosen_ = false;
  QString asked_;
};

}  // namespace fmd::tray
