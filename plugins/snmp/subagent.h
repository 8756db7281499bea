// Subagent: net-snmp's AgentX client (RFC 2741) on an sd-event loop. The library keeps the session
// to the master, and opens it again when the master was away; a notification is delivered when the
// master has answered it. One per process: the library's state is global. Single thread.
#pragma once
#include <functional>
#include <map>
#include <memory>
#include <string>

#include "fmd/core/result.h"
#include "plugins/snmp/notification.h"

struct sd_event;
struct sd_event_source;
struct snmp_session;
struct snmp_pdu;

namespace fmd::snmp {

class Subagent {
 public:
  // agentx: the master's address. connected(true/false): the session came or went.
  static Result<std::unique_ptr<Subagent>> create(sd_event* loop, const std::string& agentx,
                                                  std::function<void(bool)> connected);
  ~Subagent();

  bool connected() const { return session_ != nullptr; }
  // done("") once the master took it, else the reason; from the loop.
  void notify(const Notification& notification, std::function<void(std::string)> done);

 private:
  struct Waiting;
  Subagent(sd_event* loop, std::function<void(bool)> connected);
  void session_changed(snmp_session* session);
  void prepare();  // what the library waits for becomes sources of the loop
  void on_io(int fd);
  void on_timer();
  static int on_callback(int major, int minor, void* session, void* self);
  static int on_answer(int operation, snmp_session*, int, snmp_pdu* pdu, void* waiting);

  sd_event* loop_;
  std::function<void(bool)> connected_;
  snmp_session* session_ = nullptr;
  sd_event_source* timer_ = nullptr;
  std::map<int, sd_event_source*> sources_;
};

}  // namespace fmd::snmp
