// Fleet: a tile for each host, the worst first.
#pragma once
#include <QScrollArea>
#include <map>
#include <vector>

#include "ui/tray/hosts.h"

class QGridLayout;
class QToolButton;

namespace fmd::tray {

class Fleet : public QScrollArea {
  Q_OBJECT

 public:
  explicit Fleet(Hosts& hosts, QWidget* parent = nullptr);

 signals:
  void host_wanted(Session* session);

 protected:
  void resizeEvent(QResizeEvent*) override;

 private:
  void refresh();
  void arrange();

  Hosts& hosts_;
  QGridLayout* grid_;
  std::map<Session*, QToolButton*> tiles_;
  std::vector<Session*> order_;  // as displayed
  int columns_ = 0;
};

}  // namespace fmd::tray
