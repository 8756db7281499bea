// Case digest: what a digest says of a case, when its message came and when the digest is closed. Pure.
#pragma once
#include "fmd/diagnosis/engine.h"
#include "fmd/notify/digest.h"
#include "fmd/notify/message.h"

namespace fmd {

DigestItem digest_item(const Case& c, const CaseNews& news, const MessageContext& context);
// For MessageContext::pull_orders: of all open cases. Both outlive it.
std::vector<std::string> pull_orders_about(const Engine& engine, const std::set<std::string>& frus,
                                           const MessageContext& context);
// Both outlive it.
DigestNow digest_now(const Engine& engine, const MessageContext& context);

}  // namespace fmd
