// fmd-snmp-inform: sends one inform to one manager and waits until it is acknowledged. Run by
// fmd-snmp, which has no sessions with managers. Exit status: 0 acknowledged, 1 not (the reason is
// on standard error), 78 bad configuration.
#include <syslog.h>
#include <time.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <memory>

#include "plugins/sdk/secret.h"
#include "plugins/snmp/informs.h"
#include "plugins/snmp/netsnmp.h"
#include "plugins/snmp/options.h"

namespace {

using fmd::Result;
using fmd::snmp::InformOptions;
using fmd::snmp::Notification;
using fmd::snmp::Oid;

constexpr int kRetries = 2;
constexpr int kBadConfig = 78;

const Oid kSysUpTime{1, 3, 6, 1, 2, 1, 1, 3, 0};
const Oid kTrapOid{1, 3, 6, 1, 6, 3, 1, 1, 4, 1, 0};

// Puts the protocol's identifier and the key derived from the passphrase into the session's fields.
Result<void> set_key(const std::string& file, const oid* protocol, size_t length, const oid* hash,
                     size_t hash_length, oid*& to, size_t& to_length, u_char* key,
                     size_t& key_length) {
  const auto passphrase = fmd::sdk::read_secret(file);
  if (!passphrase) return tl::unexpected(passphrase.error());
  if (passphrase->size() < USM_LENGTH_P_MIN)
    return fmd::fail("a passphrase has at least 8 characters", file);
  if (protocol == nullptr) return fmd::fail("this net-snmp has no such protocol");
  to = snmp_duplicate_objid(protocol, length);
  to_length = length;
  key_length = USM_AUTH_KU_LEN;
  if (generate_Ku(hash, static_cast<u_int>(hash_length),
                  reinterpret_cast<const u_char*>(passphrase->data()), passphrase->size(), key,
                  &key_length) != SNMPERR_SUCCESS)
    return fmd::fail("no key can be made from the passphrase", file);
  return {};
}

// Owns the texts to which the session points; must outlive it.
struct Credentials {
  std::string community, user;
};

Result<void> set_version_3(snmp_session& session, const InformOptions& options, Credentials& kept) {
  session.version = SNMP_VERSION_3;
  kept.user = options.user;
  session.securityName = kept.user.data();
  session.securityNameLen = kept.user.size();
  session.securityModel = SNMP_SEC_MODEL_USM;
  session.securityLevel = SNMP_SEC_LEVEL_AUTHPRIV;
  size_t auth_length = 0, privacy_length = 0;
  const oid* auth = sc_get_auth_oid(usm_lookup_auth_type(options.auth.c_str()), &auth_length);
  const oid* privacy =
      sc_get_priv_oid(usm_lookup_priv_type(options.privacy.c_str()), &privacy_length);
  auto good =
      set_key(options.auth_file, auth, auth_length, auth, auth_length, session.securityAuthProto,
              session.securityAuthProtoLen, session.securityAuthKey, session.securityAuthKeyLen);
  if (good)
    good = set_key(options.privacy_file, privacy, privacy_length, auth, auth_length,
                   session.securityPrivProto, session.securityPrivProtoLen, session.securityPrivKey,
                   session.securityPrivKeyLen);
  return good;
}

netsnmp_pdu* inform_of(const Notification& notification) {
  netsnmp_pdu* pdu = snmp_pdu_create(SNMP_MSG_INFORM);
  if (pdu == nullptr) return nullptr;
  timespec now{};
  clock_gettime(CLOCK_BOOTTIME, &now);
  const u_long up =
      static_cast<u_long>(now.tv_sec) * 100 + static_cast<u_long>(now.tv_nsec) / 10000000;
  snmp_pdu_add_variable(pdu, kSysUpTime.data(), kSysUpTime.size(), ASN_TIMETICKS, &up, sizeof up);
  snmp_pdu_add_variable(pdu, kTrapOid.data(), kTrapOid.size(), ASN_OBJECT_ID,
                        notification.trap.data(), notification.trap.size() * sizeof(oid));
  for (const auto& [name, value] : notification.objects)
    snmp_pdu_add_variable(pdu, name.data(), name.size(), ASN_OCTET_STR, value.data(), value.size());
  return pdu;
}

std::string explain(snmp_session* session) {
  char* text = nullptr;
  snmp_error(session, nullptr, nullptr, &text);
  std::string out = text != nullptr ? text : "no session";
  free(text);
  return out;
}

void prepare_library() {
  setenv("MIBS", "", 1);
  setenv("MIBDIRS", "", 1);
  snmp_disable_log();
  for (const int what :
       {NETSNMP_DS_LIB_DONT_READ_CONFIGS, NETSNMP_DS_LIB_DONT_PERSIST_STATE,
        NETSNMP_DS_LIB_DISABLE_PERSISTENT_LOAD, NETSNMP_DS_LIB_DISABLE_PERSISTENT_SAVE})
    netsnmp_ds_set_boolean(NETSNMP_DS_LIBRARY_ID, what, 1);
  init_snmp("fmd-snmp-inform");
}

Result<void> send(const InformOptions& options, const std::string& manager,
                  const Notification& notification) {
  prepare_library();
  snmp_session session;
  snmp_sess_init(&session);
  // The library copies these when it opens the session.
  const auto free_protocols = [](snmp_session* one) {
    free(one->securityAuthProto);
    free(one->securityPrivProto);
  };
  const std::unique_ptr<snmp_session, decltype(free_protocols)> protocols(&session, free_protocols);
  std::string peer = manager;
  Credentials kept;
  session.peername = peer.data();
  session.retries = kRetries;
  session.timeout = static_cast<long>(options.timeout.count()) * 1000;
  if (options.v3) {
    if (auto set = set_version_3(session, options, kept); !set) return set;
  } else {
    auto community = fmd::sdk::read_secret(options.community_file);
    if (!community) return tl::unexpected(community.error());
    kept.community = std::move(*community);
    session.version = SNMP_VERSION_2c;
    session.community = reinterpret_cast<u_char*>(kept.community.data());
    session.community_len = kept.community.size();
  }
  netsnmp_transport* transport = netsnmp_transport_open_client("snmptrap", session.peername);
  if (transport == nullptr) return fmd::fail("is not an address that can be sent to");
  snmp_session* open = snmp_add(&session, transport, nullptr, nullptr);
  if (open == nullptr) return fmd::fail("no SNMPv3 session: " + explain(&session));
  netsnmp_pdu* answer = nullptr;
  const int status = snmp_synch_response(open, inform_of(notification), &answer);
  const std::unique_ptr<netsnmp_pdu, decltype(&snmp_free_pdu)> held(answer, snmp_free_pdu);
  if (status == STAT_TIMEOUT) return fmd::fail("did not acknowledge it");
  if (status != STAT_SUCCESS) return fmd::fail("was not reached: " + explain(open));
  // A report instead of a response: the manager rejects the message.
  if (answer->command != SNMP_MSG_RESPONSE || answer->errstat != SNMP_ERR_NOERROR)
    return fmd::fail("refused it");
  return {};
}

}  // namespace

int main(int argc, char** argv) {
  std::string config, manager, argument;
  CLI::App app{"Sends one SNMP inform for fmd-snmp", "fmd-snmp-inform"};
  app.add_option("--config", config, "snmp.toml, for its [inform]")->required();
  app.add_option("--to", manager, "the manager")->required();
  app.add_option("NOTIFICATION", argument, "as fmd-snmp hands it over")->required();
  app.set_version_flag("--version", "fmd-snmp-inform " FMD_VERSION);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& wrong) {
    return app.exit(wrong) == 0 ? 0 : kBadConfig;
  }
  const auto options = fmd::snmp::Options::load(config);
  const auto notification = fmd::snmp::notification_from_argument(argument);
  if (!options || !notification) {
    fprintf(stderr, "%s\n", (!options ? options.error() : notification.error()).text().c_str());
    return kBadConfig;
  }
  if (auto sent = send(options->inform, manager, *notification); !sent) {
    fprintf(stderr, "%s\n", sent.error().text().c_str());
    return 1;
  }
  return 0;
}
