// One text in two forms: plain, and as sections for richer formats.
#include "fmd/notify/body.h"

#include <gtest/gtest.h>

#include "fmd/base/json.h"
#include "fmd/notify/message.h"

namespace fmd {
namespace {

using nlohmann::json;

TEST(Body, SectionsSayWhatThePlainTextSays) {
  Body body;
  body.lead("Replace it.\nNow.");
  body.line("It is broken.");
  body.section("Empty", "");
  body.section("Description", "It broke.");
  body.field("Bay", "4");
  body.field("Serial", "");
  body.field("Model", "X\x1b[2J");
  body.heading("Nothing in it");
  body.heading("More:");
  body.items({"a", "b"});
  body.command("fmadm faulty");
  const BodyText text = body.take();
  EXPECT_TRUE(text.plain.starts_with("Replace it. Now.\n\nIt is broken.\n\nDescription\n"))
      << text.plain;
  EXPECT_EQ(json::parse(text.sections),
            json::parse(R"([{"title":"","parts":[{"lead":["Replace it. Now."]}]},
                            {"title":"","parts":[{"text":["It is broken."]}]},
                            {"title":"Description","parts":[{"text":["It broke."]},
                              {"fields":[["Bay","4"],["Model","X\\x1b[2J"]]}]},
                            {"title":"More:","parts":[{"items":["a","b"]},{"commands":["fmadm faulty"]}]}])"))
      << text.sections;
}

TEST(Body, AMessageTellsWhatToDoThenWhatHappenedImpactWhatWasDoneEvidenceCommands) {
  Case c;
  c.uuid = "u1";
  c.severity = "Major";
  c.title = "Disk is broken";
  c.action = "Replace it.";
  c.description = "It broke.";
  c.impact = "Less redundancy.";
  c.response = "Taken out.";
  c.timeline = {{1, "retire", "took it out"}};
  c.observations = {{1, 1, "rule", "", "smart.pending", "20", "18", "10"}};
  c.suspects.emplace_back().serial = "S1";
  const Inventory inventory;
  const OutboxMessage message =
      compose_message(c, {{"diagnosed", "u1", 1}, {}, {}}, {"h", inventory});
  std::string titles;
  for (const json& section : json::parse(message.sections))
    titles += "/" + section["title"].get<std::string>();
  EXPECT_EQ(titles, "///Description/Impact//Timeline/Affected part/Observations/More:");
}

}  // namespace
}  // namespace fmd
