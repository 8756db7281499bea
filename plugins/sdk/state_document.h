// StateDocument: a small JSON file in the state folder that survives restarts of the plugin.
// Without a path nothing is kept. Single thread.
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

  // Calls take() with the content if the file exists. If take() throws, the file is damaged and
  // load() returns an error; take() must not have changed its target before.
  Result<void> load(const std::function<void(const nlohmann::json&)>& take);
  void save(const nlohmann::json& document);  // writes if changed; errors are logged

 private:
  std::string path_, saved_;
};

}  // namespace fmd::sdk
