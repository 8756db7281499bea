#include "plugins/sdk/last_answer.h"

#include <utility>

namespace fmd::sdk {
namespace {

constexpr char kSame = '=', kOther = '+';  // the first byte of a child's output

}  // namespace

std::function<std::string()> LastAnswer::ask(std::function<std::string()> work) const {
  return [this, work = std::move(work)] {
    std::string found = work();
    if (known_ && found == bytes_) return std::string(1, kSame);
    return kOther + std::move(found);
  };
}

bool LastAnswer::take(CommandOutput& output) {
  if (!output.ok()) {
    known_ = false;
    return false;
  }
  const bool same = known_ && output.out.size() == 1 && output.out.front() == kSame;
  if (!same) {
    known_ = output.out.starts_with(kOther);
    bytes_ = known_ ? output.out.substr(1) : std::string();
  }
  output.out = bytes_;
  return same;
}

}  // namespace fmd::sdk
