// The text of a happening: one line for lists and the log, and the message. Text from devices or
// people passes through display(). Pure.
#pragma once
#include <string>
#include <utility>
#include <vector>

#include "fmd/notify/happening.h"
#include "fmd/notify/outbox.h"

namespace fmd {

// "disk inserted in bay SLOT 04, serial S", "resilver of tank has ended, ONLINE".
std::string headline_of(const Happening& happening);
OutboxMessage compose_happening(const Happening& happening, const std::string& host,
                                const Inventory& inventory);
DigestItem digest_item(const Happening& happening, const Inventory& inventory);
// Its journal fields besides the line.
std::vector<std::pair<std::string, std::string>> journal_fields(const Happening& happening);

}  // namespace fmd
