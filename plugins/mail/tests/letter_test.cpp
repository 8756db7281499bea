#include "plugins/mail/letter.h"

#include <gtest/gtest.h>

#include "fmd/base/json.h"
#include "plugins/mail/mime.h"
#include "plugins/sdk/notice.h"

namespace fmd::mail {
namespace {

bool is_header_safe(const std::string& value) {
  for (size_t i = 0; i < value.size(); ++i) {
    const auto c = static_cast<unsigned char>(value[i]);
    // A line may be folded only before a blank.
    if (c == '\r' && value.substr(i, 3) == "\r\n ") {
      i += 2;
      continue;
    }
    if (c < 0x20 || c > 0x7e) return false;
  }
  return true;
}

size_t longest_line(const std::string& text) {
  size_t longest = 0;
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find("\r\n", at), text.size());
    longest = std::max(longest, end - at);
    at = end + 2;
  }
  return longest;
}

TEST(HeaderValue, PlainTextStaysAsItIs) {
  EXPECT_EQ(header_value("[fmd] storage1: Major ZFS-8000-GH", 9),
            "[fmd] storage1: Major ZFS-8000-GH");
  EXPECT_EQ(header_value("", 9), "");
}

TEST(HeaderValue, LongPlainTextIsFoldedAtBlanks) {
  const std::string folded =
      header_value(std::string(60, 'a') + " " + std::string(30, 'b') + " c", 9);
  EXPECT_EQ(folded, std::string(60, 'a') + "\r\n " + std::string(30, 'b') + " c");
}

TEST(HeaderValue, OtherLettersBecomeEncodedWords) {
  EXPECT_EQ(header_value("süd", 9), "=?utf-8?B?c8O8ZA==?=");
}

TEST(HeaderValue, LongOtherTextIsCutBetweenCharacters) {
  std::string text;
  for (int i = 0; i < 100; ++i) text += "€";
  const std::string value = header_value(text, 9);
  EXPECT_TRUE(is_header_safe(value));
  EXPECT_LE(longest_line(std::string(9, 'x') + value), 76u);
  // 45 bytes are 15 of these characters, and their base64 needs no padding: every line is full.
  EXPECT_EQ(value.find('='), value.find("=?"));
}

TEST(HeaderValue, NothingHostileGetsThrough) {
  const std::string hostile[] = {
      "a\r\nBcc: x@example.org",
      "a\nb",
      "a\rb",
      std::string("nul\0byte", 8),
      "\x1b[31mred",
      "\xff\xfe broken",
      "\xc3",
      "=?utf-8?q?spoofed?=",
      " leading",
      "trailing ",
      "two  blanks",
      std::string(100000, 'x'),
      std::string(100000, ' '),
      "\u202eright to left",
      "tab\there",
  };
  for (const std::string& text : hostile) {
    const std::string value = header_value(text, 9);
    EXPECT_TRUE(is_header_safe(value)) << text.substr(0, 40);
    EXPECT_LE(longest_line(value), 998u);
    EXPECT_EQ(value.find("=?utf-8?q?"), std::string::npos);
  }
}

TEST(QuotedPrintable, KeepsWhatIsPlain) {
  EXPECT_EQ(quoted_printable("a b\nc\n"), "a b\r\nc\r\n");
}

TEST(QuotedPrintable, EncodesTheRest) {
  EXPECT_EQ(quoted_printable("a=b\n"), "a=3Db\r\n");
  EXPECT_EQ(quoted_printable("ä\n"), "=C3=A4\r\n");
  EXPECT_EQ(quoted_printable("end \n"), "end=20\r\n");
  EXPECT_EQ(quoted_printable(".\n"), "=2E\r\n");
  EXPECT_EQ(quoted_printable("From x\n"), "=46rom x\r\n");
  EXPECT_EQ(quoted_printable("a\r\nb\n"), "a\r\nb\r\n");
}

TEST(QuotedPrintable, LinesAreAtMost76Long) {
  for (size_t length = 70; length < 240; ++length) {
    const std::string text =
        quoted_printable(std::string(length, 'x') + "\n" + std::string(length, '=') + "\n");
    EXPECT_LE(longest_line(text), 76u) << length;
    size_t letters = 0;
    for (const char c : text) letters += c == 'x' ? 1 : 0;
    EXPECT_EQ(letters, length);
  }
  EXPECT_EQ(quoted_printable(std::string(76, 'x') + "\n"), std::string(76, 'x') + "\r\n");
  EXPECT_EQ(quoted_printable(std::string(77, 'x') + "\n"), std::string(75, 'x') + "=\r\nxx\r\n");
}

TEST(MessageId, IsTheKeysOwn) {
  EXPECT_EQ(message_id("6f3c-13ea:diagnosed:1", "storage1"), "<6f3c-13ea/diagnosed/1@storage1>");
  EXPECT_EQ(message_id("a>b c\r\n", "h"), "<a=3Eb=20c=0D=0A@h>");
  EXPECT_NE(message_id("a:b", "h"), message_id("a/b", "h"));
}

TEST(Date, IsRfc5322) {
  EXPECT_EQ(date(1795229321000000000), "Sat, 21 Nov 2026 02:48:41 +0000");
  EXPECT_EQ(date(0), "Thu, 01 Jan 1970 00:00:00 +0000");
}

TEST(Compose, TheSameNoticeGivesTheSameLetter) {
  const auto notice =
      sdk::Notice::from_args({{"key", "k"}, {"subject", "s"}, {"body", "b"}, {"time", 5}});
  Options options;
  options.from.mailbox = "fmd@example.org";
  options.to.push_back({"", "a@example.org"});
  EXPECT_EQ(compose(*notice, options), compose(*notice, options));
}

TEST(Compose, AnEmptyNoticeIsStillAMail) {
  const auto notice = sdk::Notice::from_args({{"key", "k"}});
  Options options;
  options.host = "storage1";
  options.from.mailbox = "fmd@example.org";
  options.to.push_back({"", "a@example.org"});
  const std::string letter = compose(*notice, options);
  EXPECT_NE(letter.find("\r\n\r\n"), std::string::npos);
  EXPECT_NE(letter.find("Message-ID: <k@storage1>\r\n"), std::string::npos);
}

sdk::Notice with_sections() {
  return *sdk::Notice::from_args(
      {{"key", "u1:diagnosed:1"},
       {"event", "diagnosed"},
       {"subject", "replace it"},
       {"body", "Replace it.\n--=_fmd_alternative\n"},
       {"case", {{"severity", "Major"}, {"uuid", "u1"}}},
       {"sections", nlohmann::json::parse(
                        R"([{"title":"","parts":[{"lead":["Replace it."]}]},
                {"title":"","parts":[{"text":["It broke."]},{"fields":[["Serial","<b>S&1</b>"]]}]}])")}});
}

Options plain_options() {
  Options options;
  options.host = "storage1";
  options.from.mailbox = "fmd@example.org";
  options.to.push_back({"", "a@example.org"});
  return options;
}

size_t count(const std::string& text, const std::string& what) {
  size_t found = 0;
  for (size_t at = text.find(what); at != text.npos; at = text.find(what, at + 1)) ++found;
  return found;
}

TEST(Compose, TextAndHtmlAreAlternativesAndThePictureBelongsToTheHtml) {
  const Picture picture{std::string("\x89PNG") + std::string(5000, '\0'), "bay \"4\"\r\nX: y", 608};
  const std::string letter = compose(with_sections(), plain_options(), &picture);
  EXPECT_EQ(count(letter, "\r\n--=_fmd_alternative\r\n"), 2u) << "the body cannot forge a border";
  EXPECT_EQ(count(letter, "\r\n--=_fmd_alternative--\r\n"), 1u);
  EXPECT_EQ(count(letter, "\r\n--=_fmd_related\r\n"), 2u);
  EXPECT_LT(letter.find("text/plain"), letter.find("text/html")) << "the last is the best";
  EXPECT_NE(letter.find("Content-ID: <chassis/u1/diagnosed/1@storage1>\r\n"), std::string::npos);
  EXPECT_LE(longest_line(letter), 998u);
  EXPECT_EQ(letter.find("\nX: y"), std::string::npos);
  const std::string without = compose(with_sections(), plain_options());
  EXPECT_EQ(without.find("multipart/related"), std::string::npos);
  EXPECT_EQ(without.find("cid:"), std::string::npos);
}

TEST(Compose, ATemplateSaysItOtherwise) {
  Options options = plain_options();
  options.templates.subject = "${host}/${severity}";
  options.templates.body = "$$ ${uuid} ${event}\n";
  options.templates.html = "<p>${picture}</p>${content}";
  sdk::Notice notice = with_sections();
  notice.host = "evil\r\nBcc: x";
  const Picture picture{"\x89PNG", "alt", 608};
  const std::string letter = compose(notice, options, &picture);
  EXPECT_NE(letter.find("Subject: evil\\x0d\\x0aBcc: x/Major\r\n"), std::string::npos) << letter;
  EXPECT_NE(letter.find("$ u1 diagnosed"), std::string::npos);
  EXPECT_EQ(count(letter, "cid:"), 1u) << "where the template wants it, and nowhere else";
}

}  // namespace
}  // namespace fmd::mail
