// DeliveredKeys: the keys of a notifier's delivered messages, on disk, so that nothing is sent
// twice after a crash of the notifier or of fmd, which then repeats its commands. One key per line
// in FOLDER/delivered. Single thread.
#pragma once
#include <deque>
#include <string>
#include <string_view>
#include <unordered_set>

#include "fmd/base/result.h"

namespace fmd::sdk {

class DeliveredKeys {
 public:
  static constexpr size_t kKept = 10000;  // the newest; fmd does not repeat older ones

  // Reads the file, or creates it. folder: the notifier's state directory.
  static Result<DeliveredKeys> open(const std::string& folder, size_t kept = kKept);
  DeliveredKeys(DeliveredKeys&& other) noexcept;
  DeliveredKeys& operator=(DeliveredKeys&&) = delete;
  ~DeliveredKeys();

  bool contains(std::string_view key) const;
  // On disk when it returns. If the write fails, the key is still remembered by this process.
  Result<void> add(std::string_view key);

 private:
  DeliveredKeys(std::string path, size_t kept) : path_(std::move(path)), kept_(kept) {}
  Result<void> load();
  Result<void> append(std::string_view line);
  Result<void> compact();

  std::string path_;
  size_t kept_;
  int fd_ = -1;
  size_t lines_ = 0;  // in the file
  std::deque<std::string> order_;
  std::unordered_set<std::string> keys_;
};

}  // namespace fmd::sdk
