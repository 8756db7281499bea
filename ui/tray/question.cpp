#include "ui/tray/question.h"

#include <QCheckBox>
#include <QCoreApplication>
#include <QLabel>
#include <QMessageBox>
#include <QPointer>
#include <QPushButton>

namespace fmd::tray {

Answer ask(QWidget* parent, const Question& question) {
  // On the heap, because its parent may delete it.
  const QPointer<QMessageBox> box =
      new QMessageBox(QMessageBox::Question, QCoreApplication::translate("Question", "fmd"),
                      question.text, QMessageBox::Yes | QMessageBox::Cancel, parent);
  box->setTextFormat(Qt::PlainText);
  box->setInformativeText(question.consequence);
  // Otherwise Qt guesses whether the text is markup.
  for (QLabel* label : box->findChildren<QLabel*>()) label->setTextFormat(Qt::PlainText);
  box->setDefaultButton(QMessageBox::Cancel);
  // Own texts, because the package with Qt's translations may be missing.
  box->button(QMessageBox::Yes)->setText(QCoreApplication::translate("Question", "&Yes"));
  box->button(QMessageBox::Cancel)->setText(QCoreApplication::translate("Question", "&Cancel"));
  if (!question.option.isEmpty()) box->setCheckBox(new QCheckBox(question.option));
  const bool yes = box->exec() == QMessageBox::Yes;
  if (!box) return {};
  const bool ticked = box->checkBox() && box->checkBox()->isChecked();
  delete box;
  return {yes, ticked};
}

}  // namespace fmd::tray
