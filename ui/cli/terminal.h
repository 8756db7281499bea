// Terminal: properties of standard output: width, colours, and the pager. Set up once, by Program;
// without that there are 80 columns and no colours, as for a file.
#pragma once
#include <cstddef>
#include <string>
#include <string_view>

namespace fmd::cli {

enum class Colours { automatic, always, never };

// Examines standard output and the environment (COLUMNS, NO_COLOR, TERM).
void settle_terminal(Colours colours);
// Whether standard output was a terminal at that time, even if a pager was started since.
bool is_terminal();

// Whether output may be UTF-8: not on a terminal whose locale is C, POSIX or another without UTF-8.
bool shows_utf8();
// Replaces other characters by ASCII: "x" for "×", "?" in names, escapes in JSON.
std::string in_ascii(std::string_view text);

// Columns to fill: the terminal's, at most 200.
size_t width();
// For prose: longer lines are hard to read.
size_t prose_width();
void set_width(size_t columns);

enum class Tone { plain, grave, minor, good, faint, strong };
// Coloured if colours are on; the text must be clean.
std::string painted(std::string_view text, Tone tone);
Tone tone_of_severity(std::string_view severity);
// state: as ZFS or md reports it.
Tone tone_of_pool(std::string_view state);

// Call before the first output that may be longer than the terminal. Uses $FMD_PAGER, $PAGER or
// less, as git and systemd do; none if the variable is empty or "cat".
void start_pager();
// Waits until the user has quit the pager.
void end_pager();
bool has_pager();

}  // namespace fmd::cli
