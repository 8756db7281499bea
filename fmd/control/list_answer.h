// ListAnswer: a list that is answered a mebibyte at a time, its items in the order of their keys. Building
// tens of MiB would hold up the loop.
#pragma once
#include <cstddef>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

#include "fmd/base/result.h"
#include "fmd/control/json_filter.h"

namespace fmd {

enum class Paging {
  whole,  // [item, …]; an error when it is longer than a page
  page,   // {"items":[…],"next":"…","more":bool}; "after": the page before's "next"
};

class ListAnswer {
 public:
  static constexpr size_t kMostBytes = 1 << 20;

  // Reads the filter, with "after" where there are pages; known: its other members.
  static Result<JsonFilter> filter(Paging paging, std::string_view text,
                                   std::vector<std::string> known);
  ListAnswer(Paging paging, JsonFilter& filter);

  // Items up to there were on the pages before; to begin behind it is cheaper than to have add() pass
  // them over.
  const std::string& after() const { return after_; }
  // False: it is full, no more is needed.
  bool add(std::string_view key, const nlohmann::json& item);
  // Whether an item with this key is on this page or a later one.
  bool wants(std::string_view key) const { return after_.empty() || key > after_; }
  Result<std::string> text() const;

 private:
  Paging paging_;
  std::string after_, items_, next_;
  bool more_ = false;
};

}  // namespace fmd
