#include "recorded.h"

#include <fstream>
#include <stdexcept>

#include "plugins/sdk/messages.h"

namespace fmd::score {
namespace {

Value scalar(const nlohmann::json& value) {
  if (value.is_string()) return value.get<std::string>();
  if (value.is_boolean()) return value.get<bool>();
  if (value.is_number_unsigned()) return value.get<uint64_t>();
  if (value.is_number_integer()) return value.get<int64_t>();
  return {};
}

}  // namespace

std::vector<std::string> recorded_lines(const std::string& file) {
  std::ifstream in(file);
  std::vector<std::string> lines;
  for (std::string line; std::getline(in, line);)
    if (!line.empty() && line.front() != '#') lines.push_back(line);
  if (lines.empty()) throw std::runtime_error(file + ": no recorded lines");
  return lines;
}

std::string replaced(std::string line, std::string_view from, std::string_view to) {
  const size_t at = line.find(from);
  if (at == line.npos) throw std::logic_error(std::string(from) + " is not in: " + line);
  return line.replace(at, from.size(), to);
}

Event as_taken(const sdk::OutEvent& told) {
  Event event;
  event.event_class = told.event_class;
  event.resource = told.resource;
  event.time_ns = told.time_ns;
  event.ena = told.ena;
  for (const auto& [name, value] : told.payload.items())
    if (Value one = scalar(value); one.index() != 0) event.payload.append(name, std::move(one));
  event.payload_json = "{}";
  return event;
}

}  // namespace fmd::score
