// Subagent: net-snmp's AgentX client (RFC 2741) on an sd-event loop. A notification is delivered
// once the master has answered it; after the master was away, the session is opened again. One per
// process: the library's state is global. Single thread. Opening a session blocks until the master
// answers, so it is tried only while the master's socket accepts connections, for at most two
// seconds, and at growing intervals.
#pragma once
#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <string>

#include "fmd/base/result.h"
#include "plugins/sdk/timer.h"
#include "plugins/snmp/notification.h"
#include "plugins/snmp/regions.h"

struct sd_event;
struct sd_event_source;
struct snmp_session;
struct snmp_pdu;

namespace fmd::snmp {

class Subagent {
 public:
  using Done = std::function<void(std::string)>;
  enum class Serves { nothing, own, all };  // own: fmd's tables; all: also the ENTITY MIBs

  // socket: path of the master's socket. connected: called when the session is opened or lost.
  Subagent(sd_event* loop, std::string socket, Serves serves, std::function<void(bool)> connected);
  ~Subagent();
  Subagent(const Subagent&) = delete;
  Subagent& operator=(const Subagent&) = delete;

  Result<void> start();
  bool connected() const { return session_ != nullptr; }
  // Why there is no session, and what to do about it.
  std::string missing() const { return missing_master(socket_, problem_); }
  static std::string missing_master(const std::string& socket,
                                    int problem);  // problem: errno of connect(2)
  void publish(std::shared_ptr<const View> view) { regions_.publish(std::move(view)); }
  // done("") once the master has accepted it, else the reason.
  void notify(const Notification& notification, Done done);

 private:
  void prepare_library() const;
  bool master_listens();
  void attempt();  // to open a session; retries later on failure
  void session_changed(snmp_session* session);
  void watch();  // adds the library's descriptors to the loop
  void finish(uint64_t number, const std::string& problem);
  static int on_session(int major, int minor, void* session, void* self);
  static int on_answer(int operation, snmp_session*, int, snmp_pdu* pdu, void* number);
  static int on_log(int major, int minor, void* message, void*);

  sd_event* loop_;
  std::string socket_;
  Serves serves_;
  Regions regions_;
  std::function<void(bool)> connected_;
  bool initialised_ = false;
  int problem_ = 0;  // errno of the last connect to the master's socket
  snmp_session* session_ = nullptr;
  std::chrono::milliseconds retry_in_;
  sdk::Timer retry_;
  sdk::Source tick_;
  std::map<int, sdk::Source> sources_;
  uint64_t last_number_ = 0;
  std::map<uint64_t, Done>
      pending_;  // by number: the library may call back for one that is already finished
  static Subagent* only_;
};

}  // namespace fmd::snmp
