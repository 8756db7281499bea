#include "fmd/base/value.h"

#include <fmt/format.h>

namespace fmd {
namespace {

bool is_number(const Value& v) {
  return std::holds_alternative<int64_t>(v) || std::holds_alternative<uint64_t>(v) ||
         std::holds_alternative<double>(v);
}

double as_double(const Value& v) {
  if (const auto* i = std::get_if<int64_t>(&v)) return static_cast<double>(*i);
  if (const auto* u = std::get_if<uint64_t>(&v)) return static_cast<double>(*u);
  return std::get<double>(v);
}

}  // namespace

std::string to_text(const Value& value) {
  struct Visitor {
    std::string operator()(std::monostate) const { return {}; }
    std::string operator()(bool b) const { return b ? "true" : "false"; }
    std::string operator()(int64_t i) const { return fmt::format("{}", i); }
    std::string operator()(uint64_t u) const { return fmt::format("{}", u); }
    std::string operator()(double d) const { return fmt::format("{}", d); }
    std::string operator()(const std::string& s) const { return s; }
  };
  return std::visit(Visitor{}, value);
}

bool equal_values(const Value& a, const Value& b) {
  // The most frequent comparison first: it runs for each event.
  const auto* text = std::get_if<std::string>(&a);
  const auto* other = std::get_if<std::string>(&b);
  if (text && other) return *text == *other;
  if (a.index() == b.index()) return a == b;
  if (!is_number(a) || !is_number(b)) return false;
  const auto* ia = std::get_if<int64_t>(&a);
  const auto* ib = std::get_if<int64_t>(&b);
  const auto* ua = std::get_if<uint64_t>(&a);
  const auto* ub = std::get_if<uint64_t>(&b);
  if (ia && ub) return *ia >= 0 && static_cast<uint64_t>(*ia) == *ub;
  if (ua && ib) return *ib >= 0 && static_cast<uint64_t>(*ib) == *ua;
  return as_double(a) == as_double(b);
}

}  // namespace fmd
