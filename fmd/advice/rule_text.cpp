#include "fmd/advice/rule_text.h"

#include <algorithm>
#include <array>
#include <cctype>

#include "fmd/base/text.h"

namespace fmd {
namespace {

constexpr size_t kLongestSentence = 800;

bool begins_sentence(char c) {
  return std::isupper(static_cast<unsigned char>(c)) || c == '\'' || c == '"';
}

bool has(std::string_view text, std::string_view part) {
  return text.find(part) != text.npos;
}

// How to say that the diagnosis is wrong, or to end the case by hand.
bool disagrees(std::string_view sentence) {
  if (sentence.starts_with("Then ")) return false;
  if (has(sentence, "fmadm acquit") || has(sentence, "fmadm repaired")) return true;
  if (!has(sentence, "'zpool clear ")) return false;
  return has(sentence, "undoes") || has(sentence, "closes this case") ||
         has(sentence, "puts it back");
}

// A condition, or what a command shows, is a step and not what to do first.
bool is_imperative(std::string_view sentence) {
  if (sentence.empty() || !std::isupper(static_cast<unsigned char>(sentence.front()))) return false;
  static constexpr std::array<std::string_view, 14> kOthers{
      "If ",   "When ", "Where ", "The ",   "This ", "Else ",      "Most ",
      "Once ", "More ", "Link ",  "After ", "Then ", "Otherwise ", "On "};
  return std::none_of(kOthers.begin(), kOthers.end(),
                      [&](std::string_view start) { return sentence.starts_with(start); });
}

std::string capital(std::string text) {
  if (!text.empty()) text[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(text[0])));
  return text;
}

// "Replace the disk; 'fmadm locate on …' lights its LED." is two.
std::vector<std::string> parted(std::string sentence) {
  const size_t at = sentence.find("; ");
  if (at == sentence.npos || at > sentence.find('(') || !is_imperative(sentence))
    return {std::move(sentence)};
  return {sentence.substr(0, at) + ".", capital(sentence.substr(at + 2))};
}

}  // namespace

std::vector<std::string> sentences_of(std::string_view text) {
  std::string flowing(text);
  std::replace(flowing.begin(), flowing.end(), '\n', ' ');
  std::vector<std::string> out;
  size_t start = 0;
  for (size_t i = 0; i < flowing.size(); ++i) {
    const bool stop = flowing[i] == '.' || flowing[i] == '?' || flowing[i] == '!';
    const bool ends =
        stop && (i + 1 == flowing.size() || (i + 2 < flowing.size() && flowing[i + 1] == ' ' &&
                                             begins_sentence(flowing[i + 2])));
    if (!ends && i + 1 < flowing.size()) continue;
    std::string sentence = display(flowing.substr(start, i + 1 - start), kLongestSentence);
    while (!sentence.empty() && sentence.front() == ' ') sentence.erase(0, 1);
    if (!sentence.empty()) out.push_back(std::move(sentence));
    start = i + 1;
  }
  return out;
}

std::string as_clause(std::string title) {
  const bool one_capital = title.size() > 1 && std::isupper(static_cast<unsigned char>(title[0])) &&
                           !std::isupper(static_cast<unsigned char>(title[1]));
  if (one_capital) title[0] = static_cast<char>(std::tolower(static_cast<unsigned char>(title[0])));
  return title;
}

RuleText read_rule_text(std::string_view action) {
  RuleText out;
  for (std::string& sentence : sentences_of(action))
    for (std::string& part : parted(std::move(sentence)))
      if (out.do_now.empty() && is_imperative(part) && !disagrees(part))
        out.do_now = std::move(part);
      else
        (disagrees(part) ? out.disagree : out.steps).push_back(std::move(part));
  return out;
}

}  // namespace fmd
