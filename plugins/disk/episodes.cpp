#include "plugins/disk/episodes.h"

#include <algorithm>
#include <cstdlib>

namespace fmd::disk {
namespace {

// The kernel logs sense data of at most ten failed requests in five seconds, for all disks together; traces
// contain it since Linux 6.4. Failures without sense data within a minute after "unmapped" have the same cause.
constexpr int64_t kReasonHolds = int64_t{60} * 1'000'000'000;
constexpr size_t kMostReasons = 4096;

void fill_up(Indication& mine, const Indication& later) {
  if (mine.operation.empty()) mine.operation = later.operation;
  if (!mine.sector) mine.sector = later.sector;
  if (!mine.sense) mine.sense = later.sense;
  if (mine.text.empty()) mine.text = later.text;
}

}  // namespace

void Episodes::add(const std::string& place, const Indication& said, int64_t when_ns,
                   int64_t now_ns, uint64_t log_sequence) {
  if (said.cause == Cause::nothing) return;
  auto& of_place = open_[place];
  auto at = std::find_if(of_place.begin(), of_place.end(), [&](const Open& one) {
    return std::abs(when_ns - one.episode.began_ns) <= length_ns_;
  });
  if (at == of_place.end()) at = of_place.insert(at, {{place, when_ns, {}}, now_ns, 0});
  Open& open = *at;
  open.episode.began_ns = std::min(open.episode.began_ns, when_ns);
  if (open.log_sequence == 0) open.log_sequence = log_sequence;
  auto& findings = open.episode.findings;
  auto same = std::find_if(findings.begin(), findings.end(),
                           [&](const Finding& f) { return f.said.cause == said.cause; });
  if (same == findings.end())
    findings.push_back({said, 1});
  else {
    fill_up(same->said, said);
    ++same->count;
  }
}

std::vector<Episode> Episodes::take_over(int64_t now_ns) {
  std::vector<Episode> over;
  for (auto at = open_.begin(); at != open_.end();) {
    std::erase_if(at->second, [&](Open& open) {
      if (now_ns - open.heard_ns < length_ns_) return false;
      over.push_back(std::move(open.episode));
      return true;
    });
    at = at->second.empty() ? open_.erase(at) : std::next(at);
  }
  std::stable_sort(over.begin(), over.end(),
                   [](const Episode& a, const Episode& b) { return a.began_ns < b.began_ns; });
  for (Episode& episode : over) explain(episode);
  return over;
}

void Episodes::explain(Episode& episode) {
  auto& findings = episode.findings;
  const auto is_unmapped = [](const Finding& finding) {
    return finding.said.cause == Cause::unmapped;
  };
  if (std::any_of(findings.begin(), findings.end(), is_unmapped)) {
    if (unmapped_ns_.size() >= kMostReasons) unmapped_ns_.clear();
    unmapped_ns_[episode.place] = episode.began_ns;
    return;
  }
  const auto known = unmapped_ns_.find(episode.place);
  if (known == unmapped_ns_.end()) return;
  const int64_t later = episode.began_ns - known->second;
  if (later < 0 || later > kReasonHolds) {
    unmapped_ns_.erase(known);
    return;
  }
  for (Finding& finding : findings)
    if (finding.said.cause == Cause::unspecific) finding.said.cause = Cause::unmapped;
}

std::optional<int64_t> Episodes::next_ns() const {
  std::optional<int64_t> next;
  for (const auto& [place, of_place] : open_)
    for (const Open& open : of_place)
      if (!next || open.heard_ns + length_ns_ < *next) next = open.heard_ns + length_ns_;
  return next;
}

uint64_t Episodes::open_from() const {
  uint64_t first = 0;
  for (const auto& [place, of_place] : open_)
    for (const Open& open : of_place)
      if (open.log_sequence != 0 && (first == 0 || open.log_sequence < first))
        first = open.log_sequence;
  return first;
}

std::vector<Finding> telling(const Episode& episode) {
  std::vector<Finding> told;
  const Finding* vague = nullptr;
  bool explained = false;
  Indication context;  // the message with the place often differs from the one with the reason
  for (const Finding& finding : episode.findings) {
    fill_up(context, finding.said);
    if (finding.said.cause == Cause::unspecific)
      vague = &finding;
    else if (finding.said.cause == Cause::caller)
      explained = true;
    else
      told.push_back(finding);
  }
  if (told.empty() && vague && !explained) told.push_back(*vague);
  // The kernel resets a device that did not respond.
  const auto is = [](Cause cause) {
    return [cause](const Finding& finding) { return finding.said.cause == cause; };
  };
  if (std::any_of(told.begin(), told.end(), is(Cause::timeout)))
    std::erase_if(told, is(Cause::reset));
  for (Finding& finding : told) {
    if (finding.said.operation.empty()) finding.said.operation = context.operation;
    if (!finding.said.sector) finding.said.sector = context.sector;
  }
  return told;
}

}  // namespace fmd::disk
