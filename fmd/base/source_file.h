// SourceFile: the name and text of a file. The caller reads it, so that parsers stay pure.
#pragma once
#include <string>

namespace fmd {

struct SourceFile {
  std::string name;  // as shown in errors
  std::string text;
};

}  // namespace fmd
