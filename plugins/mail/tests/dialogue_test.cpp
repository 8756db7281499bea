#include "plugins/mail/dialogue.h"

#include <gtest/gtest.h>

namespace fmd::mail {
namespace {

using Strings = std::vector<std::string>;

TEST(Dialogue, ARecipientIsAcceptedWithTheWholeMessageOnly) {
  Dialogue dialogue;
  dialogue.received("220 server ready\r\n");
  dialogue.sent("EHLO host\r\n");
  dialogue.received("250-server\r\n");
  dialogue.received("250 SIZE\r\n");
  dialogue.sent("MAIL FROM:<f@x>\r\n");
  dialogue.received("250 OK\r\n");
  dialogue.sent("RCPT TO:<a@x>\r\n");
  dialogue.received("250-first\r\n");
  dialogue.received("250 OK\r\n");
  dialogue.sent("RCPT TO:<b@x>\r\n");
  dialogue.received("550 no\r\n");
  dialogue.sent("RCPT TO:<c@x>\r\n");
  dialogue.received("450 later\r\n");
  dialogue.sent("DATA\r\n");
  dialogue.received("354 go\r\n");
  EXPECT_TRUE(dialogue.outcome(false, "cut off").accepted.empty());
  dialogue.received("250 taken\r\n");
  const Outcome outcome = dialogue.outcome(true, "");
  EXPECT_TRUE(outcome.taken);
  EXPECT_EQ(outcome.accepted, (Strings{"a@x"}));
  EXPECT_TRUE(outcome.try_again);
  EXPECT_EQ(outcome.reason, "b@x: 550 no; c@x: 450 later");
}

TEST(Dialogue, OnlyPermanentRefusalsAreNotTriedAgain) {
  Dialogue dialogue;
  dialogue.sent("RCPT TO:<a@x>\r\n");
  dialogue.received("250 OK\r\n");
  dialogue.sent("RCPT TO:<b@x>\r\n");
  dialogue.received("550 no\r\n");
  EXPECT_FALSE(dialogue.outcome(true, "").try_again);
}

TEST(Dialogue, WhatWasRefusedOnTheWayDoesNotMatterInTheEnd) {
  Dialogue dialogue;
  dialogue.sent("AUTH PLAIN\r\n");
  dialogue.received("504 no such mechanism\r\n");
  dialogue.sent("AUTH LOGIN\r\n");
  dialogue.received("235 welcome\r\n");
  EXPECT_EQ(dialogue.outcome(true, "").reason, "");
  EXPECT_EQ(dialogue.outcome(false, "x").reason, "504 no such mechanism");
}

TEST(Dialogue, WithoutTheServersWordsThoseOfTheLibrary) {
  EXPECT_EQ(Dialogue().outcome(false, "no answer\x1b").reason, "no answer\\x1b");
}

TEST(Dialogue, HostileAnswersAreShownEscaped) {
  Dialogue dialogue;
  dialogue.sent("MAIL FROM:<f@x>\r\n");
  dialogue.received("550 \x1b[31mred\xff\r\n");
  dialogue.received("5x0 what\r\n");
  dialogue.received("55\r\n");
  EXPECT_EQ(dialogue.outcome(false, "").reason, "550 \\x1b[31mred\\xff");
}

TEST(Dialogue, AnswersWithoutAnEndAreNotKept) {
  Dialogue dialogue;
  dialogue.sent("RCPT TO:<a@example.org>\r\n");
  for (int i = 0; i < 100'000; ++i) dialogue.received("450 not now\r\n");
  for (int i = 0; i < 100'000; ++i) dialogue.received("250 taken\r\n");
  EXPECT_LT(dialogue.outcome(false, "").reason.size(), 100'000U);
  EXPECT_LE(dialogue.outcome(true, "").accepted.size(), 10'000U);
}

}  // namespace
}  // namespace fmd::mail
