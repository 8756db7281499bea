#include "plugins/mail/dialogue.h"

#include <algorithm>

#include "fmd/base/text.h"

namespace fmd::mail {
namespace {

constexpr std::string_view kRecipient = "RCPT TO:<";
constexpr size_t kMostRefusals = 1000, kMostAccepted = 10'000;

std::string_view without_end(std::string_view line) {
  while (line.ends_with('\n') || line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

// The line's code if it is the last line of a reply, else 0.
int final_code(std::string_view line) {
  if (line.size() < 3 || (line.size() > 3 && line[3] != ' ')) return 0;
  int code = 0;
  for (const char c : line.substr(0, 3)) {
    if (c < '0' || c > '9') return 0;
    code = code * 10 + (c - '0');
  }
  return code;
}

}  // namespace

void Dialogue::sent(std::string_view line) {
  asked_.clear();
  if (!line.starts_with(kRecipient)) return;
  line.remove_prefix(kRecipient.size());
  asked_ = line.substr(0, line.find('>'));
}

void Dialogue::received(std::string_view line) {
  line = without_end(line);
  const int code = final_code(line);
  if (code >= 400 && refusals_.size() < kMostRefusals) {
    refusals_.push_back({asked_, display(line), code < 500});
  } else if (code >= 200 && code < 300 && !asked_.empty() && accepted_.size() < kMostAccepted) {
    accepted_.push_back(asked_);
  }
}

Outcome Dialogue::outcome(bool good, std::string_view error) const {
  Outcome outcome;
  outcome.taken = good;
  if (good) outcome.accepted = accepted_;
  for (const Refusal& refusal : refusals_) {
    // If the mail was accepted, earlier refusals (an AUTH mechanism, STARTTLS) do not matter.
    if (good && refusal.to.empty()) continue;
    if (!outcome.reason.empty()) outcome.reason += "; ";
    outcome.reason += refusal.to.empty() ? refusal.words : refusal.to + ": " + refusal.words;
    if (!refusal.to.empty()) outcome.try_again |= refusal.for_now;
  }
  if (!good && outcome.reason.empty()) outcome.reason = display(error);
  return outcome;
}

}  // namespace fmd::mail
