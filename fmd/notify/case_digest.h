// Case digest: a digest's item about a case, as of its message or of the digest's end. Pure.
#pragma once
#include "fmd/diagnosis/engine.h"
#include "fmd/notify/digest.h"
#include "fmd/notify/message.h"

namespace fmd {

DigestItem digest_item(const Case& c, const CaseNews& news, const MessageContext& context);
// Sentences for MessageContext::pull_orders, about all open cases with one of these FRUs.
std::vector<std::string> pull_orders_about(const Engine& engine, const std::set<std::string>& frus,
                                           const MessageContext& context);
// engine and context must outlive the result.
DigestNow digest_now(const Engine& engine, const MessageContext& context);

}  // namespace fmd
