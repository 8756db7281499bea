// Problems: one row for each open case, and details of the selected one; resolved cases on request.
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
  bool asking_ = false;      // one query at a time
  QString resolved_unread_;  // error of reading resolved cases; "" if none
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
  SnapshotPtr resolved_of_;  // the snapshot at that query
  std::vector<const Case*> shown_;
  SnapshotPtr of_;   // owns the cases of shown_
  struct Evidence {  // of a case, when it had that many events
    std::string uuid;
    uint64_t count = 0;
    QString text;
  } evidence_;
  bool asking_evidence_ = false;
  struct Unread {  // error for that case; retried with the next snapshot
    std::string uuid;
    SnapshotPtr of;
    QString why;
  } unread_;
  QString wanted_;  // uuid to select once it has been read
};

}  // namespace fmd::tray
