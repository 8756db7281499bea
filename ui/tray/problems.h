// Problems: one row for each open case, and everything about the selected one; resolved ones too when
// they are asked for.
#pragma once
#include <QWidget>

#include "ui/tray/session.h"

class QCheckBox;
class QLabel;
class QLineEdit;
class QPlainTextEdit;
class QPushButton;
class QTableWidget;

namespace fmd::tray {

class Problems : public QWidget {
  Q_OBJECT

 public:
  explicit Problems(Session& session, QWidget* parent = nullptr);

  void refresh();
  void select(const QString& uuid);
  QString selected() const;

 signals:
  void part_wanted(const QString& fmri);

 private:
  void ask_resolved();
  void tell_none(const QString& search);
  bool asking_ = false;      // one question at a time
  QString resolved_unread_;  // why the resolved ones could not be read, "" they were
  void fill();
  void fill_row(int row, const Case& c);
  static void embolden_headings(QPlainTextEdit& story);
  void tell();
  void ask_evidence(const Case& c);
  const Case* current() const;
  const ui::Advice* advice(const Case& c) const;

  Session& session_;
  QLineEdit* search_;
  QCheckBox* all_;
  QLabel *now_, *none_;
  QTableWidget* table_;
  QPlainTextEdit* story_;
  QPushButton *show_, *acknowledge_, *show_resolved_;
  struct Resolved {
    std::vector<Case> cases;  // newest first
    ui::AdviceByCase advice;
  } resolved_;
  SnapshotPtr resolved_of_;  // what was known when they were asked for
  std::vector<const Case*> shown_;
  SnapshotPtr of_;   // whose cases shown_ points at
  struct Evidence {  // of that case when it had so many events
    std::string uuid;
    uint64_t count = 0;
    QString text;
  } evidence_;
  bool asking_evidence_ = false;
  struct Unread {  // of that case: why; asked again once there is another snapshot
    std::string uuid;
    SnapshotPtr of;
    QString why;
  } unread_;
  QString wanted_;  // to be selected when it has been read
};

}  // namespace fmd::tray
