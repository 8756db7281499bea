// Phrases: sentences of messages about a case's parts and announced actions. Plain English; text
// from devices or people passes through display(). Pure.
#pragma once
#include <string>
#include <string_view>

#include "fmd/model/case.h"
#include "fmd/notify/promise.h"

namespace fmd {

// "the disk in bay 4 (serial S)", "the disk with serial S", "the vdev sdf of pool tank".
std::string part_name(const Suspect& suspect);
// "disk", "vdev", "part".
std::string_view part_noun(const Suspect& suspect);
// "bay SLOT 04" for "SLOT 04" and "4"; "Bay 4" unchanged.
std::string bay_in_words(std::string_view label);
// With a capital letter and a full stop.
std::string as_sentence(std::string text);

// The state of a promise as a sentence, or "" if it is as announced. Use one object for each list
// of sentences: the second one about the same part says "it".
class PromisePhrases {
 public:
  explicit PromisePhrases(const Case& c) : case_(c) {}
  std::string say(const Promise& promise);

 private:
  // The promise's part: in full, or "it" if the previous sentence was about it.
  std::string named(const Promise& promise);
  std::string retirement(const Promise& promise);
  std::string spare(const Promise& promise);
  std::string replacement(const Promise& promise);
  std::string led(const Promise& promise);
  static std::string rehearsal(const Promise& promise);

  const Case& case_;
  std::string last_part_;
};

}  // namespace fmd
