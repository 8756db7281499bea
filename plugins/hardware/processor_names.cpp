#include "plugins/hardware/processor_names.h"

namespace fmd::hardware {
namespace {

std::string letters(std::string_view name) {
  std::string out;
  for (const char c : name) {
    if (c >= 'A' && c <= 'Z') out += static_cast<char>(c - 'A' + 'a');
    if ((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9')) out += c;
  }
  return out;
}

bool is_numeral(char c) {
  return c >= '0' && c <= '9';
}

// "CPU1 Status" is about "CPU1", "CPU 10" is not.
bool speaks_of(const std::string& name, const std::string& processor) {
  return !processor.empty() && name.starts_with(processor) &&
         !(name.size() > processor.size() && is_numeral(name[processor.size()]) &&
           is_numeral(processor.back()));
}

}  // namespace

std::optional<size_t> processor_called(std::string_view name,
                                       const std::vector<std::string>& processors) {
  if (processors.size() == 1) return 0;
  for (size_t i = 0; i < processors.size(); ++i)
    if (speaks_of(letters(name), letters(processors[i]))) return i;
  return std::nullopt;
}

}  // namespace fmd::hardware
