#include "plugins/http/http_post.h"

#include <curl/curl.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <memory>

#include "fmd/base/json.h"
#include "fmd/base/json_value.h"
#include "fmd/base/text.h"
#include "plugins/sdk/secret.h"

namespace fmd::http {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kMoreThanCurl{500};  // libcurl's timeout comes first: its message says more
constexpr milliseconds kConnectWithin{15000};
constexpr size_t kAnswerKept = 200;  // bytes; the transfer is cut there, since the status is known

struct ListDeleter {
  void operator()(curl_slist* list) const { curl_slist_free_all(list); }
};
struct EasyDeleter {
  void operator()(CURL* easy) const { curl_easy_cleanup(easy); }
};

// Runs in the child.
class Transfer {
 public:
  Transfer(const Request& request, milliseconds within) : request_(request), within_(within) {}

  Answer run() {
    if (const auto prepared = prepare(); !prepared) return {false, prepared.error().text()};
    const CURLcode code = curl_easy_perform(easy_.get());
    if (code == CURLE_OPERATION_TIMEDOUT)
      return {false, fmt::format("no answer in {} s", (within_.count() + 999) / 1000)};
    if (code != CURLE_OK && answer_.size() < kAnswerKept)
      return {false, display(error_[0] != 0 ? error_.data() : curl_easy_strerror(code))};
    long status = 0;
    curl_easy_getinfo(easy_.get(), CURLINFO_RESPONSE_CODE, &status);
    if (status >= 200 && status < 300) return {true, ""};
    const std::string words = answer_.substr(0, answer_.find_first_of("\r\n"));
    return {false, fmt::format("HTTP {}{}{}", status, words.empty() ? "" : ": ", display(words))};
  }

 private:
  template <class T>
  void set(CURLoption option, T value) {
    curl_easy_setopt(easy_.get(), option, value);
  }

  void header(const std::string& line) {
    headers_.reset(curl_slist_append(headers_.release(), line.c_str()));
  }

  Result<void> prepare() {
    header("Content-Type: application/json");
    header("Expect:");  // saves a round trip before the body
    for (const std::string& line : request_.headers) header(line);
    set(CURLOPT_URL, request_.url.c_str());
    set(CURLOPT_PROTOCOLS_STR, "http,https");
    set(CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(request_.body.size()));
    set(CURLOPT_POSTFIELDS, request_.body.data());
    set(CURLOPT_WRITEFUNCTION, Transfer::keep);
    set(CURLOPT_WRITEDATA, this);
    set(CURLOPT_USERAGENT, "fmd");
    set(CURLOPT_ERRORBUFFER, error_.data());
    set(CURLOPT_NOSIGNAL, 1L);
    set(CURLOPT_TIMEOUT_MS, static_cast<long>(within_.count()));
    set(CURLOPT_CONNECTTIMEOUT_MS, static_cast<long>(std::min(within_, kConnectWithin).count()));
    if (!request_.ca_file.empty()) set(CURLOPT_CAINFO, request_.ca_file.c_str());
    if (auto login = set_login(); !login) return login;
    set(CURLOPT_HTTPHEADER, headers_.get());
    return {};
  }

  // Read for each message, so that a change needs no restart.
  Result<void> set_login() {
    if (!request_.token_file.empty()) {
      const auto token = sdk::read_secret(request_.token_file);
      if (!token) return tl::unexpected(token.error());
      header("Authorization: Bearer " + *token);
    }
    if (request_.user.empty()) return {};
    const auto password = sdk::read_secret(request_.password_file);
    if (!password) return tl::unexpected(password.error());
    set(CURLOPT_HTTPAUTH, static_cast<long>(CURLAUTH_BASIC));
    set(CURLOPT_USERNAME, request_.user.c_str());
    set(CURLOPT_PASSWORD, password->c_str());
    return {};
  }

  static size_t keep(char* bytes, size_t size, size_t count, void* self) {
    std::string& answer = static_cast<Transfer*>(self)->answer_;
    answer.append(bytes, std::min(size * count, kAnswerKept - answer.size()));
    return answer.size() < kAnswerKept ? size * count : 0;
  }

  const Request& request_;
  milliseconds within_;
  std::unique_ptr<curl_slist, ListDeleter> headers_;
  std::array<char, CURL_ERROR_SIZE> error_{};
  std::string answer_;
  std::unique_ptr<CURL, EasyDeleter> easy_{curl_easy_init()};
};

}  // namespace

void post(sdk::Host& host, const Request& request, milliseconds within,
          std::function<void(const Answer&)> done) {
  host.run_apart(
      [request, within] {
        curl_global_init(CURL_GLOBAL_DEFAULT);
        const Answer answer = Transfer(request, within).run();
        return dump_json({{"taken", answer.taken}, {"reason", answer.reason}});
      },
      within + kMoreThanCurl,
      [done = std::move(done), url = request.url](const sdk::CommandOutput& output) {
        const auto doc = nlohmann::json::parse(output.out, nullptr, false);
        const std::string where = display(url);
        if (!doc.is_object()) return done({false, output.explain(where)});
        const std::string reason = json_text(doc, "reason");
        done({json_bool(doc, "taken"), reason.empty() ? "" : where + ": " + reason});
      });
}

bool is_safe_url(std::string_view url) {
  for (const char c : url)
    if (c <= ' ' || c >= 0x7f) return false;
  const size_t scheme = url.find("://");
  if (scheme == url.npos) return false;
  const std::string_view rest = url.substr(scheme + 3);
  const std::string_view host = rest.substr(0, rest.find_first_of("/?#"));
  if (host.empty() || host.find('@') != host.npos) return false;  // credentials belong in files
  if (url.substr(0, scheme) == "https") return true;
  if (url.substr(0, scheme) != "http") return false;
  for (const std::string_view local : {"localhost", "127.0.0.1", "[::1]"})
    if (host == local || (host.starts_with(local) && host[local.size()] == ':')) return true;
  return false;
}

}  // namespace fmd::http
