// Client: HTTPS with a Redfish service (DSP0266) by libcurl, for a forked child: it waits. One request at
// a time over one connection, in one session, whose token and address stand in a file: it is used again
// by the next look and after a restart, and ended by end_session(). Documents that have not changed are
// not sent again (ETag). Compressed answers are neither requested nor accepted, and a Budget limits the whole look.
#pragma once
#include <chrono>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "fmd/base/result.h"
#include "plugins/redfish/budget.h"
#include "plugins/redfish/documents.h"
#include "plugins/redfish/options.h"

namespace fmd::redfish {

class Client {
 public:
  // known: of the look before. session_file: "" none is kept.
  Client(const Options& options, Documents known, std::string session_file);
  ~Client();
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;

  // nullptr: refused, not there, or no JSON: see trouble(). Valid while the client lives.
  const nlohmann::json* get(const std::string& uri);
  Result<void> patch(const std::string& uri, const nlohmann::json& change);
  // What is to end the look: nobody answers, or the password is refused.
  bool lost() const { return lost_; }
  bool refused() const { return refused_; }  // the password: asking again soon may lock the account
  bool spent() const { return budget_.spent(); }
  // The limit that kept a document from being read, as a sentence; "" none.
  std::string limit() const { return spent() ? budget_.complaint() : limit_; }
  const std::string& trouble() const { return trouble_; }
  const Documents& documents() const { return documents_; }
  size_t requests() const { return requests_; }
  void end_session();

  // The plugin stops: no look begins a session any more, and the one under way ends with its request.
  static void announce_end(const std::string& session_file, bool on);
  static bool end_announced(const std::string& session_file);
  // Waits until no look uses the session.
  static void wait_until_free(const std::string& session_file, std::chrono::milliseconds at_most);

 private:
  struct Answer {
    long status = 0;  // 0: none came
    std::string body, etag, token, location;
    std::string limit;  // "" taken whole; else why not: "is larger than 8 MiB"
  };
  struct Receiver;
  Answer ask(const char* method, const std::string& uri, const std::string* body,
             const std::string& etag);
  Answer in_session(const char* method, const std::string& uri, const std::string* body,
                    const std::string& etag);
  bool log_in();
  const nlohmann::json* keep(const std::string& uri, Document document);
  const nlohmann::json* beyond(const std::string& uri, const std::string& limit);
  void forget_session();

  struct Impl;
  std::unique_ptr<Impl> impl_;
  const Options& options_;
  Documents known_, documents_;
  std::string file_, token_, session_;
  std::string trouble_, limit_;
  Budget budget_;
  bool lost_ = false, refused_ = false, logged_in_ = false;
  int lock_ = -1;  // held while the client lives
  size_t requests_ = 0;
};

}  // namespace fmd::redfish
