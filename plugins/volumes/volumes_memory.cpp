#include "plugins/volumes/volumes_memory.h"

#include <syslog.h>

#include <algorithm>

#include "plugins/sdk/whole_file.h"

namespace fmd::volumes {
namespace {

using nlohmann::json;

constexpr size_t kMostAnswers = 200;

}  // namespace

Result<void> VolumesMemory::load() {
  if (file_.empty()) return {};
  auto text = sdk::read_whole(file_);
  if (!text) return tl::unexpected(text.error());
  if (!*text) return {};
  try {
    const json doc = json::parse(**text);
    MdMemory known = md_memory_from_json(doc.at("md"));
    for (const json& one : doc.at("answers"))
      answers_.push_back({one.at("key"), one.at("status"), one.at("reason"), one.at("detail")});
    MostPaths most = doc.at("paths").get<MostPaths>();
    btrfs_disks = doc.at("btrfs_disks").get<LastDisks>();
    paths = std::move(most);
    md = std::move(known);
  } catch (const std::exception& e) {
    answers_.clear();
    return fail(std::string("is damaged: ") + e.what(), file_);
  }
  saved_ = std::move(**text);
  return {};
}

void VolumesMemory::save() {
  if (file_.empty()) return;
  json answers = json::array();
  for (const Answer& a : answers_)
    answers.push_back(
        {{"key", a.key}, {"status", a.status}, {"reason", a.reason}, {"detail", a.detail}});
  const std::string text = json{
      {"md", to_json(md)},
      {"paths", paths},
      {"btrfs_disks", btrfs_disks},
      {"answers",
       std::move(answers)}}.dump(1, ' ', false, json::error_handler_t::replace);
  if (text == saved_) return;
  if (auto written = sdk::write_whole(file_, text); !written)
    return sdk::log(LOG_WARNING, written.error().text());
  saved_ = text;
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
