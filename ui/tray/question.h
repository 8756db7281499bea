// Question: asked before what has a consequence, which it names. Cancel is what Enter does.
#pragma once
#include <QString>

class QWidget;

namespace fmd::tray {

struct Question {
  QString text, consequence;
  QString option = {};  // a box to tick, "" none
};
struct Answer {
  bool yes = false, ticked = false;
};
// No, when whom it was asked for has gone meanwhile (a host that was removed): whoever asks then touches nothing of its own.
Answer ask(QWidget* parent, const Question& question);

}  // namespace fmd::tray
