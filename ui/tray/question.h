// Question: a confirmation that names the consequence. Enter cancels.
#pragma once
#include <QString>

class QWidget;

namespace fmd::tray {

struct Question {
  QString text, consequence;
  QString option = {};  // text of a check box; "": none
};
struct Answer {
  bool yes = false, ticked = false;
};
// No, if the parent was destroyed meanwhile; the caller must then not use its members.
Answer ask(QWidget* parent, const Question& question);

}  // namespace fmd::tray
