#include "plugins/redfish/client.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <thread>
#include <tuple>

#include "fmd/base/bounded_json.h"
#include "fmd/base/text.h"
#include "plugins/redfish/https.h"
#include "plugins/sdk/secret.h"
#include "plugins/sdk/whole_file.h"

namespace fmd::redfish {
namespace {

using nlohmann::json;

constexpr const char* kSessions = "/redfish/v1/SessionService/Sessions";

std::string lower(std::string_view text) {
  std::string out;
  for (const char c : text) out += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return out;
}

// "https://bmc/redfish/v1/…/4" → "/redfish/v1/…/4".
std::string path_of(const std::string& location) {
  const size_t at = location.find("/redfish/");
  return at == location.npos ? std::string() : location.substr(at);
}

}  // namespace

// Receives one answer from libcurl within the budget. A callback that returns less than it was
// given ends the transfer.
struct Client::Receiver {
  Answer& answer;
  Budget& budget;
  bool compressed = false;

  bool refuse(const std::string& why) {
    answer.limit = why;
    return false;
  }
  bool take_body(std::string_view bytes) {
    if (!budget.take(bytes.size(), 0)) return refuse(budget.complaint());
    if (compressed) return refuse("is compressed, which was not requested");
    if (answer.body.size() + bytes.size() > Budget::kDocumentBytes)
      return refuse("is larger than 8 MiB");
    answer.body.append(bytes);
    return true;
  }
  bool take_header(std::string_view line) {
    if (!budget.take(line.size(), 0)) return refuse(budget.complaint());
    const size_t colon = line.find(':');
    if (colon == line.npos) return true;
    const std::string name = lower(line.substr(0, colon));
    std::string value(line.substr(colon + 1));
    while (!value.empty() && static_cast<unsigned char>(value.back()) <= ' ') value.pop_back();
    while (!value.empty() && value.front() == ' ') value.erase(0, 1);
    if (name == "content-encoding") compressed = lower(value) != "identity";
    if (name == "etag") answer.etag = value;
    if (name == "x-auth-token") answer.token = value;
    if (name == "location") answer.location = value;
    return true;
  }
  static size_t on_body(char* bytes, size_t size, size_t count, void* self) {
    return static_cast<Receiver*>(self)->take_body({bytes, size * count}) ? size * count : 0;
  }
  static size_t on_header(char* bytes, size_t size, size_t count, void* self) {
    return static_cast<Receiver*>(self)->take_header({bytes, size * count}) ? size * count : 0;
  }
};

struct Client::Impl {
  std::unique_ptr<CURL, EasyDeleter> easy{curl_easy_init()};
  std::array<char, CURL_ERROR_SIZE> error{};
  template <class T>
  void set(CURLoption option, T value) {
    curl_easy_setopt(easy.get(), option, value);
  }
};

Client::Client(const Options& options, Documents known, std::string session_file)
    : impl_(std::make_unique<Impl>()),
      options_(options),
      known_(std::move(known)),
      file_(std::move(session_file)) {
  if (!file_.empty()) {
    lock_ = open((file_ + ".lock").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (lock_ >= 0) (void)flock(lock_, LOCK_EX | LOCK_NB);
  }
  std::tie(token_, session_) = read_session(file_, options_);
}

Client::~Client() {
  if (lock_ >= 0) close(lock_);
}

void Client::announce_end(const std::string& session_file, bool on) {
  if (session_file.empty()) return;
  const std::string mark = session_file + ".end";
  if (on)
    (void)sdk::write_whole(mark, "\n");
  else
    unlink(mark.c_str());
}

bool Client::end_announced(const std::string& session_file) {
  return !session_file.empty() && access((session_file + ".end").c_str(), F_OK) == 0;
}

void Client::wait_until_free(const std::string& session_file, std::chrono::milliseconds at_most) {
  if (session_file.empty()) return;
  constexpr std::chrono::milliseconds kStep{20};
  const int lock = open((session_file + ".lock").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (lock < 0) return;
  for (auto waited = kStep; flock(lock, LOCK_EX | LOCK_NB) != 0 && waited < at_most;
       waited += kStep)
    std::this_thread::sleep_for(kStep);
  close(lock);
}

Client::Answer Client::ask(const char* method, const std::string& uri, const std::string* body,
                           const std::string& etag) {
  Answer answer;
  if (!impl_->easy) return answer;
  ++requests_;
  curl_easy_reset(impl_->easy.get());  // keeps the connection
  Receiver receiver{answer, budget_, false};
  std::unique_ptr<curl_slist, ListDeleter> list;
  const auto header = [&](const std::string& line) {
    list.reset(curl_slist_append(list.release(), line.c_str()));
  };
  header("OData-Version: 4.0");
  header("Accept: application/json");
  header("Accept-Encoding: identity");
  header("Expect:");
  if (body) header("Content-Type: application/json");
  if (!token_.empty()) header("X-Auth-Token: " + token_);
  if (!etag.empty()) header("If-None-Match: " + etag);
  const std::string url = options_.service + uri;
  impl_->set(CURLOPT_URL, url.c_str());
  impl_->set(CURLOPT_CUSTOMREQUEST, method);
  if (body) impl_->set(CURLOPT_POSTFIELDS, body->c_str());
  impl_->set(CURLOPT_HTTPHEADER, list.get());
  impl_->set(CURLOPT_WRITEFUNCTION, Receiver::on_body);
  impl_->set(CURLOPT_WRITEDATA, &receiver);
  impl_->set(CURLOPT_HEADERFUNCTION, Receiver::on_header);
  impl_->set(CURLOPT_HEADERDATA, &receiver);
  impl_->set(CURLOPT_ERRORBUFFER, impl_->error.data());
  impl_->set(CURLOPT_TIMEOUT_MS, static_cast<long>(options_.request.count()));
  set_trust(impl_->easy.get(), options_);
  impl_->error[0] = 0;
  const CURLcode code = curl_easy_perform(impl_->easy.get());
  if (!answer.limit.empty()) {
    trouble_ = "the answer " + answer.limit;
    return answer;
  }
  if (code != CURLE_OK) {
    trouble_ = code == CURLE_OPERATION_TIMEDOUT
                   ? "it did not answer in time"
                   : display(impl_->error[0] ? impl_->error.data() : curl_easy_strerror(code));
    lost_ = true;
    return answer;
  }
  curl_easy_getinfo(impl_->easy.get(), CURLINFO_RESPONSE_CODE, &answer.status);
  return answer;
}

// DSP0266, "Redfish session login authentication".
bool Client::log_in() {
  token_.clear();
  if (end_announced(file_)) {
    lost_ = true;
    return false;
  }
  const auto password = sdk::read_secret(options_.password_file);
  if (!password) {
    trouble_ = password.error().text();
    lost_ = true;
    return false;
  }
  const std::string body = json{{"UserName", options_.user}, {"Password", *password}}.dump(
      -1, ' ', true, json::error_handler_t::replace);
  const Answer answer = ask("POST", kSessions, &body, "");
  if (!answer.limit.empty()) {
    trouble_ = "the answer to the login " + answer.limit;
    lost_ = true;
  }
  if (answer.status == 0) return false;
  refused_ = answer.status == 401 || answer.status == 403;
  if (answer.status / 100 != 2 || answer.token.empty()) {
    trouble_ = refused_ ? "it refuses the user's password"
                        : fmt::format("no session can be had (status {})", answer.status);
    lost_ = true;
    return false;
  }
  token_ = answer.token;
  session_ = path_of(answer.location);
  if (session_.empty())
    session_ = path_of(text(parse_bounded_json(answer.body).value_or(json()), "@odata.id"));
  logged_in_ = true;
  if (file_.empty()) return true;
  const mode_t before = umask(0077);
  (void)sdk::write_whole(file_, options_.service + "\n" + token_ + "\n" + session_ + "\n");
  umask(before);
  return true;
}

// Replaces a session that has ended, at most once per client.
Client::Answer Client::in_session(const char* method, const std::string& uri,
                                  const std::string* body, const std::string& etag) {
  if (token_.empty() && !log_in()) return {};
  Answer answer = ask(method, uri, body, etag);
  if (answer.status == 401 && !logged_in_ && log_in()) answer = ask(method, uri, body, etag);
  if (answer.status == 401 && logged_in_) {
    end_session();  // otherwise each poll would leave one
    trouble_ = "the user may not read it";
    refused_ = lost_ = true;
  }
  return answer;
}

// Notes a document that exceeds a limit; the poll continues while there is budget left.
const json* Client::beyond(const std::string& uri, const std::string& limit) {
  trouble_ = spent() ? limit : display(uri) + " " + limit;
  if (limit_.empty()) limit_ = trouble_;
  return nullptr;
}

const json* Client::keep(const std::string& uri, Document document) {
  return &(documents_[uri] = std::move(document)).body;
}

const json* Client::get(const std::string& uri) {
  if (lost_ || spent() || !is_uri(uri)) return nullptr;
  const auto before = known_.find(uri);
  const Answer answer =
      in_session("GET", uri, nullptr, before == known_.end() ? "" : before->second.etag);
  if (!answer.limit.empty()) return beyond(uri, answer.limit);
  if (answer.status == 304 && before != known_.end()) {
    if (!budget_.take(before->second.bytes, before->second.values))
      return beyond(uri, budget_.complaint());
    return keep(uri, before->second);
  }
  if (answer.status != 200) {
    if (answer.status != 0 && !lost_)
      trouble_ = fmt::format("{}: status {}", display(uri), answer.status);
    return nullptr;
  }
  const JsonSize size = measure_json(answer.body);
  if (size.nesting > Budget::kNesting)
    return beyond(uri, fmt::format("is nested more than {} levels deep", Budget::kNesting));
  if (!budget_.take(0, size.values)) return beyond(uri, budget_.complaint());
  json body = json::parse(answer.body, nullptr, false);
  if (!body.is_object()) {
    trouble_ = display(uri) + ": the answer is not JSON";
    return nullptr;
  }
  return keep(uri, {std::move(body), answer.etag, answer.body.size(), size.values});
}

Result<void> Client::patch(const std::string& uri, const json& change) {
  if (!is_uri(uri)) return fail("no such address");
  const std::string body = change.dump();
  const Answer answer = in_session("PATCH", uri, &body, "");
  if (answer.status / 100 == 2) return {};
  return fail(answer.status == 0 ? trouble_
                                 : fmt::format("it refuses it (status {})", answer.status));
}

void Client::end_session() {
  if (!token_.empty() && !session_.empty()) ask("DELETE", session_, nullptr, "");
  forget_session();
}

void Client::forget_session() {
  token_.clear();
  session_.clear();
  if (!file_.empty()) unlink(file_.c_str());
}

}  // namespace fmd::redfish
