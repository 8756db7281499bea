#include "plugins/hardware/overwrite_guard.h"

#include <fmt/format.h>

#include <utility>

#include "fmd/base/json.h"
#include "fmd/base/json_value.h"
#include "fmd/base/lower_case.h"
#include "fmd/base/text.h"
#include "plugins/hardware/disk_identity.h"
#include "plugins/hardware/kernel_number.h"
#include "plugins/hardware/zfs_label.h"

namespace fmd::hardware {
namespace {

constexpr std::string_view kDev = "/dev/", kZfs = "zfs_member";

// blkid prints md UUIDs with dashes, mdadm with colons. "" matches any.
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
  return fmt::format("the disk has been used for something else: {}{}{}", display(content.reason),
                     own.help.empty() ? "" : "; ", own.help);
}

// Whether there may be a ZFS label that blkid does not report: it does not know spares' labels, and
// reports nothing else beside an md superblock.
bool may_hide_label(const Content& content, const OwnLabel& own) {
  if (content.kind != Content::Kind::used || content.in_use) return false;
  return own.type == kZfs ? !bears(content, own) : bears(content, own);
}

// guid: the vdev's in the ZFS label; "" no label.
Content with_label(Content content, const OwnLabel& own, const std::string& guid) {
  if (guid.empty()) return content;
  if (own.type != kZfs) {
    content.type.clear();
    content.reason = "it holds a ZFS label beside the superblock of its array";
  } else if (guid == own.member && content.unnamed) {
    content.type = own.type;
  } else if (guid == own.member) {
    content.reason += ", beside the spare's own label";
  }
  return content;
}

std::string content_refusal(const Content& content, const Overwrite& wish) {
  if (content.in_use) return in_use();
  if (content.kind == Content::Kind::blank || (wish.insisted && !wish.was_blank)) return {};
  if (wish.own) return own_refusal(content, *wish.own);
  if (wish.insisted)
    return fmt::format(
        "the disk was blank when fmd last read it, and {}: {}; if it may be overwritten, repeat "
        "the command once 'fmtopo -V {}' shows this",
        content.kind == Content::Kind::used ? "now it is not" : "now that is not known",
        display(content.reason), display(wish.disk));
  return fmt::format("{}: {}; 'fmadm replace --force' uses it anyway",
                     content.kind == Content::Kind::used
                         ? "the disk is not blank"
                         : "it is not known whether the disk is blank",
                     display(content.reason));
}

// In bytes; 0: the kernel does not have it.
uint64_t size_of(const sdk::Host& host, const std::string& name) {
  constexpr uint64_t kSector = 512;
  return number<uint64_t>(host.read("/sys/class/block/" + name + "/size").value_or(""))
             .value_or(0) *
         kSector;
}

}  // namespace

void add_identity(const nlohmann::json& args, Overwrite& wish) {
  wish.serial = json_text(args, "serial");
  wish.size_bytes = json_uint(args, "size_bytes");
  wish.was_blank = json_bool(args, "blank");
}

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
              if (wish.own && may_hide_label(content, *wish.own))
                return judge_label(wish, content, done);
              judge(wish, content, done);
            });
}

void OverwriteGuard::judge(const Overwrite& wish, const Content& content, const Done& done) {
  const std::string moved = identity_refusal(wish);
  done(moved.empty() ? content_refusal(content, wish) : moved);
}

void OverwriteGuard::judge_label(const Overwrite& wish, const Content& content, const Done& done) {
  host_.run_apart(
      [path = host_.path(wish.path)] {
        const auto guid = zfs_label_guid(path);
        if (!guid) return "?" + guid.error().message;
        return *guid == 0 ? std::string() : std::to_string(*guid);
      },
      deadline_,
      [this, wish, content, done](const sdk::CommandOutput& output) {
        if (output.ok() && !output.out.starts_with("?"))
          return judge(wish, with_label(content, *wish.own, output.out), done);
        judge(wish,
              {Content::Kind::unknown,
               output.ok() ? output.out.substr(1) : output.explain("reading its ZFS label")},
              done);
      });
}

std::string OverwriteGuard::identity_refusal(const Overwrite& wish) const {
  if (!wish.path.starts_with(kDev)) return fmt::format("{} is no device", display(wish.path));
  if (wish.disk.empty() && wish.own) return {};  // identified by its label
  const auto real = host_.resolve(wish.path);
  const auto found = identify_disk(host_, real ? *real : wish.path);
  const std::string other =
      fmt::format("{} is not the disk {} any more", display(wish.path), display(wish.disk));
  if (!found || found->fmri.empty() || found->fmri != wish.disk) return other;
  if (!wish.serial.empty() && found->serial != wish.serial)
    return fmt::format("{}: its serial number is {}, and was {}", other, display(found->serial),
                       display(wish.serial));
  const uint64_t size = size_of(host_, found->name);
  if (wish.size_bytes > 0 && size != wish.size_bytes)
    return fmt::format("{}: it has {} bytes, and had {}", other, size, wish.size_bytes);
  return {};
}

}  // namespace fmd::hardware
