// ChassisAccessible: the picture of a chassis as assistive technology has it: a list of its parts, each with its name and state, its
// place on the screen, and an action that is a click. Made when assistive technology asks for it, as each part's interface is.
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
  static void install();  // so that Qt makes one of each view
  // What is told of goes to Qt, unless a test wants it.
  using Teller = void (*)(QAccessibleEvent*);
  void tell_to(Teller teller) { teller_ = teller; }

  int childCount() const override;
  QAccessibleInterface* child(int index) const override;
  int indexOfChild(const QAccessibleInterface* child) const override;
  QAccessibleInterface* childAt(int x, int y) const override;
  QAccessibleInterface* focusChild() const override;

  // Said by the view: before others are shown, afterwards, when another part is selected, and when it gets the focus.
  void leaves_for(const std::vector<scene::Scene>& next);
  void changed();
  void selected(const QString& before, const QString& now);
  void focused();

 private:
  using Key = std::pair<size_t, std::string>;  // face, FMRI
  struct Known {
    QAccessible::Id id = 0;
    QString name, description;  // as last told
  };
  QAccessibleInterface* interface(const Key& key) const;
  void tell(QAccessibleInterface* of, QAccessible::Event what) const;

  ChassisView& view_;
  Teller teller_ = &QAccessible::updateAccessibility;
  mutable std::map<Key, Known> known_;  // to whoever asked
  std::vector<Key> order_;              // of the parts, as last told
};

}  // namespace fmd::tray
