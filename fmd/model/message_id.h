// The journal's MESSAGE_ID of fmd's entries about faults; the message catalog explains each
// (journalctl -x). Pure.
#pragma once
#include <string>
#include <string_view>

namespace fmd {

// For the verdict with that fault code ("ZFS-8000-GH"): the same on every machine, 32 hex digits.
std::string fault_message_id(std::string_view code);
// For further messages about a case: "updated", "repaired", "resolved".
std::string_view case_message_id(std::string_view event);
// For events that are no case: "disk-inserted".
std::string happening_message_id(std::string_view name);

}  // namespace fmd
