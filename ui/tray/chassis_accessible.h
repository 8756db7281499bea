// ChassisAccessible: the picture of a chassis for assistive technology: a list of its parts, each
// with name, state, position and a click action. It and the parts' interfaces are created on
// request.
#pragma once
#include <QAccessibleWidget>
#include <QString>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "fmd/scene/scene.h"

namespace fmd::tray {

class ChassisView;

class ChassisAccessible : public QAccessibleWidget {
 public:
  explicit ChassisAccessible(ChassisView& view);
  ~ChassisAccessible() override;
  static void install();  // so that Qt creates one for each view
  // Receives the announcements: Qt, or a test.
  using Teller = void (*)(QAccessibleEvent*);
  void tell_to(Teller teller) { teller_ = teller; }

  int childCount() const override;
  QAccessibleInterface* child(int index) const override;
  int indexOfChild(const QAccessibleInterface* child) const override;
  QAccessibleInterface* childAt(int x, int y) const override;
  QAccessibleInterface* focusChild() const override;

  // Called by the view: before and after other scenes are shown, on a new selection, on focus.
  void leaves_for(const std::vector<scene::Scene>& next);
  void changed();
  void selected(const QString& before, const QString& now);
  void focused();

 private:
  using Key = std::pair<size_t, std::string>;  // face, FMRI
  struct Known {
    QAccessible::Id id = 0;
    QString name, description;  // as last announced
  };
  QAccessibleInterface* interface(const Key& key) const;
  void tell(QAccessibleInterface* of, QAccessible::Event what) const;

  ChassisView& view_;
  Teller teller_ = &QAccessible::updateAccessibility;
  mutable std::map<Key, Known> known_;  // interfaces that were requested
  std::vector<Key> order_;              // of the parts, as last announced
};

}  // namespace fmd::tray
