// SimPlugin: one plugin's process and its connection, as the stage plays it: it looks at the world, sends
// what has changed, keeps events until they are acked, does what it is commanded once a key, one after the
// other, and misbehaves when its history says so.
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
  uint64_t flight = 0;   // the stage's number of it
  int connection = 0;    // on which it came
  bool ordered = false;  // by a person
};

struct SimPlugin {
  Source source = Source::zfs;
  bool running = true, connected = false;
  int process = 0, connection = 0;  // counted up when the old one is no more
  Ns lag = 100 * kMs, late = 100 * kMs;
  Ns last_arrival = 0;  // messages stay in order
  bool look_planned = false;
  bool told_all = false;  // on this connection
  Picture said;
  std::deque<Event> events;  // not acked
  size_t events_sent = 0;    // of those, on this connection
  std::deque<Event>
      ring;  // acked; the kernel still has them, and an fmd without a cursor gets them again
  std::deque<SentCommand> commands;
  bool at_work = false;
  std::map<std::string, CommandResult> remembered;  // by key; zfs keeps it on disk
  std::set<std::string> begun;                      // keys, on disk likewise, not answered
  std::deque<Misdeed> misdeeds;                     // of the next commands
};

}  // namespace fmd::histories
