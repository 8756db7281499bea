#include "fmd/base/clock_watch.h"

#include "fmd/base/json.h"
#include "fmd/base/json_value.h"

namespace fmd {
namespace {

constexpr const char* kWatchKind = "clock";
constexpr const char* kWatchKey = "watch";

bool within(int64_t a, int64_t b, int64_t most) {
  return add_times(a, -most) <= b && b <= add_times(a, most);
}

}  // namespace

ClockWatch::Turn ClockWatch::observe(Moment now, bool synchronised) {
  const int64_t offset = add_times(now.wall_ns, -now.steady_ns);
  if (!since_ || !within(candidate_ns_, offset, kSameNs)) {
    candidate_ns_ = offset;
    since_ = now.steady_ns;
  }
  const bool agreed = now.steady_ns - *since_ >= kAgreedNs;
  if (!trusted_ || synchronised || agreed) {
    if (!trusted_ || !within(*trusted_, offset, kSameNs)) {
      trusted_ = offset;
      dirty_ = true;
    }
    candidate_ns_ = offset;  // so that drift never adds up to a jump
    since_ = now.steady_ns;
  }
  off_ns_ = add_times(offset, -*trusted_);
  const bool doubted = !within(*trusted_, offset, kJumpNs);
  if (doubted == doubted_) return Turn::none;
  doubted_ = doubted;
  return doubted ? Turn::doubted : Turn::believed;
}

std::vector<StateRow> ClockWatch::take_changes() {
  if (!dirty_ || !trusted_) return {};
  dirty_ = false;
  return {{kWatchKind, kWatchKey, dump_json({{"offset", *trusted_}})}};
}

Result<void> ClockWatch::restore(const std::vector<StateRow>& rows) {
  for (const StateRow& row : rows) {
    if (row.kind != kWatchKind || row.key != kWatchKey) continue;
    const auto doc = nlohmann::json::parse(row.doc, nullptr, false);
    const auto offset = doc.is_object() ? doc.find("offset") : doc.end();
    if (!doc.is_object() || offset == doc.end() || !offset->is_number_integer())
      return fail("where the clock was believed last cannot be read: it is believed as it is");
    trusted_ = offset->get<int64_t>();
  }
  return {};
}

int64_t ClockWatch::believed_wall_ns(Moment now) const {
  return trusted_ ? add_times(now.steady_ns, *trusted_) : now.wall_ns;
}

}  // namespace fmd
