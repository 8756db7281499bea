// StormTest: an outbox that gathers mails into digests, and a clock.
#pragma once
#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "fmd/base/duration.h"
#include "fmd/base/json.h"
#include "fmd/notify/digest.h"
#include "fmd/notify/outbox.h"

namespace fmd {

inline DigestLimits limits() {
  DigestLimits out;
  out.channels = {"mail"};
  return out;
}

class StormTest : public ::testing::Test {
 protected:
  void SetUp() override { outbox.set_digest(limits()); }
  std::vector<std::string> add(const std::string& uuid, const std::string& event = "diagnosed",
                               const std::vector<std::string>& whats_new = {},
                               const std::string& severity = "Major") {
    return outbox.add(
        {{event, uuid, now}, whats_new, {}}, targets,
        {[&] {
           ++composed;
           return OutboxMessage{"alone " + uuid, "body", "host1", "{}"};
         },
         [&] {
           return DigestItem{
               uuid,      event, severity, "X-1", "Disk is broken", "the disk " + uuid,
               "Shelf A", pool,  now};
         }},
        now);
  }
  // The mails sent until then, each answered at once.
  std::vector<nlohmann::json> mails_until(int64_t steady_ns) {
    std::vector<nlohmann::json> out;
    for (;;) {
      outbox.close_digests(now, as_now);
      for (const Delivery& delivery :
           outbox.due(now, [](std::string_view name) { return name == "mail"; })) {
        out.push_back(nlohmann::json::parse(delivery.args));
        members.push_back(delivery.members.size());
        outbox.answered(delivery, "done", "", now);
      }
      const auto next = outbox.next_digest_ns();
      if (!next || *next > steady_ns) break;
      now = std::max(now, *next);
    }
    now = std::max(now, steady_ns);
    return out;
  }
  void restart() {
    Outbox after;
    ASSERT_TRUE(after.restore(outbox.all_rows()));
    outbox = std::move(after);
    outbox.set_digest(limits());
  }
  Outbox outbox;
  std::vector<Target> targets = {{"mail", {"default"}, ""}, {"snmp", {"default"}, ""}};
  size_t composed = 0;
  std::vector<size_t> members;
  std::string pool = "tank";
  DigestNow as_now;
  int64_t now = 1000 * kSecondNs;
};

}  // namespace fmd
