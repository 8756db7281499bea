// Case message: composes the message about one case, taking other cases into account. A message that
// has waited, or is tried again, is composed again when it is sent. Pure.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "fmd/advice/say.h"
#include "fmd/diagnosis/engine.h"
#include "fmd/notify/digest.h"
#include "fmd/notify/message.h"
#include "fmd/notify/telling.h"

namespace fmd {

// Whether the sentence "you can pull it now" is still true. unproven: fmd cannot see the pool.
enum class Relief { holds, unproven, over };
// Removes that sentence from whats_new unless it holds.
Relief check_relief(const Case& c, const SayWorld& world, std::vector<std::string>& whats_new);

// The message, including the order in which to pull several disks.
OutboxMessage message_of(const Engine& engine, const Case& c, const Tidings& tidings,
                         MessageContext context);

// The event that describes the case now, if the message was queued for `told`.
std::string event_now(const Case& c, const std::string& told);
// Whether the message queued for `told` has nothing to report now: it announced a change that is
// over, or reminded of a case that is acknowledged. `whats_new`: the changes that are still so.
bool reports_nothing(const std::string& told, const std::string& event,
                     const std::vector<std::string>& whats_new);
// The message queued as `then`, composed again; nothing if the case is unknown.
std::optional<MessageNow> message_now(const Engine& engine, const DigestItem& then,
                                      std::vector<std::string> whats_new,
                                      const MessageContext& context);

}  // namespace fmd
