#include "plugins/redfish/listener.h"

#include <fmt/format.h>

#include <syslog.h>

#include <algorithm>
#include <array>
#include <utility>

#include "fmd/base/text.h"
#include "plugins/redfish/event_stream.h"
#include "plugins/redfish/https.h"
#include "plugins/sdk/plugin.h"

namespace fmd::redfish {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

constexpr std::string_view kListening = "listening", kEvent = "event", kTrouble = "trouble ";
// A restarted service may have forgotten the connection, which no packet would reveal.
constexpr auto kQuietest = std::chrono::hours(1);
// Comments and metric reports do not count as events, so only this ends a flood of them.
constexpr size_t kMostPerMinute = 4 << 20;  // bytes

// State of one connection, in the child.
struct Ear {
  CURL* easy;
  const Options& options;
  const sdk::Host::Say& say;
  EventStream stream = {};
  steady_clock::time_point begun = steady_clock::now(), last = begun, minute = begun;
  size_t in_minute = 0;  // bytes received since then
  bool open = false;
  std::string trouble = {};
};

size_t end_with(Ear& ear, std::string why) {
  ear.trouble = std::move(why);
  return 0;
}

size_t on_header(char* bytes, size_t size, size_t count, void* self) {
  Ear& ear = *static_cast<Ear*>(self);
  const std::string_view line(bytes, size * count);
  if (line != "\r\n" && line != "\n") return line.size();
  long status = 0;
  const char* type = nullptr;
  curl_easy_getinfo(ear.easy, CURLINFO_RESPONSE_CODE, &status);
  curl_easy_getinfo(ear.easy, CURLINFO_CONTENT_TYPE, &type);
  if (status / 100 == 1) return line.size();
  if (status != 200) return end_with(ear, "status " + std::to_string(status));
  if (!type || !std::string_view(type).starts_with("text/event-stream"))
    return end_with(ear, "the answer is no stream of events");
  ear.open = ear.say(kListening);
  return ear.open ? line.size() : 0;
}

size_t on_body(char* bytes, size_t size, size_t count, void* self) {
  Ear& ear = *static_cast<Ear*>(self);
  ear.last = steady_clock::now();
  if (ear.last - ear.minute > std::chrono::minutes(1)) {
    ear.minute = ear.last;
    ear.in_minute = 0;
  }
  ear.in_minute += size * count;
  if (ear.in_minute > kMostPerMinute) return end_with(ear, "it sends more than 4 MiB a minute");
  const size_t events = ear.stream.take({bytes, size * count});
  if (!ear.stream.trouble().empty()) return end_with(ear, ear.stream.trouble());
  return events > 0 && !ear.say(kEvent) ? 0 : size * count;
}

// Called at least once a second.
int on_progress(void* self, curl_off_t, curl_off_t, curl_off_t, curl_off_t) {
  Ear& ear = *static_cast<Ear*>(self);
  const auto now = steady_clock::now();
  if (!ear.open && now - ear.begun > ear.options.request) {
    end_with(ear, "it did not answer in time");
    return 1;
  }
  if (ear.open && now - ear.last > kQuietest) {
    end_with(ear, "nothing came for an hour");
    return 1;
  }
  return 0;
}

}  // namespace

void listen(const Options& options, const std::string& session_file, const std::string& uri,
            const sdk::Host::Say& say) {
  const std::string token = read_session(session_file, options).first;
  const std::unique_ptr<CURL, EasyDeleter> easy(curl_easy_init());
  if (token.empty() || !easy) {
    say(fmt::format("{}there is no session", kTrouble));
    return;
  }
  Ear ear{easy.get(), options, say};
  std::unique_ptr<curl_slist, ListDeleter> list;
  for (const std::string& line : {std::string("Accept: text/event-stream"),
                                  std::string("OData-Version: 4.0"), "X-Auth-Token: " + token})
    list.reset(curl_slist_append(list.release(), line.c_str()));
  std::array<char, CURL_ERROR_SIZE> error{};
  const std::string url = options.service + uri;
  const auto set = [&](CURLoption option, auto value) {
    curl_easy_setopt(easy.get(), option, value);
  };
  set_trust(easy.get(), options);
  set(CURLOPT_URL, url.c_str());
  set(CURLOPT_HTTPHEADER, list.get());
  set(CURLOPT_ERRORBUFFER, error.data());
  set(CURLOPT_CONNECTTIMEOUT_MS, static_cast<long>(options.request.count()));
  set(CURLOPT_TCP_KEEPALIVE, 1L);
  set(CURLOPT_HEADERFUNCTION, on_header);
  set(CURLOPT_HEADERDATA, &ear);
  set(CURLOPT_WRITEFUNCTION, on_body);
  set(CURLOPT_WRITEDATA, &ear);
  set(CURLOPT_NOPROGRESS, 0L);
  set(CURLOPT_XFERINFOFUNCTION, on_progress);
  set(CURLOPT_XFERINFODATA, &ear);
  const CURLcode code = curl_easy_perform(easy.get());
  if (ear.trouble.empty())
    ear.trouble = code == CURLE_OK ? "the service has ended it"
                  : error[0]       ? error.data()
                                   : curl_easy_strerror(code);
  say(std::string(kTrouble) + display(ear.trouble));
}

Listener::Listener(sdk::Host& host, const Options& options, std::function<void()> heard)
    : host_(host), options_(options), heard_(std::move(heard)) {}

void Listener::offered(const std::string& uri, const std::string& session_file) {
  if (uri != uri_) {
    stop();
    uri_ = uri;
    next_ = Time();
    wait_ = milliseconds(0);
  }
  if (stream_ || uri_.empty() || !options_.listen || steady_clock::now() < next_) return;
  since_ = Time();
  trouble_.clear();
  stream_ = host_.stream_apart(
      [options = options_, session_file, uri](const sdk::Host::Say& say) {
        listen(options, session_file, uri, say);
      },
      [this](std::string_view line) { said(line); },
      [this](const sdk::CommandOutput&) { ended(); });
}

void Listener::said(std::string_view line) {
  if (line == kListening) {
    since_ = steady_clock::now();
    // A poll finds earlier changes.
    heard_();
  } else if (line == kEvent) {
    heard_();
  } else if (line.starts_with(kTrouble)) {
    trouble_ = line.substr(kTrouble.size());
  }
}

// After a stream that lasted long the delay is one interval; otherwise it grows.
void Listener::ended() {
  const auto now = steady_clock::now();
  const bool lasted = since_ != Time() && now - since_ > options_.at_most;
  if (wait_ == milliseconds(0))
    sdk::log(LOG_NOTICE, options_.service + " tells no events as they happen: " +
                             (trouble_.empty() ? "the listener has ended" : trouble_) +
                             "; it is looked at by the clock");
  wait_ = lasted ? options_.interval
                 : std::clamp(wait_ * 2, std::min(options_.interval, options_.at_most),
                              options_.at_most);
  next_ = now + wait_;
  stream_.reset();
}

}  // namespace fmd::redfish
