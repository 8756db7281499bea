// Rule text: a fault's action text, split into sentences by use: the first one (what to do), the
// steps (how to do it), and how to disagree with the diagnosis. Pure.
#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace fmd {

struct RuleText {
  std::string do_now;              // an imperative sentence; "" the text has none
  std::vector<std::string> steps;  // in the text's order
  std::vector<std::string> disagree;
};

RuleText read_rule_text(std::string_view action);
// At a full stop that ends a sentence, not one within a name or a command.
std::vector<std::string> sentences_of(std::string_view text);

// "A fan has failed" as it goes on after a colon: "a fan has failed"; "ZFS pool is suspended" stays so.
std::string as_clause(std::string title);

}  // namespace fmd
