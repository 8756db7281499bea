// ContentProbe: finds out whether a disk contains data. Reads a sample, then runs blkid(8). Both
// may hang with the disk: one run per disk at a time, with a deadline, and no other while one is
// stuck. "blank" allows fmd to give the disk to a pool: the disk must have been read, be empty
// where data structures begin and end, and blkid must find nothing. (blkid alone is not enough: it
// also exits silently with 2 for a missing or unreadable node.)
#pragma once
#include <chrono>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "plugins/hardware/disk_sample.h"
#include "plugins/sdk/host.h"

namespace fmd::hardware {

struct Content {
  enum class Kind { unknown, blank, used };
  Kind kind = Kind::unknown;
  // The content, or why it is unknown; raw. "": blank, or not read yet.
  std::string reason = {};
  bool in_use = false;  // something on this host uses the disk
  // blkid's names: "zfs_member", "linux_raid_member"; of the pool or array; of this member. "" unknown.
  std::string type = {}, uuid = {}, member = {};
  bool unnamed = false;  // data unknown to blkid
  bool operator==(const Content&) const = default;
};
std::string_view content_name(Content::Kind kind);  // "blank"

Content content_of(Sample sample, const sdk::CommandOutput& blkid);

class ContentProbe {
 public:
  using Done = std::function<void(const Content& content)>;
  using Read = decltype(&sample_disk);
  static constexpr size_t kAtOnce = 8;  // runs over all disks; stuck ones are not counted

  ContentProbe(sdk::Host& host, std::chrono::milliseconds deadline, Read read)
      : host_(host), deadline_(deadline), read_(read) {}
  // key: the disk's appearance (identity and diskseq). name: device name. done: called once, from
  // the loop. A question during a run starts another run, since the first may have read old data.
  void ask(const std::string& key, const std::string& name, Done done);

 private:
  struct Flight {
    std::string name;
    bool running = false;   // the process exists
    bool stuck = false;     // it exceeded its deadline
    bool answered = false;  // this run has reported its result
    Sample sample = Sample::data;
    std::vector<Done> now, next;
  };
  void start_some();
  void start(const std::string& key);
  void was_read(const std::string& key, const sdk::CommandOutput& output);
  void ask_blkid(const std::string& key);
  void answer(const std::string& key, const Content& content, bool stuck);
  void gone(const std::string& key);

  sdk::Host& host_;
  std::chrono::milliseconds deadline_;
  Read read_;
  std::map<std::string, Flight> flights_;
  std::deque<std::string> waiting_;
  size_t active_ = 0;
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);  // callbacks may outlive this
};

}  // namespace fmd::hardware
