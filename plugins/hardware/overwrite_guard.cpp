#include "plugins/hardware/overwrite_guard.h"

#include <fmt/format.h>

#include <utility>

#include "fmd/base/lower_case.h"
#include "fmd/base/text.h"
#include "plugins/hardware/disk_identity.h"
#include "plugins/hardware/zfs_label.h"

namespace fmd::hardware {
namespace {

constexpr std::string_view kDev = "/dev/";

// blkid writes an md UUID with dashes, mdadm with colons. "" fits any.
bool same_uuid(const std::string& a, const std::string& b) {
  const auto plain = [](const std::string& text) {
    std::string out;
    for (const char c : text)
      if (c != '-' && c != ':') out += lower_case(c);
    return out;
  };
  return a.empty() || b.empty() || plain(a) == plain(b);
}

bool bears(const Content& content, const OwnLabel& own) {
  return content.type == own.type && same_uuid(content.uuid, own.uuid) &&
         same_uuid(content.member, own.member);
}

std::string in_use() {
  return "the disk is in use on this host, by a pool, an array, a mapping or a mounted file "
         "system: end that first ('lsblk' shows it)";
}

std::string own_refusal(const Content& content, const OwnLabel& own) {
  if (content.kind == Content::Kind::unknown)
    return "it is not known what is on the disk: " + display(content.reason);
  if (bears(content, own)) return {};
  return "the disk has been used for something else: " + display(content.reason);
}

std::string content_refusal(const Content& content, const Overwrite& wish) {
  if (content.in_use) return in_use();
  if (content.kind == Content::Kind::blank || wish.insisted) return {};
  if (wish.own) return own_refusal(content, *wish.own);
  return fmt::format("{}: {}; 'fmadm replace --force' uses it anyway",
                     content.kind == Content::Kind::used
                         ? "the disk is not blank"
                         : "it is not known whether the disk is blank",
                     display(content.reason));
}

}  // namespace

OverwriteGuard::OverwriteGuard(sdk::Host& host, std::chrono::milliseconds deadline,
                               ContentProbe::Read read)
    : host_(host),
      deadline_(deadline),
      probe_(host, deadline, read),
      held_probe_(host, deadline, sample_disk) {}

void OverwriteGuard::check(const Overwrite& wish, Done done) {
  if (std::string why = identity_refusal(wish); !why.empty()) return done(why);
  ContentProbe& probe = wish.own && wish.own->held ? held_probe_ : probe_;
  const std::string key = wish.disk.empty() ? wish.path : wish.disk;
  probe.ask(key, wish.path.substr(kDev.size()),
            [this, wish, done = std::move(done)](const Content& content) {
              if (wish.own && wish.own->type == "zfs_member" && content.unnamed)
                return judge_label(wish, content, done);
              judge(wish, content, done);
            });
}

void OverwriteGuard::judge(const Overwrite& wish, const Content& content, const Done& done) {
  const std::string moved = identity_refusal(wish);
  done(moved.empty() ? content_refusal(content, wish) : moved);
}

// blkid has found nothing that it can name.
void OverwriteGuard::judge_label(const Overwrite& wish, const Content& content, const Done& done) {
  host_.run_apart(
      [path = host_.path(wish.path)] {
        const auto guid = zfs_label_guid(path);
        return guid ? std::to_string(*guid) : std::string();
      },
      deadline_,
      [this, wish, content, done](const sdk::CommandOutput& output) {
        Content found = content;
        if (output.ok() && !output.out.empty() && output.out == wish.own->member)
          found.type = wish.own->type;
        judge(wish, found, done);
      });
}

std::string OverwriteGuard::identity_refusal(const Overwrite& wish) const {
  if (!wish.path.starts_with(kDev)) return fmt::format("{} is no device", display(wish.path));
  if (wish.disk.empty() && wish.own) return {};  // its label tells which one it is
  const auto real = host_.resolve(wish.path);
  const auto found = identify_disk(host_, real ? *real : wish.path);
  if (found && !found->fmri.empty() && found->fmri == wish.disk) return {};
  return fmt::format("{} is not the disk {} any more", display(wish.path), display(wish.disk));
}

}  // namespace fmd::hardware
