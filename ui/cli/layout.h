// Layout: text in columns for terminals (terminal.h; 80 if unknown). Text from a device or a person
// must pass clean() once; the other functions expect cleaned UTF-8. Pure.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "ui/cli/terminal.h"
#include "ui/client/words.h"

namespace fmd::cli {

using ui::clean;
using ui::clean_prose;
using ui::format_minute;

// Terminal columns: East Asian wide characters count two, combining marks and colours none.
size_t columns(std::string_view text);
// Pads text with blanks to that many columns; a longer text stays whole.
std::string pad(std::string_view text, size_t width);
std::string trimmed(std::string text);  // without trailing blanks
// Wraps text at that many columns; continuation lines start at column indent. head ("Description :
// ") is printed first. Ends in a newline.
std::string wrapped(std::string_view head, std::string_view text, size_t indent,
                    size_t most = prose_width());
// One aligned field of `fmadm faulty`: name padded to 12 columns, a colon, text wrapped at column
// 14.
std::string field(std::string_view name, std::string_view text);

// A table: a header line, then rows. A column is as wide as its widest cell; the last one is
// wrapped, or moved to a line of its own if the others leave no room.
class Table {
 public:
  explicit Table(std::vector<std::string> header);
  void add(std::vector<std::string> cells,
           Tone last = Tone::plain);  // cells are cleaned here; last: tone of the last cell
  bool empty() const { return rows_.empty(); }
  std::string text() const;

 private:
  std::vector<std::string> header_;
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace fmd::cli
