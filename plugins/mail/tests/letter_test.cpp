#include "plugins/mail/letter.h"

#include <gtest/gtest.h>

namespace fmd::mail {
namespace {

bool is_header_safe(const std::string& value) {
  for (size_t i = 0; i < value.size(); ++i) {
    const auto c = static_cast<unsigned char>(value[i]);
    // A line may only break where it goes on with a blank.
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
  // 45 bytes are 15 of these characters, and base64 of them needs no padding: every line is whole.
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

}  // namespace
}  // namespace fmd::mail
