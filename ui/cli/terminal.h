// Terminal: what standard output is: how wide, whether colours are seen, and the pager before it. Set up once, by
// Program; where nothing is set up there are 80 columns and no colours, as for a file.
#pragma once
#include <cstddef>
#include <string>
#include <string_view>

namespace fmd::cli {

enum class Colours { automatic, always, never };

// Looks at standard output and the environment (COLUMNS, NO_COLOR, TERM).
void settle_terminal(Colours colours);
// Whether standard output was a terminal then, also when a pager stands before it since.
bool is_terminal();

// Whether what stands on it may be UTF-8: not on a terminal whose locale is C, POSIX or another that has no UTF-8.
bool shows_utf8();
// ASCII in place of what is not: "x" for "×", "?" for a character of a name that has no such form; in JSON its escape.
std::string in_ascii(std::string_view text);

// Columns to fill: of a terminal its own, at most 200.
size_t width();
// Of sentences: longer lines are hard to read.
size_t prose_width();
void set_width(size_t columns);

enum class Tone { plain, grave, minor, good, faint, strong };
// Coloured where colours are seen; the text is clean already.
std::string painted(std::string_view text, Tone tone);
Tone tone_of_severity(std::string_view severity);
// state: ZFS's or md's word.
Tone tone_of_pool(std::string_view state);

// Before the first output of what may be longer than the terminal. As git and systemd do it: $FMD_PAGER, $PAGER, less; none
// where they are empty or "cat".
void start_pager();
// Waits until a person has read it.
void end_pager();
bool has_pager();

}  // namespace fmd::cli
