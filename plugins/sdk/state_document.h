// StateDocument: a small JSON file in the state folder, kept from one run of the plugin to the
// next. Without a path nothing is kept. Single thread.
#pragma once
#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "fmd/base/result.h"

namespace fmd::sdk {

class StateDocument {
 public:
  StateDocument() = default;
  explicit StateDocument(std::string path) : path_(std::move(path)) {}

  // Hands what the file holds to take(); without a file take() is not called. What take() throws makes
  // the file a damaged one, an error: until then take() must not have changed what it fills.
  Result<void> load(const std::function<void(const nlohmann::json&)>& take);
  void save(const nlohmann::json& document);  // when it has changed; trouble is logged

 private:
  std::string path_, saved_;
};

}  // namespace fmd::sdk
