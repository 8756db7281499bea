#include "plugins/system/sysfs.h"

#include <charconv>

#include "fmd/model/fmri.h"

namespace fmd::machine {
namespace {

bool is_hex(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789abcdefABCDEF") == text.npos;
}

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kPadding(" \t\r\n\0", 5);
  const size_t first = text.find_first_not_of(kPadding);
  if (first == text.npos) return {};
  return text.substr(first, text.find_last_not_of(kPadding) - first + 1);
}

}  // namespace

std::string read_text(const sdk::Host& host, const std::string& file) {
  return std::string(trimmed(host.read(file).value_or("")));
}

std::optional<int64_t> number_of(std::string_view padded) {
  const std::string_view text = trimmed(padded);
  const bool hex = text.starts_with("0x");
  const char* begin = text.data() + (hex ? 2 : 0);
  const char* end = text.data() + text.size();
  int64_t number = 0;
  const auto [stop, error] = std::from_chars(begin, end, number, hex ? 16 : 10);
  if (error != std::errc() || stop != end || begin == end) return std::nullopt;
  return number;
}

std::optional<int64_t> read_number(const sdk::Host& host, const std::string& file) {
  return number_of(host.read(file).value_or(""));
}

std::vector<std::string> names_in(const sdk::Host& host, const std::string& folder) {
  return host.list(folder).value_or(std::vector<std::string>{});
}

std::string_view parent_path(std::string_view path) {
  const size_t slash = path.rfind('/');
  return slash == path.npos ? std::string_view() : path.substr(0, slash);
}

std::string_view last_name(std::string_view path) {
  return path.substr(path.rfind('/') + 1);
}

std::string pci_fmri(const std::string& address) {
  return make_fmri("dev", {{"pci", address}});
}

std::string sas_address(std::string_view text) {
  if (text.starts_with("0x")) text.remove_prefix(2);
  if (!is_hex(text) || text.size() > 16 || text.find_first_not_of('0') == text.npos) return {};
  std::string out;
  for (const char c : text) out += c >= 'A' && c <= 'F' ? static_cast<char>(c - 'A' + 'a') : c;
  return out;
}

}  // namespace fmd::machine
