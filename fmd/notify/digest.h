// Digest: combines messages if many cases come at once. Pure.
#pragma once
#include <cstdint>
#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace fmd {

// fmd.toml [digest]
struct DigestLimits {
  std::set<std::string, std::less<>> channels;  // those that people read
  size_t after = 2;                             // so many cases are told one by one...
  size_t critical = 3;                          // ...and so many more that are Critical...
  int64_t within_ns = 600LL * 1000000000;       // ...in this time; what comes then is gathered...
  int64_t quiet_ns = 15LL * 1000000000;         // ...until nothing has come for so long,
  int64_t gather_ns = 120LL * 1000000000;       // or for so long;
  int64_t every_ns = 900LL * 1000000000;        // such a one goes out at most so often
};

struct DigestItem {  // one message of it; all texts are made for display
  // event: as of the message, or "merged": the case goes on as another one.
  std::string uuid, event, severity, code, title;
  std::string part;           // "the disk in bay 4 (serial S)"
  std::string chassis, pool;  // "" unknown, or of several
  int64_t time_ns = 0;        // wall
  std::string do_now = {};    // a sentence; "" nothing is to be done, or it is no case
};
// Critical and not over: it waits for no digest, as long as there are few of them.
bool is_urgent(const DigestItem& item);
void append_json(const DigestItem& item, std::string& out);
DigestItem digest_item_from_json(const nlohmann::json& doc);

// A digest collects messages for some time (DigestLimits). These give the state when it is closed. Each may be empty.
struct DigestNow {
  // An item's case as it is now; nothing: it is no case, or was forgotten.
  std::function<std::optional<DigestItem>(const DigestItem& then)> item = {};
  // Sentences about these cases: which of several disks to pull first.
  std::function<std::vector<std::string>(const std::vector<DigestItem>& open)> pull_orders = {};
};

struct DigestText {
  std::string subject, body, severity;  // of the gravest
  std::string sections;                 // body.h
};
DigestText compose_digest(const std::vector<DigestItem>& items, const std::string& host,
                          const DigestNow& as_now = {});

}  // namespace fmd
