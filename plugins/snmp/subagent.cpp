#include "plugins/snmp/subagent.h"

#include <syslog.h>
#include <systemd/sd-event.h>

#include <cstdlib>

// net-snmp's headers are C of another age: they are kept to this file.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wpedantic"
#pragma GCC diagnostic ignored "-Wshadow"
// The order matters: the library's configuration first.
#include <net-snmp/net-snmp-config.h>

#include <net-snmp/net-snmp-includes.h>

#include <net-snmp/agent/net-snmp-agent-includes.h>

#include <net-snmp/agent/agent_callbacks.h>
#pragma GCC diagnostic pop

#include "plugins/sdk/plugin.h"

namespace fmd::snmp {
namespace {

// RFC 2741 § 6.2.10: agentx-Notify-PDU is type 12; 0xC1 is how net-snmp writes "AgentX version 1".
constexpr int kAgentxNotify = 12;
constexpr int kAgentxVersion1 = 0xC1;
constexpr uint64_t kPingSeconds = 5;  // how soon a master that came back is found

const Oid kSnmpTrapOid{1, 3, 6, 1, 6, 3, 1, 1, 4, 1, 0};

}  // namespace

struct Subagent::Waiting {
  std::function<void(std::string)> done;
  std::shared_ptr<bool> answered;  // the library may answer from within the sending
};

Subagent::Subagent(sd_event* loop, std::function<void(bool)> connected)
    : loop_(loop), connected_(std::move(connected)) {}

Result<std::unique_ptr<Subagent>> Subagent::create(sd_event* loop, const std::string& agentx,
                                                   std::function<void(bool)> connected) {
  std::unique_ptr<Subagent> agent(new Subagent(loop, std::move(connected)));
  snmp_enable_stderrlog();
  // Numbers are all we need; MIB files only make noise where they are half installed.
  setenv("MIBS", "", 1);
  setenv("MIBDIRS", "", 1);
  netsnmp_enable_subagent();
  netsnmp_ds_set_boolean(NETSNMP_DS_LIBRARY_ID, NETSNMP_DS_LIB_DONT_READ_CONFIGS, 1);
  netsnmp_ds_set_boolean(NETSNMP_DS_LIBRARY_ID, NETSNMP_DS_LIB_DISABLE_PERSISTENT_LOAD, 1);
  netsnmp_ds_set_boolean(NETSNMP_DS_LIBRARY_ID, NETSNMP_DS_LIB_DISABLE_PERSISTENT_SAVE, 1);
  netsnmp_ds_set_boolean(NETSNMP_DS_APPLICATION_ID, NETSNMP_DS_AGENT_NO_CONNECTION_WARNINGS, 1);
  netsnmp_ds_set_string(NETSNMP_DS_APPLICATION_ID, NETSNMP_DS_AGENT_X_SOCKET, agentx.c_str());
  netsnmp_ds_set_int(NETSNMP_DS_APPLICATION_ID, NETSNMP_DS_AGENT_AGENTX_PING_INTERVAL,
                     kPingSeconds);
  for (const int what : {SNMPD_CALLBACK_INDEX_START, SNMPD_CALLBACK_INDEX_STOP})
    snmp_register_callback(SNMP_CALLBACK_APPLICATION, what, on_callback, agent.get());
  if (init_agent("fmd-snmp") != 0) return fail("net-snmp's agent library cannot be started");
  init_snmp("fmd-snmp");
  const auto tick = [](sd_event_source*, uint64_t, void* self) {
    static_cast<Subagent*>(self)->on_timer();
    return 0;
  };
  if (sd_event_add_time(loop, &agent->timer_, CLOCK_MONOTONIC, 0, 0, tick, agent.get()) < 0)
    return fail("no timer for the AgentX session");
  sd_event_source_set_prepare(agent->timer_, [](sd_event_source*, void* self) {
    static_cast<Subagent*>(self)->prepare();
    return 0;
  });
  return agent;
}

Subagent::~Subagent() {
  for (const int what : {SNMPD_CALLBACK_INDEX_START, SNMPD_CALLBACK_INDEX_STOP})
    snmp_unregister_callback(SNMP_CALLBACK_APPLICATION, what, on_callback, this, 1);
  for (auto& [fd, source] : sources_) sd_event_source_disable_unref(source);
  sd_event_source_disable_unref(timer_);
  snmp_shutdown("fmd-snmp");
}

int Subagent::on_callback(int, int minor, void* session, void* self) {
  auto* agent = static_cast<Subagent*>(self);
  agent->session_changed(minor == SNMPD_CALLBACK_INDEX_START ? static_cast<snmp_session*>(session)
                                                             : nullptr);
  return SNMPERR_SUCCESS;
}

void Subagent::session_changed(snmp_session* session) {
  const bool before = connected();
  session_ = session;
  if (before != connected() && connected_) connected_(connected());
}

void Subagent::prepare() {
  int limit = 0, block = 1;
  fd_set wanted;
  FD_ZERO(&wanted);
  timeval wait{};
  snmp_select_info(&limit, &wanted, &wait, &block);
  for (auto it = sources_.begin(); it != sources_.end();) {
    const bool still = it->first < limit && FD_ISSET(it->first, &wanted);
    if (!still) sd_event_source_disable_unref(it->second);
    it = still ? std::next(it) : sources_.erase(it);
  }
  const auto readable = [](sd_event_source*, int fd, uint32_t, void* self) {
    static_cast<Subagent*>(self)->on_io(fd);
    return 0;
  };
  for (int fd = 0; fd < limit; ++fd) {
    if (!FD_ISSET(fd, &wanted) || sources_.count(fd)) continue;
    sd_event_source* source = nullptr;
    if (sd_event_add_io(loop_, &source, fd, EPOLLIN, readable, this) >= 0) sources_[fd] = source;
  }
  if (block) {
    sd_event_source_set_enabled(timer_, SD_EVENT_OFF);
    return;
  }
  const uint64_t wait_us =
      static_cast<uint64_t>(wait.tv_sec) * 1000000 + static_cast<uint64_t>(wait.tv_usec);
  sd_event_source_set_time_relative(timer_, wait_us);
  sd_event_source_set_enabled(timer_, SD_EVENT_ONESHOT);
}

void Subagent::on_io(int fd) {
  fd_set ready;
  FD_ZERO(&ready);
  FD_SET(fd, &ready);
  snmp_read(&ready);
}

void Subagent::on_timer() {
  snmp_timeout();
  run_alarms();
}

int Subagent::on_answer(int operation, snmp_session*, int, snmp_pdu* pdu, void* argument) {
  std::unique_ptr<Waiting> waiting(static_cast<Waiting*>(argument));
  std::string problem;
  if (operation != NETSNMP_CALLBACK_OP_RECEIVED_MESSAGE)
    problem = operation == NETSNMP_CALLBACK_OP_TIMED_OUT ? "the AgentX master did not answer"
                                                         : "the AgentX session was lost";
  else if (pdu && pdu->errstat != SNMP_ERR_NOERROR)
    problem = "the AgentX master answered error " + std::to_string(pdu->errstat);
  *waiting->answered = true;
  waiting->done(std::move(problem));
  return 1;
}

void Subagent::notify(const Notification& notification, std::function<void(std::string)> done) {
  if (!session_) return done("no AgentX session: is snmpd running, with `master agentx`?");
  netsnmp_pdu* pdu = snmp_pdu_create(kAgentxNotify);
  if (!pdu) return done("no memory");
  pdu->version = kAgentxVersion1;
  pdu->sessid = session_->sessid;
  static_assert(sizeof(oid) == sizeof(unsigned long));
  snmp_pdu_add_variable(pdu, kSnmpTrapOid.data(), kSnmpTrapOid.size(), ASN_OBJECT_ID,
                        notification.trap.data(), notification.trap.size() * sizeof(oid));
  for (const auto& [name, value] : notification.objects)
    snmp_pdu_add_variable(pdu, name.data(), name.size(), ASN_OCTET_STR, value.data(), value.size());
  const auto answered = std::make_shared<bool>(false);
  auto* waiting = new Waiting{done, answered};  // on_answer's from here on
  if (snmp_async_send(session_, pdu, on_answer, waiting) != 0) return;
  snmp_free_pdu(pdu);
  if (*answered) return;
  delete waiting;
  done("the AgentX session does not take it");
}

}  // namespace fmd::snmp
