// Events: the error log, newest first, updated live; filtered by class, part and time.
#pragma once
#include <QAbstractTableModel>
#include <QWidget>
#include <deque>
#include <map>

#include "ui/client/documents.h"
#include "ui/tray/session.h"

class QComboBox;
class QDateTimeEdit;
class QLabel;
class QLineEdit;
class QPlainTextEdit;
class QTableView;

namespace fmd::tray {

// The events of one query, newest first. Drops the oldest beyond a limit.
class EventRows : public QAbstractTableModel {
  Q_OBJECT

 public:
  using QAbstractTableModel::QAbstractTableModel;
  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role) const override;
  void clear();
  // part: filter for a part's name, FMRI or the payload; "": no filter.
  void add(const std::vector<ui::LoggedEvent>& oldest_first, const QString& part,
           const Inventory& inventory);
  const ui::LoggedEvent& at(int row) const { return events_[static_cast<size_t>(row)]; }

 private:
  std::deque<ui::LoggedEvent> events_;
  std::map<std::string, QString> parts_;  // by FMRI, the names that people use
};

class Events : public QWidget {
  Q_OBJECT

 public:
  explicit Events(Session& session, QWidget* parent = nullptr);

 protected:
  void showEvent(QShowEvent*) override;

 private:
  void again();  // reads from the beginning
  void more();
  void took(Result<ui::EventsPage> page, unsigned of);
  void tell();

  Session& session_;
  EventRows rows_;
  QLineEdit *class_, *part_;
  QComboBox* time_;
  QDateTimeEdit *from_, *to_;  // shown if the user chose a range
  QTableView* table_;
  QPlainTextEdit* payload_;
  QLabel* note_;
  uint64_t after_ = 0;
  unsigned query_ = 0;  // identifies the query; answers to earlier ones are dropped
  bool asking_ = false, stale_ = true, began_ = false, live_ = false;
};

}  // namespace fmd::tray
