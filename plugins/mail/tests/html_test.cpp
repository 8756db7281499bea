// HTML of a message: outside text never becomes markup; the picture follows the first sentences.
#include "plugins/mail/html.h"

#include <gtest/gtest.h>

#include "fmd/base/json.h"

namespace fmd::mail {
namespace {

using nlohmann::json;

TEST(Html, EscapesWhatComesFromElsewhere) {
  EXPECT_EQ(escaped_html("<a href=\"x\" onclick='y'>&"),
            "&lt;a href=&quot;x&quot; onclick=&#39;y&#39;&gt;&amp;");
  EXPECT_EQ(escaped_html("\x1b[2J\xff"), "\\x1b[2J\\xff");
  EXPECT_EQ(escaped_html("Größe"), "Größe");
  EXPECT_EQ(escaped_html_lines("a<\nb"), "a&lt;\nb\n");
}

TEST(Html, EveryKindOfPartIsShownAndEveryTextEscaped) {
  const std::string evil = "<script>x</script>";
  json sections = json::array();
  sections.push_back({{"title", evil},
                      {"parts",
                       {{{"lead", {evil}}},
                        {{"text", {evil}}},
                        {{"fields", json::array({json::array({evil, evil})})}},
                        {{"items", {evil}}},
                        {{"entries", json::array({json::array({evil, evil})})}},
                        {{"commands", {evil}}}}}});
  const std::string html = html_of(sections, "");
  EXPECT_EQ(html.find("<script"), std::string::npos) << html;
  size_t shown = 0;
  for (size_t at = html.find("&lt;script&gt;x&lt;/script&gt;"); at != html.npos;
       at = html.find("&lt;script&gt;x", at + 1))
    ++shown;
  EXPECT_EQ(shown, 9u) << html;
}

TEST(Html, ThePictureStandsBeforeTheTable) {
  const json sections = json::parse(
      R"([{"title":"","parts":[{"lead":["Do it."]}]},
          {"title":"","parts":[{"text":["It broke."]},{"fields":[["Host","h"]]}]},
          {"title":"Description","parts":[{"text":["x"]}]}])");
  const std::string html = html_of(sections, "<img>");
  EXPECT_LT(html.find("It broke."), html.find("<img>"));
  EXPECT_LT(html.find("<img>"), html.find("<table"));
  EXPECT_EQ(html.find("<img>"), html.rfind("<img>"));
  EXPECT_NE(html_of(json::array(), "<img>").find("<img>"), std::string::npos);
}

TEST(Html, WhatIsNoSectionIsPassedOver) {
  const json odd =
      json::parse(R"([1,"x",{},{"title":7,"parts":[5,{},{"lead":"x"},{"what":["y"]}]}])");
  EXPECT_EQ(html_of(odd, ""), "");
}

}  // namespace
}  // namespace fmd::mail
