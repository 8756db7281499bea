// The journal's MESSAGE_ID of fmd's entries about faults; the message catalog explains each
// (journalctl -x). Pure.
#pragma once
#include <string>
#include <string_view>

namespace fmd {

// Of the verdict of that fault code ("ZFS-8000-GH"): the same on every machine, 32 hex digits.
std::string fault_message_id(std::string_view code);
// Of what else is said of a case: "updated", "repaired", "resolved".
std::string_view case_message_id(std::string_view event);
// Of what happens beside the cases: "disk-inserted".
std::string happening_message_id(std::string_view name);

}  // namespace fmd
