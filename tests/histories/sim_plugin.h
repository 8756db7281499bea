// SimPlugin: one simulated plugin process and its connection, driven by the stage. It sends changes
// of the world, keeps events until they are acked, carries out each command key once and in order,
// and misbehaves when its history says so.
#pragma once
#include <deque>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "fmd/model/event.h"
#include "fmd/reconcile/command.h"
#include "history.h"
#include "look.h"

namespace fmd::histories {

struct SentCommand {
  Command command;
  uint64_t flight = 0;   // the stage's number of this command
  int connection = 0;    // on which it arrived
  bool ordered = false;  // by an administrator
};

struct SimPlugin {
  Source source = Source::zfs;
  bool running = true, connected = false;
  int process = 0, connection = 0;  // incremented at each restart
  Ns lag = 100 * kMs, late = 100 * kMs;
  Ns last_arrival = 0;  // keeps messages in order
  bool look_planned = false;
  bool told_all = false;  // on this connection
  Picture said;
  std::deque<Event> events;  // not acked
  size_t events_sent = 0;    // on this connection
  std::deque<Event>
      ring;  // acked; the kernel still has them, and an fmd without a cursor receives them again
  std::deque<SentCommand> commands;
  bool at_work = false;
  std::map<std::string, CommandResult> remembered;  // by key; zfs stores it on disk
  std::set<std::string> begun;                      // keys without an answer yet, also on disk
  std::deque<Misdeed> misdeeds;                     // for the next commands
};

}  // namespace fmd::histories
