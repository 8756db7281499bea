// What people read about a case: subject and body of a mail, or of whatever a notifier makes of
// them. Plain text, body lines of at most 78 columns, everything that a device or a person may have
// named passed through display(). Pure. Times are ns since the epoch, shown in local time.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>

#include "fmd/model/case.h"
#include "fmd/model/inventory.h"
#include "fmd/notify/outbox.h"

namespace fmd {

struct MessageContext {
  std::string host;
  const Inventory& inventory;
};

// event: "diagnosed", "updated", "repaired", "resolved".
OutboxMessage compose_message(const Case& c, std::string_view event, const MessageContext& context);

// Words are broken at blanks, overlong ones within; each line starts with indent blanks, the first
// with `first` instead (padded to indent).
std::string wrap(std::string_view text, size_t indent, std::string_view first = {},
                 size_t width = 78);

// "2 days 3 h", "2 h 14 min", "3 min 5 s", "12 s": two units, for reading.
std::string spoken_duration(int64_t ns);

}  // namespace fmd
