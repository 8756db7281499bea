// Sends one message by SMTP with libcurl. Part of the courier: see courier.h.
#include <curl/curl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <cstring>
#include <fstream>

#include "fmd/base/json.h"
#include "plugins/mail/courier.h"
#include "plugins/mail/dialogue.h"
#include "plugins/sdk/secret.h"

namespace fmd::mail {
namespace {

using std::chrono::milliseconds;

constexpr unsigned kGoodbyeSeconds = 2;
constexpr milliseconds kConnectWithin{
    30000};  // a live server accepts quickly; its answers may take longer

struct ListDeleter {
  void operator()(curl_slist* list) const { curl_slist_free_all(list); }
};
struct EasyDeleter {
  void operator()(CURL* easy) const { curl_easy_cleanup(easy); }
};

nlohmann::json to_json(const Outcome& outcome) {
  return {{"taken", outcome.taken},
          {"accepted", outcome.accepted},
          {"try_again", outcome.try_again},
          {"reason", outcome.reason}};
}

class Transfer {
 public:
  explicit Transfer(const Parcel& parcel) : parcel_(parcel) {}

  Outcome run() {
    if (const auto prepared = prepare(); !prepared)
      return {.taken = false, .accepted = {}, .reason = prepared.error().text()};
    const CURLcode code = curl_easy_perform(easy_.get());
    return dialogue_.outcome(code == CURLE_OK, explain(code));
  }

 private:
  Result<void> prepare();
  Result<void> set_login();
  std::string explain(CURLcode code) const;

  template <class T>
  void set(CURLoption option, T value) {
    curl_easy_setopt(easy_.get(), option, value);
  }

  static size_t read(char* buffer, size_t size, size_t count, void* self) {
    auto& transfer = *static_cast<Transfer*>(self);
    const std::string& message = transfer.parcel_.message;
    const size_t take = std::min(size * count, message.size() - transfer.sent_);
    memcpy(buffer, message.data() + transfer.sent_, take);
    transfer.sent_ += take;
    return take;
  }

  static int debug(CURL*, curl_infotype type, char* data, size_t size, void* self) {
    auto& transfer = *static_cast<Transfer*>(self);
    if (type == CURLINFO_HEADER_OUT) transfer.dialogue_.sent({data, size});
    if (type == CURLINFO_HEADER_IN) transfer.dialogue_.received({data, size});
    return 0;
  }

  const Parcel& parcel_;
  std::unique_ptr<curl_slist, ListDeleter> recipients_;
  Dialogue dialogue_;
  std::array<char, CURL_ERROR_SIZE> error_{};
  size_t sent_ = 0;
  std::unique_ptr<CURL, EasyDeleter> easy_{curl_easy_init()};  // last: its destructor sends QUIT
};

Result<void> Transfer::prepare() {
  const Options& options = parcel_.options;
  for (const std::string& mailbox : parcel_.mailboxes) {
    const std::string quoted = "<" + mailbox + ">";
    recipients_.reset(curl_slist_append(recipients_.release(), quoted.c_str()));
  }
  const std::string url = options.server + "/" + options.host;
  const std::string from = "<" + options.from.mailbox + ">";
  set(CURLOPT_URL, url.c_str());
  set(CURLOPT_PROTOCOLS_STR, "smtp,smtps");
  set(CURLOPT_MAIL_FROM, from.c_str());
  set(CURLOPT_MAIL_RCPT, recipients_.get());
  // One bad address must not keep the mail from the other recipients.
  set(CURLOPT_MAIL_RCPT_ALLLOWFAILS, 1L);
  set(CURLOPT_UPLOAD, 1L);
  set(CURLOPT_READFUNCTION, Transfer::read);
  set(CURLOPT_READDATA, this);
  set(CURLOPT_VERBOSE, 1L);
  set(CURLOPT_DEBUGFUNCTION, Transfer::debug);
  set(CURLOPT_DEBUGDATA, this);
  set(CURLOPT_ERRORBUFFER, error_.data());
  set(CURLOPT_NOPROXY, "*");
  set(CURLOPT_NOSIGNAL, 1L);
  set(CURLOPT_TIMEOUT_MS, static_cast<long>(parcel_.within.count()));
  set(CURLOPT_CONNECTTIMEOUT_MS,
      static_cast<long>(std::min(parcel_.within, kConnectWithin).count()));
  set(CURLOPT_USE_SSL,
      static_cast<long>(options.starttls == StartTls::required  ? CURLUSESSL_ALL
                        : options.starttls == StartTls::attempt ? CURLUSESSL_TRY
                                                                : CURLUSESSL_NONE));
  if (!options.ca_file.empty()) set(CURLOPT_CAINFO, options.ca_file.c_str());
  return set_login();
}

// Reads the password for each message, so that a change needs no restart.
Result<void> Transfer::set_login() {
  if (parcel_.options.user.empty()) return {};
  const auto password = sdk::read_secret(parcel_.options.password_file);
  if (!password) return tl::unexpected(password.error());
  set(CURLOPT_USERNAME, parcel_.options.user.c_str());
  set(CURLOPT_PASSWORD, password->c_str());
  return {};
}

std::string Transfer::explain(CURLcode code) const {
  const std::string& server = parcel_.options.server;
  if (code == CURLE_OPERATION_TIMEDOUT)
    return fmt::format("{}: no answer in {} s", server, (parcel_.within.count() + 999) / 1000);
  std::string text = error_[0] != 0 ? error_.data() : curl_easy_strerror(code);
  long system_error = 0;
  curl_easy_getinfo(easy_.get(), CURLINFO_OS_ERRNO, &system_error);
  if (system_error != 0) text += fmt::format(": {}", strerror(static_cast<int>(system_error)));
  return fmt::format("{}: {}", server, text);
}

}  // namespace

// The outcome is written as soon as it is known, so that a server which does not answer QUIT cannot
// change it.
std::string deliver(const Parcel& parcel) {
  curl_global_init(CURL_GLOBAL_DEFAULT);
  Transfer transfer(parcel);
  const std::string text =
      to_json(transfer.run()).dump(-1, ' ', true, nlohmann::json::error_handler_t::replace);
  const bool written =
      write(kOutput, text.data(), text.size()) == static_cast<ssize_t>(text.size());
  alarm(kGoodbyeSeconds);
  return written ? "" : "\n";
}

}  // namespace fmd::mail
