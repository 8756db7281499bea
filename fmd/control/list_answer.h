// ListAnswer: a list returned in pages, ordered by key. A page, and a list returned as a whole, are
// small enough to be built within 5 ms, during which the loop does nothing else.
#pragma once
#include <cstddef>
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <utility>

#include "fmd/base/result.h"
#include "fmd/control/json_filter.h"

namespace fmd {

enum class Paging {
  whole,  // [item, …]; an error when it is longer than a page
  page,   // {"items":[…],"next":"…","more":bool}; "after": the page before's "next"
};

class ListAnswer {
 public:
  // Of a list that is answered as a whole. A case takes longer to write than other items.
  static constexpr size_t kMostBytes = 320 << 10, kMostBytesOfCases = 128 << 10;
  static constexpr size_t kPageBytes = 32 << 10;

  // Reads the filter, with "after" where there are pages; known: its other members.
  static Result<JsonFilter> filter(Paging paging, std::string_view text,
                                   std::vector<std::string> known);
  ListAnswer(Paging paging, JsonFilter& filter, size_t most_bytes = kMostBytes);

  // Items up to there were on the pages before; to begin behind it is cheaper than to have add() pass
  // them over.
  const std::string& after() const { return after_; }
  // The same for keys of a number and a name (numbered_key()); {0, ""} for the first page.
  std::pair<uint64_t, std::string> after_number() const;
  // False: the page is full.
  bool add(std::string_view key, const nlohmann::json& item);
  bool add_text(std::string_view key, std::string_view item);  // JSON already
  // Ends the page after this key, even without an item; the next page continues the search. Returns false.
  bool end_at(std::string_view key);
  // Whether an item with this key is on this page or a later one.
  bool wants(std::string_view key) const { return after_.empty() || key > after_; }
  Result<std::string> text() const;

 private:
  Paging paging_;
  size_t most_bytes_;
  std::string after_, items_, next_;
  bool more_ = false;
};

// Sorts as the pair of both does.
std::string numbered_key(uint64_t number, std::string_view name);

}  // namespace fmd
