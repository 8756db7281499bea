// SMTP by libcurl, in a forked child for each message: libcurl waits in places (the answer to QUIT,
// a resolver), and whatever a server makes it do ends with the child at the deadline.
#include <curl/curl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <cstring>
#include <fstream>

#include "fmd/base/json.h"
#include "fmd/base/text.h"
#include "plugins/mail/dialogue.h"
#include "plugins/mail/sender.h"

namespace fmd::mail {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kMoreThanCurl{500};  // libcurl's own timeout says more than being killed
constexpr unsigned kGoodbyeSeconds = 2;
constexpr milliseconds kConnectWithin{
    30000};  // who is there says so; what it is told may take longer

struct ListDeleter {
  void operator()(curl_slist* list) const { curl_slist_free_all(list); }
};
struct EasyDeleter {
  void operator()(CURL* easy) const { curl_easy_cleanup(easy); }
};

struct Job {
  Options options;
  std::string message;
  std::vector<std::string> mailboxes;
  milliseconds within{};
};

nlohmann::json to_json(const Outcome& outcome) {
  return {{"taken", outcome.taken},
          {"accepted", outcome.accepted},
          {"try_again", outcome.try_again},
          {"reason", outcome.reason}};
}

// What the child wrote, also when it did not end well after that.
Outcome from_output(const sdk::CommandOutput& output, const std::string& server) {
  const auto doc = nlohmann::json::parse(output.out, nullptr, false);
  Outcome outcome;
  if (doc.is_discarded() || !doc.is_object()) {
    outcome.reason = output.explain(display(server));
    return outcome;
  }
  outcome.taken = doc.value("taken", false);
  outcome.accepted = doc.value("accepted", std::vector<std::string>());
  outcome.try_again = doc.value("try_again", false);
  outcome.reason = doc.value("reason", "");
  return outcome;
}

// In the child.
class Transfer {
 public:
  explicit Transfer(const Job& job) : job_(job) {}

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
    const std::string& message = transfer.job_.message;
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

  const Job& job_;
  std::unique_ptr<curl_slist, ListDeleter> recipients_;
  Dialogue dialogue_;
  std::array<char, CURL_ERROR_SIZE> error_{};
  size_t sent_ = 0;
  std::unique_ptr<CURL, EasyDeleter> easy_{curl_easy_init()};  // last: says goodbye to the server
};

Result<void> Transfer::prepare() {
  const Options& options = job_.options;
  for (const std::string& mailbox : job_.mailboxes) {
    const std::string quoted = "<" + mailbox + ">";
    recipients_.reset(curl_slist_append(recipients_.release(), quoted.c_str()));
  }
  const std::string url = options.server + "/" + options.host;
  const std::string from = "<" + options.from.mailbox + ">";
  set(CURLOPT_URL, url.c_str());
  set(CURLOPT_PROTOCOLS_STR, "smtp,smtps");
  set(CURLOPT_MAIL_FROM, from.c_str());
  set(CURLOPT_MAIL_RCPT, recipients_.get());
  // One bad address must not keep the others from hearing of a broken disk.
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
  set(CURLOPT_TIMEOUT_MS, static_cast<long>(job_.within.count()));
  set(CURLOPT_CONNECTTIMEOUT_MS, static_cast<long>(std::min(job_.within, kConnectWithin).count()));
  set(CURLOPT_USE_SSL,
      static_cast<long>(options.starttls == StartTls::required  ? CURLUSESSL_ALL
                        : options.starttls == StartTls::attempt ? CURLUSESSL_TRY
                                                                : CURLUSESSL_NONE));
  if (!options.ca_file.empty()) set(CURLOPT_CAINFO, options.ca_file.c_str());
  return set_login();
}

// The password is read for each message: it may be changed without a restart.
Result<void> Transfer::set_login() {
  if (job_.options.user.empty()) return {};
  std::ifstream in(job_.options.password_file);
  std::string password;
  if (!in || !std::getline(in, password))
    return fail("the password cannot be read", job_.options.password_file);
  set(CURLOPT_USERNAME, job_.options.user.c_str());
  set(CURLOPT_PASSWORD, password.c_str());
  return {};
}

std::string Transfer::explain(CURLcode code) const {
  const std::string& server = job_.options.server;
  if (code == CURLE_OPERATION_TIMEDOUT)
    return fmt::format("{}: no answer in {} s", server, (job_.within.count() + 999) / 1000);
  std::string text = error_[0] != 0 ? error_.data() : curl_easy_strerror(code);
  long system_error = 0;
  curl_easy_getinfo(easy_.get(), CURLINFO_OS_ERRNO, &system_error);
  if (system_error != 0) text += fmt::format(": {}", strerror(static_cast<int>(system_error)));
  return fmt::format("{}: {}", server, text);
}

// The outcome is written as soon as it is known; a server that does not answer the goodbye changes
// nothing.
std::string deliver(const Job& job) {
  curl_global_init(CURL_GLOBAL_DEFAULT);
  Transfer transfer(job);
  const std::string text =
      to_json(transfer.run()).dump(-1, ' ', true, nlohmann::json::error_handler_t::replace);
  const bool written =
      write(kOutput, text.data(), text.size()) == static_cast<ssize_t>(text.size());
  alarm(kGoodbyeSeconds);
  return written ? "" : "\n";
}

class SmtpSender final : public Sender {
 public:
  SmtpSender(sdk::Host& host, Options options) : host_(host), options_(std::move(options)) {}

  void send(const std::string& message, const std::vector<std::string>& mailboxes,
            milliseconds within, std::function<void(Outcome)> done) override {
    const Job job{options_, message, mailboxes, within};
    host_.run_apart([job] { return deliver(job); }, within + kMoreThanCurl,
                    [done = std::move(done), server = options_.server](
                        const sdk::CommandOutput& output) { done(from_output(output, server)); });
  }

 private:
  sdk::Host& host_;
  Options options_;
};

}  // namespace

std::unique_ptr<Sender> make_smtp_sender(sdk::Host& host, const Options& options) {
  return std::make_unique<SmtpSender>(host, options);
}

}  // namespace fmd::mail
