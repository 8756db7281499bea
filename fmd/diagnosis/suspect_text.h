// The texts of a case and its suspects: names, and the fault classes' texts filled in. Text from
// outside is passed through display().
#pragma once
#include <map>
#include <string>
#include <string_view>

#include "fmd/diagnosis/context.h"
#include "fmd/model/case.h"
#include "fmd/model/event.h"

namespace fmd {

using Facts = std::map<std::string, std::string, std::less<>>;  // Suspect::facts

// A fact of a suspect that came by what people were asked to do (while_pulled): no news for them.
inline constexpr const char* kAsAsked = "as_asked";

// A fact of a state that fmd found when it first saw the resource: its begin is unknown, so it is simultaneous with nothing.
inline constexpr const char* kFoundSo = "found_so";

// A fact of a shared part that is accused: how many parts with findings (Verdicts::counts) keep it
// accused.
inline constexpr const char* kLeast = "least";

std::string in_words(const std::string& location);  // "SLOT 04" → "bay SLOT 04"
std::string serial_in_words(const Suspect& suspect);
// "3 of 8 disks behind HBA 1 failed within 20s of each other, so it may be a cable and not the disk".
std::string doubt_words(std::string_view failed, std::string_view span, std::string_view instead,
                        std::string_view part);
std::string span_words(int64_t ns);  // whole seconds: "1min30s", "a second"

// Values for texts that only the resource, the rule or the event has. event: may be nullptr.
void learn_names(Facts& facts, const Inventory& inventory, const std::string& resource);
void learn_facts(Facts& facts, const Context& context, const Rule& rule,
                 const std::string& resource, const Event* event);

std::string fill_text(const Inventory& inventory, const Suspect& suspect, std::string_view text);
// The same for an action, which is later split into steps: no value may begin a step of its own.
std::string fill_action(const Inventory& inventory, const Suspect& suspect, std::string_view text);
// Copies into the case whether its disk is to be replaced, and how soon.
void take_order(const FaultClass& fault, Case& c);
// The case's texts again, from its fault class.
void render(const Context& context, Case& c);
// The same once a suspect has come or gone: the texts are those of the class that stands for the
// case while a suspect of it is faulty, else of the gravest of those that are.
void choose_texts(const Context& context, Case& c);

}  // namespace fmd
