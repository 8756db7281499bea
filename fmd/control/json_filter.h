// The JSON object of a request, read strictly: an unknown member or a wrong type is an error.
#pragma once
#include <cstdint>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "fmd/base/result.h"

namespace fmd {

class JsonFilter {
 public:
  ~JsonFilter();
  JsonFilter(JsonFilter&&) noexcept;
  JsonFilter& operator=(JsonFilter&&) noexcept;
  // "" is the empty object. known: the members that may be there.
  static Result<JsonFilter> parse(std::string_view text, std::vector<std::string> known);

  // Members of the wrong type are noted; ask error() once all are read.
  std::string text(const char* name);
  std::vector<std::string> texts(const char* name);  // an array of texts
  bool boolean(const char* name);
  std::optional<int64_t> integer(const char* name);
  Result<void> outcome() const;

 private:
  JsonFilter();

  std::unique_ptr<nlohmann::json> doc_;  // an object
  std::string wrong_;
};

}  // namespace fmd
