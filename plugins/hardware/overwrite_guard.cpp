#include "plugins/hardware/overwrite_guard.h"

#include <fmt/format.h>

#include <utility>

#include "fmd/base/text.h"
#include "plugins/hardware/disk_identity.h"

namespace fmd::hardware {
namespace {

constexpr std::string_view kDev = "/dev/";

// insisted: accepts any content, but not a disk that this host uses.
std::string content_refusal(const Content& content, bool insisted) {
  if (content.kind == Content::Kind::blank || (insisted && !content.in_use)) return {};
  if (content.in_use)
    return "the disk is in use on this host, by a pool, an array, a mapping or a mounted file "
           "system: end that first ('lsblk' shows it)";
  return fmt::format("{}: {}; 'fmadm replace --force' uses it anyway",
                     content.kind == Content::Kind::used
                         ? "the disk is not blank"
                         : "it is not known whether the disk is blank",
                     display(content.reason));
}

}  // namespace

OverwriteGuard::OverwriteGuard(sdk::Host& host, std::chrono::milliseconds deadline,
                               ContentProbe::Read read)
    : host_(host), probe_(host, deadline, read) {}

void OverwriteGuard::check(const Overwrite& wish, Done done) {
  if (std::string why = identity_refusal(wish); !why.empty()) return done(why);
  probe_.ask(wish.disk, wish.path.substr(kDev.size()),
             [this, wish, done = std::move(done)](const Content& content) {
               const std::string moved = identity_refusal(wish);
               done(moved.empty() ? content_refusal(content, wish.insisted) : moved);
             });
}

std::string OverwriteGuard::identity_refusal(const Overwrite& wish) const {
  if (!wish.path.starts_with(kDev)) return fmt::format("{} is no device", display(wish.path));
  const auto real = host_.resolve(wish.path);
  const auto found = identify_disk(host_, real ? *real : wish.path);
  if (found && !found->fmri.empty() && found->fmri == wish.disk) return {};
  return fmt::format("{} is not the disk {} any more", display(wish.path), display(wish.disk));
}

}  // namespace fmd::hardware
