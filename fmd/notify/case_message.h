// Case message: a message about one case with what other cases add to it, when its news comes and
// again when it has waited for others and stayed alone. Pure.
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

// Whether the sentence that the part can be pulled is still true. unproven: fmd cannot see its pool now.
enum class Relief { holds, unproven, over };
// Removes that sentence from the tidings unless it holds.
Relief check_relief(const Case& c, const SayWorld& world, std::vector<std::string>& whats_new);

// With the order in which to pull several disks.
OutboxMessage message_of(const Engine& engine, const Case& c, const Tidings& tidings,
                         MessageContext context);

// The last message about a case was of this event; which event it is about now.
std::string event_now(const Case& c, const std::string& told);
// The message that was composed as `then`, as of now; nothing: it is about no case, or a forgotten one.
std::optional<MessageNow> message_now(const Engine& engine, const DigestItem& then,
                                      std::vector<std::string> whats_new,
                                      const MessageContext& context);

}  // namespace fmd
