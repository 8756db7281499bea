// The part of the parser for bays, grids of bays and other FRUs. Internal: use parse.h.
#pragma once
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "fmd/base/toml.h"
#include "fmd/chassis/description.h"

namespace fmd::chassis {

// The current file and its errors so far.
struct Source {
  std::string file;
  std::vector<Error> errors;
  void error(int line, std::string message) { errors.push_back({std::move(message), file, line}); }
};

// Calls `read` for each [[name]] of the file.
void each(const TomlNode& root, const char* name, Source& source,
          const std::function<void(const TomlNode&)>& read);
// Reports unknown keys.
void check_keys(const TomlNode& node, const std::string& table, const std::string& where,
                Source& source);
std::string read_form_factor(TomlReader& reader);
std::string read_orientation(TomlReader& reader);
Leds read_leds(TomlReader& reader, Source& source);

// Millimetres. A box needs all four values or none.
std::optional<double> length(TomlReader& reader, const char* key);
Box read_box(TomlReader& reader);
// Checks that the view exists and the box is inside it.
void check_view(TomlReader& reader, const std::string& view, const Box& box,
                const Description& out);
void check_inside(TomlReader& reader, const std::string& what, const std::string& view,
                  const Box& box, const Description& out);

void read_bays(const TomlNode& root, Description& out, Source& source);
void read_frus(const TomlNode& root, Description& out, Source& source);

}  // namespace fmd::chassis
