#include "plugins/snmp/subagent.h"

#include <sys/socket.h>
#include <sys/un.h>
#include <syslog.h>
#include <systemd/sd-event.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "plugins/sdk/plugin.h"
#include "plugins/snmp/netsnmp.h"

// Exported by libnetsnmpagent, but in no installed header. Returns 0 if the session is open.
extern "C" int subagent_open_master_session(void);

namespace fmd::snmp {
namespace {

using std::chrono::milliseconds;

// RFC 2741 § 6.2.10: agentx-Notify-PDU is type 12; 0xC1 is how net-snmp writes "AgentX version 1".
constexpr int kAgentxNotify = 12;
constexpr int kAgentxVersion1 = 0xC1;
constexpr long kAnswerSeconds = 5;  // for a notification
constexpr int kOpeningSeconds =
    2;  // the library blocks for it, and for the answer about each region
constexpr milliseconds kFirstRetry{500}, kLastRetry{30000};
constexpr uint64_t kIdleUs = 3600ULL * 1000000;

const Oid kSnmpTrapOid{1, 3, 6, 1, 6, 3, 1, 1, 4, 1, 0};

}  // namespace

Subagent* Subagent::only_ = nullptr;

Subagent::Subagent(sd_event* loop, std::string socket, Serves serves,
                   std::function<void(bool)> connected)
    : loop_(loop),
      socket_(std::move(socket)),
      serves_(serves),
      connected_(std::move(connected)),
      retry_in_(kFirstRetry),
      retry_(loop) {
  only_ = this;
}

Subagent::~Subagent() {
  only_ = nullptr;
  sources_.clear();
  tick_.reset();
  if (!initialised_) return;
  for (const int what : {SNMPD_CALLBACK_INDEX_START, SNMPD_CALLBACK_INDEX_STOP})
    snmp_unregister_callback(SNMP_CALLBACK_APPLICATION, what, on_session, this, 1);
  snmp_shutdown("fmd-snmp");
}

Result<void> Subagent::start() {
  const auto tick = [](sd_event_source*, uint64_t, void*) {
    snmp_timeout();
    run_alarms();
    return 0;
  };
  sd_event_source* source = nullptr;
  if (sd_event_add_time_relative(loop_, &source, CLOCK_MONOTONIC, kIdleUs, 0, tick, this) < 0)
    return fail("there is no timer for the AgentX session");
  tick_.reset(source);
  sd_event_source_set_enabled(source, SD_EVENT_ON);
  sd_event_source_set_prepare(source, [](sd_event_source*, void* self) {
    static_cast<Subagent*>(self)->watch();
    return 0;
  });
  attempt();
  return {};
}

void Subagent::prepare_library() const {
  snmp_register_callback(SNMP_CALLBACK_LIBRARY, SNMP_CALLBACK_LOGGING, on_log, nullptr);
  snmp_enable_calllog();
  // Only numeric OIDs are needed, and loading MIB files prints errors if some are missing.
  setenv("MIBS", "", 1);
  setenv("MIBDIRS", "", 1);
  netsnmp_enable_subagent();
  for (const int what :
       {NETSNMP_DS_LIB_DONT_READ_CONFIGS, NETSNMP_DS_LIB_DONT_PERSIST_STATE,
        NETSNMP_DS_LIB_DISABLE_PERSISTENT_LOAD, NETSNMP_DS_LIB_DISABLE_PERSISTENT_SAVE})
    netsnmp_ds_set_boolean(NETSNMP_DS_LIBRARY_ID, what, 1);
  netsnmp_ds_set_int(NETSNMP_DS_LIBRARY_ID, NETSNMP_DS_LIB_TIMEOUT, kOpeningSeconds);
  netsnmp_ds_set_int(NETSNMP_DS_LIBRARY_ID, NETSNMP_DS_LIB_RETRIES, 0);
  netsnmp_ds_set_boolean(NETSNMP_DS_APPLICATION_ID, NETSNMP_DS_AGENT_NO_CONNECTION_WARNINGS, 1);
  const std::string address = "unix:" + socket_;
  netsnmp_ds_set_string(NETSNMP_DS_APPLICATION_ID, NETSNMP_DS_AGENT_X_SOCKET, address.c_str());
  // Disable the library's pings, for which it blocks. A master that ends closes its socket, and one
  // that hangs does not answer notifications.
  netsnmp_ds_set_int(NETSNMP_DS_APPLICATION_ID, NETSNMP_DS_AGENT_AGENTX_PING_INTERVAL, 0);
  for (const int what : {SNMPD_CALLBACK_INDEX_START, SNMPD_CALLBACK_INDEX_STOP})
    snmp_register_callback(SNMP_CALLBACK_APPLICATION, what, on_session, only_);
}

// Whether a connect succeeds immediately: the library's connect would block on a master that hangs.
bool Subagent::master_listens() {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (socket_.size() >= sizeof address.sun_path) return false;
  memcpy(address.sun_path, socket_.c_str(), socket_.size() + 1);
  const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  if (fd < 0) return false;
  const bool listens = connect(fd, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0;
  problem_ = listens ? 0 : errno;
  close(fd);
  return listens;
}

std::string Subagent::missing_master(const std::string& socket, int problem) {
  if (problem == EACCES || problem == EPERM)
    return "the AgentX socket " + socket +
           " is closed to fmd-snmp: it needs agentXPerms in snmpd.conf, as " +
           "/usr/share/fmd/examples/snmpd-fmd.conf has it, and a folder of mode 755";
  return "no AgentX master at " + socket + ": snmpd needs `master agentx` in snmpd.conf";
}

void Subagent::attempt() {
  if (session_ != nullptr) return;
  if (master_listens()) {
    if (!initialised_) {
      initialised_ = true;
      prepare_library();
      if (init_agent("fmd-snmp") != 0)
        sdk::log(LOG_ERR, "net-snmp's agent library cannot be started");
      init_snmp("fmd-snmp");  // opens the session
      if (serves_ != Serves::nothing) regions_.serve(serves_ == Serves::all);
    } else if (subagent_open_master_session() == 0) {
      register_mib_reattach();
    }
  }
  if (session_ != nullptr) {
    session_->timeout = kAnswerSeconds * 1000000L;
    retry_in_ = kFirstRetry;
    return;
  }
  if (connected_) connected_(false);  // the reason may have changed
  retry_.start(retry_in_, [this] { attempt(); });
  retry_in_ = std::min(retry_in_ * 2, kLastRetry);
}

int Subagent::on_session(int, int minor, void* session, void* self) {
  static_cast<Subagent*>(self)->session_changed(
      minor == SNMPD_CALLBACK_INDEX_START ? static_cast<snmp_session*>(session) : nullptr);
  return SNMPERR_SUCCESS;
}

void Subagent::session_changed(snmp_session* session) {
  const bool before = connected();
  session_ = session;
  // A new descriptor may reuse the number of the old one, so the loop must drop the old one.
  sources_.clear();
  if (session_ != nullptr) {
    // If the library resent a notification, managers would get it twice.
    session_->retries = 0;
    session_->timeout = kOpeningSeconds * 1000000L;
  } else {
    retry_in_ = kFirstRetry;
    retry_.start(retry_in_, [this] { attempt(); });
    for (const auto& [number, done] : std::exchange(pending_, {}))
      done("the AgentX master went away");
  }
  if (before != connected() && connected_) connected_(connected());
}

void Subagent::watch() {
  if (!initialised_) return;
  int limit = 0, block = 1;
  fd_set wanted;
  FD_ZERO(&wanted);
  timeval wait{};
  snmp_select_info(&limit, &wanted, &wait, &block);
  std::erase_if(sources_, [&](const auto& one) {
    return one.first >= limit || !FD_ISSET(one.first, &wanted);
  });
  const auto readable = [](sd_event_source*, int fd, uint32_t, void*) {
    fd_set ready;
    FD_ZERO(&ready);
    FD_SET(fd, &ready);
    snmp_read(&ready);
    return 0;
  };
  for (int fd = 0; fd < limit; ++fd) {
    if (!FD_ISSET(fd, &wanted) || sources_.contains(fd)) continue;
    sd_event_source* source = nullptr;
    if (sd_event_add_io(loop_, &source, fd, EPOLLIN, readable, this) >= 0)
      sources_.emplace(fd, source);
  }
  const uint64_t wait_us =
      static_cast<uint64_t>(wait.tv_sec) * 1000000 + static_cast<uint64_t>(wait.tv_usec);
  sd_event_source_set_time_relative(tick_.get(), block != 0 ? kIdleUs : wait_us);
}

int Subagent::on_log(int, int, void* message, void*) {
  const auto* entry = static_cast<const snmp_log_message*>(message);
  if (entry->priority > LOG_WARNING || entry->msg == nullptr) return SNMPERR_SUCCESS;
  std::string text = entry->msg;
  while (text.ends_with('\n')) text.pop_back();
  sdk::log(entry->priority, "net-snmp: " + text);
  return SNMPERR_SUCCESS;
}

int Subagent::on_answer(int operation, snmp_session*, int, snmp_pdu* pdu, void* number) {
  std::string problem;
  if (operation == NETSNMP_CALLBACK_OP_TIMED_OUT)
    problem = "the AgentX master did not answer in " + std::to_string(kAnswerSeconds) + " s";
  else if (operation != NETSNMP_CALLBACK_OP_RECEIVED_MESSAGE)
    problem = "the AgentX session was lost";
  else if (pdu != nullptr && pdu->errstat != SNMP_ERR_NOERROR)
    problem = "the AgentX master answered with error " + std::to_string(pdu->errstat);
  if (only_ != nullptr) only_->finish(reinterpret_cast<uintptr_t>(number), problem);
  return 1;
}

void Subagent::finish(uint64_t number, const std::string& problem) {
  const auto found = pending_.find(number);
  if (found == pending_.end()) return;
  const Done done = std::move(found->second);
  pending_.erase(found);
  done(problem);
}

void Subagent::notify(const Notification& notification, Done done) {
  if (session_ == nullptr) return done("no AgentX session: " + missing());
  netsnmp_pdu* pdu = snmp_pdu_create(kAgentxNotify);
  if (pdu == nullptr) return done("no memory for a notification");
  pdu->version = kAgentxVersion1;
  pdu->sessid = session_->sessid;
  static_assert(sizeof(oid) == sizeof(Oid::value_type));
  snmp_pdu_add_variable(pdu, kSnmpTrapOid.data(), kSnmpTrapOid.size(), ASN_OBJECT_ID,
                        notification.trap.data(), notification.trap.size() * sizeof(oid));
  for (const auto& [name, value] : notification.objects)
    snmp_pdu_add_variable(pdu, name.data(), name.size(), ASN_OCTET_STR, value.data(), value.size());
  const uint64_t number = ++last_number_;
  pending_.emplace(number, std::move(done));
  if (snmp_async_send(session_, pdu, on_answer,
                      reinterpret_cast<void*>(static_cast<uintptr_t>(number))) != 0)
    return;
  snmp_free_pdu(pdu);
  finish(number, "the AgentX master does not take it");
}

}  // namespace fmd::snmp
