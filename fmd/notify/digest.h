// Digest: combines messages if many cases occur at once. Pure.
#pragma once
#include <cstdint>
#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "fmd/notify/outbox_message.h"

namespace fmd {

// fmd.toml [digest]
struct DigestLimits {
  std::set<std::string, std::less<>> channels;  // channels for people
  size_t after = 2;                             // cases reported individually ...
  size_t critical = 3;                          // ...and this many more that are Critical ...
  int64_t within_ns = 600LL * 1000000000;       // ...within this time; others are gathered ...
  int64_t quiet_ns = 15LL * 1000000000;         // ...until none has come for this time,
  int64_t gather_ns = 120LL * 1000000000;       // or for this time in total;
  int64_t every_ns = 900LL * 1000000000;        // minimum interval between digests
};

struct DigestItem {  // one of its messages; all texts are ready for display
  // event: that of the message, or "merged": the case is now part of another.
  std::string uuid, event, severity, code, title;
  std::string part;           // "the disk in bay 4 (serial S)"
  std::string chassis, pool;  // "": unknown or several
  int64_t time_ns = 0;        // wall
  std::string do_now = {};    // a sentence; "": nothing to do, or not a case
};
// Critical and not over: it waits for no digest, as long as there are few of them.
bool is_urgent(const DigestItem& item);
void append_json(const DigestItem& item, std::string& out);
DigestItem digest_item_from_json(const nlohmann::json& doc);

struct MessageNow {
  std::string event;
  OutboxMessage message;
  bool nothing = false;  // what it was to report is no longer so: it is not sent
};

// A digest collects messages for some time (DigestLimits). These give the state when it is closed. Each may be empty.
struct DigestNow {
  // The item with the case's current state; nothing: not a case, or forgotten.
  std::function<std::optional<DigestItem>(const DigestItem& then)> item = {};
  // Sentences about these cases: which of several disks to pull first.
  std::function<std::vector<std::string>(const std::vector<DigestItem>& open)> pull_orders = {};
  // The message about an item that stayed alone; nothing: as it was composed.
  std::function<std::optional<MessageNow>(const DigestItem& then,
                                          const std::vector<std::string>& whats_new)>
      message = {};
  std::string explain_url = {};  // Preferences::explain_url
};

struct DigestText {
  std::string subject, body, severity;  // severity: the highest
  std::string sections;                 // body.h
};
DigestText compose_digest(const std::vector<DigestItem>& items, const std::string& host,
                          const DigestNow& as_now = {});

}  // namespace fmd
