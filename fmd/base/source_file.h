// A file's text, read by whoever may read files, for those that take it apart.
#pragma once
#include <string>

namespace fmd {

struct SourceFile {
  std::string name;  // as shown in errors
  std::string text;
};

}  // namespace fmd
