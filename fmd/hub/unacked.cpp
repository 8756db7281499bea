#include "fmd/hub/unacked.h"

#include "fmd/hub/hub.h"
#include "fmd/protocol/lines.h"

namespace fmd {
namespace {

// Of what may be under way when it is full.
constexpr size_t kSlackBytes = PluginHub::kMaxUnacked * wire::kMaxLine;

}  // namespace

void Unacked::add(PeerId peer, uint64_t request, const std::string& name, size_t bytes,
                  size_t events) {
  Of& of = peers_[peer];
  of.name = name;
  of.unkept.emplace(request, One{bytes, events});
  Sum& sum = plugins_[name];
  ++sum.requests;
  sum.bytes += bytes;
}

void Unacked::remove(PeerId peer, uint64_t request) {
  const auto found = peers_.find(peer);
  if (found == peers_.end()) return;
  Of& of = found->second;
  const auto plugin = plugins_.find(of.name);
  Sum& sum = plugin->second;
  // What came first was kept first.
  const auto kept = of.kept.find(request);
  const auto unkept = kept == of.kept.end() ? of.unkept.find(request) : of.unkept.end();
  if (kept != of.kept.end()) {
    --sum.kept;
    sum.kept_events -= kept->second.events;
    sum.kept_bytes -= kept->second.bytes;
    sum.bytes -= kept->second.bytes;
    of.kept.erase(kept);
  } else if (unkept != of.unkept.end()) {
    sum.bytes -= unkept->second.bytes;
    of.unkept.erase(unkept);
  } else {
    return;
  }
  if (--sum.requests == 0) plugins_.erase(plugin);
  if (of.kept.empty() && of.unkept.empty()) peers_.erase(found);
}

std::vector<uint64_t> Unacked::keep(PeerId peer) {
  std::vector<uint64_t> out;
  const auto found = peers_.find(peer);
  if (found == peers_.end()) return out;
  Of& of = found->second;
  Sum& sum = plugins_[of.name];
  while (!of.unkept.empty() && sum.kept < kMostRequests && sum.kept_events < kMostEvents &&
         sum.kept_bytes < kMostBytes) {
    auto node = of.unkept.extract(of.unkept.begin());
    ++sum.kept;
    sum.kept_events += node.mapped().events;
    sum.kept_bytes += node.mapped().bytes;
    out.push_back(node.key());
    of.kept.insert(std::move(node));
  }
  return out;
}

size_t Unacked::count(PeerId peer) const {
  const auto found = peers_.find(peer);
  return found == peers_.end() ? 0 : found->second.kept.size() + found->second.unkept.size();
}

size_t Unacked::unkept(PeerId peer) const {
  const auto found = peers_.find(peer);
  return found == peers_.end() ? 0 : found->second.unkept.size();
}

bool Unacked::is_full(const std::string& name) const {
  const auto found = plugins_.find(name);
  return found != plugins_.end() && found->second.bytes >= kMostBytes + kSlackBytes;
}

}  // namespace fmd
