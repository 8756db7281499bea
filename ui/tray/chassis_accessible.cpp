#include "ui/tray/chassis_accessible.h"

#include <QPointer>
#include <QWindow>
#include <set>
#include <utility>

#include "ui/tray/chassis_view.h"
#include "ui/tray/words.h"

namespace fmd::tray {
namespace {

class PartAccessible : public QAccessibleInterface, public QAccessibleActionInterface {
 public:
  PartAccessible(ChassisView& view, size_t face, std::string fmri)
      : view_(&view), face_(face), fmri_(std::move(fmri)) {}

  size_t face() const { return face_; }
  const std::string& fmri() const { return fmri_; }

  bool isValid() const override { return part() != nullptr; }
  QObject* object() const override { return nullptr; }
  QWindow* window() const override { return view_ ? view_->window()->windowHandle() : nullptr; }
  QAccessibleInterface* parent() const override {
    return view_ ? QAccessible::queryAccessibleInterface(view_) : nullptr;
  }
  QAccessibleInterface* child(int) const override { return nullptr; }
  QAccessibleInterface* childAt(int, int) const override { return nullptr; }
  int childCount() const override { return 0; }
  int indexOfChild(const QAccessibleInterface*) const override { return -1; }
  QAccessible::Role role() const override { return QAccessible::ListItem; }
  void setText(QAccessible::Text, const QString&) override {}

  QString text(QAccessible::Text which) const override {
    const scene::Part* one = part();
    if (!one) return {};
    if (which == QAccessible::Name)
      return clean_text(one->label.empty() ? one->fmri : one->label) + ", " +
             meaning_words(one->state);
    if (which != QAccessible::Description) return {};
    // With several shelves, labels repeat: add the shelf.
    const QString says = view_->says(*one);
    return view_->faces() > 1 ? view_->caption(face_) + ": " + says : says;
  }
  QRect rect() const override {
    const scene::Part* one = part();
    if (!one) return {};
    const QRect place = view_->place(face_, *one).toAlignedRect();
    return {view_->viewport()->mapToGlobal(place.topLeft()), place.size()};
  }
  QAccessible::State state() const override {
    QAccessible::State state;
    const scene::Part* one = part();
    if (!one) {
      state.invalid = true;
      return state;
    }
    state.selectable = state.focusable = true;
    state.selected = view_->selected().toStdString() == fmri_;
    state.focused = state.selected && view_->hasFocus();
    state.invisible = !view_->isVisible();
    state.offscreen =
        state.invisible || !QRectF(view_->viewport()->rect()).intersects(view_->place(face_, *one));
    return state;
  }

  void* interface_cast(QAccessible::InterfaceType type) override {
    return type == QAccessible::ActionInterface ? static_cast<QAccessibleActionInterface*>(this)
                                                : nullptr;
  }
  QStringList actionNames() const override { return {pressAction(), setFocusAction()}; }
  void doAction(const QString& name) override {
    const scene::Part* one = part();
    if (!one) return;
    if (name == setFocusAction()) view_->setFocus();
    if (name == pressAction()) view_->press(*one);
    if (name == setFocusAction()) view_->pick(one);
  }
  QStringList keyBindingsForAction(const QString&) const override { return {}; }

 private:
  const scene::Part* part() const {
    return view_ && face_ < view_->faces() ? view_->face(face_).find(fmri_) : nullptr;
  }

  QPointer<ChassisView> view_;
  size_t face_;
  std::string fmri_;
};

}  // namespace

ChassisAccessible::ChassisAccessible(ChassisView& view)
    : QAccessibleWidget(&view, QAccessible::List), view_(view) {
  view.accessible_by(this);
}

ChassisAccessible::~ChassisAccessible() {
  // Qt destroys this object with the view or after it.
  if (auto* view = qobject_cast<ChassisView*>(object())) view->accessible_by(nullptr);
  for (const auto& [key, known] : known_) QAccessible::deleteAccessibleInterface(known.id);
}

void ChassisAccessible::install() {
  static const bool done = [] {
    QAccessible::installFactory([](const QString& name, QObject* object) -> QAccessibleInterface* {
      auto* view = qobject_cast<ChassisView*>(object);
      return view && name == ChassisView::staticMetaObject.className()
                 ? new ChassisAccessible(*view)
                 : nullptr;
    });
    return true;
  }();
  static_cast<void>(done);
}

void ChassisAccessible::tell(QAccessibleInterface* of, QAccessible::Event what) const {
  QAccessibleEvent event(of, what);
  teller_(&event);
}

int ChassisAccessible::childCount() const {
  size_t count = 0;
  for (size_t i = 0; i < view_.faces(); ++i) count += view_.face(i).parts.size();
  return static_cast<int>(count);
}

QAccessibleInterface* ChassisAccessible::interface(const Key& key) const {
  Known& known = known_[key];
  if (QAccessibleInterface* made = QAccessible::accessibleInterface(known.id)) return made;
  auto* made = new PartAccessible(view_, key.first, key.second);
  known = {QAccessible::registerAccessibleInterface(made), made->text(QAccessible::Name),
           made->text(QAccessible::Description)};
  return made;
}

QAccessibleInterface* ChassisAccessible::child(int index) const {
  if (index < 0) return nullptr;
  size_t at = static_cast<size_t>(index);
  for (size_t i = 0; i < view_.faces(); ++i) {
    const auto& parts = view_.face(i).parts;
    if (at < parts.size()) return interface({i, parts[at].fmri});
    at -= parts.size();
  }
  return nullptr;
}

int ChassisAccessible::indexOfChild(const QAccessibleInterface* child) const {
  const auto* one = dynamic_cast<const PartAccessible*>(child);
  if (!one || one->face() >= view_.faces()) return -1;
  size_t before = 0;
  for (size_t i = 0; i < one->face(); ++i) before += view_.face(i).parts.size();
  const scene::Face& face = view_.face(one->face());
  const scene::Part* part = face.find(one->fmri());
  return part ? static_cast<int>(before + static_cast<size_t>(part - face.parts.data())) : -1;
}

QAccessibleInterface* ChassisAccessible::childAt(int x, int y) const {
  const QPointF point = view_.viewport()->mapFromGlobal(QPoint(x, y));
  for (size_t i = 0; i < view_.faces(); ++i)
    for (const scene::Part& part : view_.face(i).parts)
      if (view_.place(i, part).contains(point)) return interface({i, part.fmri});
  return nullptr;
}

QAccessibleInterface* ChassisAccessible::focusChild() const {
  const std::string wanted = view_.selected().toStdString();
  if (wanted.empty() || !view_.hasFocus()) return nullptr;
  for (size_t i = 0; i < view_.faces(); ++i)
    if (view_.face(i).find(wanted)) return interface({i, wanted});
  return nullptr;
}

void ChassisAccessible::leaves_for(const std::vector<scene::Scene>& next) {
  std::set<Key> there;
  size_t panel = 0;
  for (const scene::Scene& scene : next)
    for (const scene::Face& face : scene.faces) {
      for (const scene::Part& part : face.parts) there.insert({panel, part.fmri});
      ++panel;
    }
  for (auto it = known_.begin(); it != known_.end();) {
    if (there.contains(it->first)) {
      ++it;
      continue;
    }
    // Announced before its deletion, while its name can still be read.
    if (QAccessibleInterface* gone = QAccessible::accessibleInterface(it->second.id))
      tell(gone, QAccessible::ObjectDestroyed);
    QAccessible::deleteAccessibleInterface(it->second.id);
    it = known_.erase(it);
  }
}

void ChassisAccessible::changed() {
  std::vector<Key> order;
  for (size_t i = 0; i < view_.faces(); ++i)
    for (const scene::Part& part : view_.face(i).parts) order.emplace_back(i, part.fmri);
  if (std::exchange(order_, order) != order) tell(this, QAccessible::ObjectReorder);
  for (auto& [key, known] : known_) {
    QAccessibleInterface* one = QAccessible::accessibleInterface(known.id);
    if (!one) continue;
    const QString name = one->text(QAccessible::Name), says = one->text(QAccessible::Description);
    if (std::exchange(known.name, name) != name) tell(one, QAccessible::NameChanged);
    if (std::exchange(known.description, says) != says) tell(one, QAccessible::DescriptionChanged);
  }
}

void ChassisAccessible::selected(const QString& before, const QString& now) {
  if (before == now) return;
  for (const auto& [key, known] : known_)
    if (key.second == before.toStdString() || key.second == now.toStdString())
      if (QAccessibleInterface* one = QAccessible::accessibleInterface(known.id)) {
        QAccessible::State state;
        state.selected = true;  // the state that has changed
        QAccessibleStateChangeEvent event(one, state);
        teller_(&event);
      }
  focused();
}

void ChassisAccessible::focused() {
  if (QAccessibleInterface* one = focusChild()) tell(one, QAccessible::Focus);
}

}  // namespace fmd::tray
