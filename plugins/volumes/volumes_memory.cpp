#include "plugins/volumes/volumes_memory.h"

#include <algorithm>

#include "plugins/sdk/messages.h"

namespace fmd::volumes {
namespace {

using nlohmann::json;

constexpr size_t kMostAnswers = 200;

}  // namespace

Result<void> VolumesMemory::load() {
  return document_.load([this](const json& doc) {
    MdMemory known = md_memory_from_json(doc.at("md"));
    decltype(answers_) answers;
    for (const json& one : doc.at("answers"))
      answers.push_back({one.at("key"), one.at("status"), one.at("reason"), one.at("detail")});
    MostPaths most = doc.at("paths").get<MostPaths>();
    LastDisks disks = doc.at("btrfs_disks").get<LastDisks>();
    // Earlier versions did not write these two.
    auto known_maps = doc.contains("maps") ? known_maps_from_json(doc["maps"]) : maps;
    auto known_file_systems =
        doc.contains("btrfs_known") ? known_btrfs_from_json(doc["btrfs_known"]) : btrfs_known;
    maps = std::move(known_maps);
    btrfs_known = std::move(known_file_systems);
    answers_ = std::move(answers);
    btrfs_disks = std::move(disks);
    paths = std::move(most);
    md = std::move(known);
  });
}

void VolumesMemory::save() {
  json answers = json::array();
  for (const Answer& a : answers_)
    answers.push_back(
        {{"key", a.key}, {"status", a.status}, {"reason", a.reason}, {"detail", a.detail}});
  document_.save(json{{"md", to_json(md)},
                      {"paths", paths},
                      {"maps", to_json(maps)},
                      {"btrfs_disks", btrfs_disks},
                      {"btrfs_known", to_json(btrfs_known)},
                      {"answers", std::move(answers)}});
}

const VolumesMemory::Answer* VolumesMemory::answer_to(const std::string& key) const {
  const auto at =
      std::find_if(answers_.begin(), answers_.end(), [&](const Answer& a) { return a.key == key; });
  return key.empty() || at == answers_.end() ? nullptr : &*at;
}

void VolumesMemory::begin(const std::string& key) {
  if (key.empty()) return;
  answers_.push_back({key, "", "", json::object()});
  if (answers_.size() > kMostAnswers) answers_.pop_front();
  save();
}

void VolumesMemory::answered(const std::string& key, const sdk::CommandReply& reply) {
  const auto at =
      std::find_if(answers_.begin(), answers_.end(), [&](const Answer& a) { return a.key == key; });
  if (at != answers_.end()) *at = {key, reply.status, reply.reason, reply.detail};
  save();
}

}  // namespace fmd::volumes
