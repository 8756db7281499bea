#include "ui/tray/question.h"

#include <QCheckBox>
#include <QCoreApplication>
#include <QMessageBox>
#include <QPointer>

namespace fmd::tray {

Answer ask(QWidget* parent, const Question& question) {
  // Not on the stack: its parent may take it along.
  const QPointer<QMessageBox> box =
      new QMessageBox(QMessageBox::Question, QCoreApplication::translate("Question", "fmd"),
                      question.text, QMessageBox::Yes | QMessageBox::Cancel, parent);
  box->setTextFormat(Qt::PlainText);
  box->setInformativeText(question.consequence);
  box->setDefaultButton(QMessageBox::Cancel);
  if (!question.option.isEmpty()) box->setCheckBox(new QCheckBox(question.option));
  const bool yes = box->exec() == QMessageBox::Yes;
  if (!box) return {};
  const bool ticked = box->checkBox() && box->checkBox()->isChecked();
  delete box;
  return {yes, ticked};
}

}  // namespace fmd::tray
