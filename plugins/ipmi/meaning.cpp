#include "plugins/ipmi/meaning.h"

#include <array>
#include <cstdio>
#include <optional>
#include <utility>

#include "fmd/base/toml.h"

namespace fmd::ipmi {
namespace {

constexpr std::array<std::pair<std::string_view, Verdict>, 6> kVerdicts = {
    {{"nominal", Verdict::nominal},
     {"reserved", Verdict::reserved},
     {"absent", Verdict::absent},
     {"warning", Verdict::warning},
     {"critical", Verdict::critical},
     {"non-recoverable", Verdict::non_recoverable}}};

// "VERDICT [CONDITION [lasts]]: TEXT"
std::optional<State> parse_state(const std::string& line) {
  const size_t colon = line.find(": ");
  if (colon == line.npos) return std::nullopt;
  State state;
  std::string head = line.substr(0, colon);
  state.text = line.substr(colon + 2);
  if (const size_t blank = head.find(' '); blank != head.npos) {
    constexpr std::string_view kLasts = " lasts";
    state.condition = head.substr(blank + 1);
    state.lasts = state.condition.ends_with(kLasts);
    if (state.lasts) state.condition.resize(state.condition.size() - kLasts.size());
    head.resize(blank);
  }
  for (const auto& [name, verdict] : kVerdicts)
    if (name == head) {
      state.verdict = verdict;
      return state;
    }
  return std::nullopt;
}

constexpr int kStatesAtMost = 15;  // offsets 0 to 14

}  // namespace

std::string_view verdict_name(Verdict verdict) {
  for (const auto& [name, one] : kVerdicts)
    if (one == verdict) return name;
  return "nominal";
}

namespace {

std::vector<State> parse_states(TomlReader& reader) {
  std::vector<State> states;
  const auto lines = reader.texts("states");
  if (lines.size() > kStatesAtMost)
    reader.error(reader.line_of("states"), "there are 15 offsets at most");
  for (const std::string& line : lines) {
    if (auto state = parse_state(line))
      states.push_back(std::move(*state));
    else
      reader.error(reader.line_of("states"),
                   "\"" + line + "\" is not \"VERDICT [CONDITION [lasts]]: TEXT\"");
  }
  return states;
}

}  // namespace

void Meaning::take(const TomlNode& tables, const char* what, const SourceFile& file, const Bmc& bmc,
                   std::vector<Error>& errors) {
  for (const TomlNode& table : tables.items) {
    TomlReader reader(table, what, file.name, errors);
    const auto number = reader.integer("code", 0, 255);
    if (!number) reader.error(reader.line_of("code"), "code is missing");
    Entry entry;
    entry.name = reader.required_text("name");
    const auto manufacturer = reader.integer("manufacturer", 0, 0xFFFFFF);
    const auto product = reader.integer("product", 0, 0xFFFF);
    entry.states = parse_states(reader);
    reader.finish();
    if (manufacturer.value_or(bmc.manufacturer) != bmc.manufacturer ||
        product.value_or(bmc.product) != bmc.product)
      continue;
    (what[0] == 'r' ? readings_ : types_)[static_cast<int>(number.value_or(0))] = std::move(entry);
  }
}

Result<Meaning> Meaning::parse(const std::vector<SourceFile>& files, const Bmc& bmc) {
  Meaning meaning;
  std::vector<Error> errors;
  for (const SourceFile& file : files) {
    const auto root = parse_toml(file.name, file.text);
    if (!root) {
      errors.push_back(root.error());
      continue;
    }
    TomlReader top(*root, "the file", file.name, errors);
    for (const char* what : {"reading", "type"})
      if (const TomlNode* tables = top.array_of_tables(what))
        meaning.take(*tables, what, file, bmc, errors);
    top.finish();
  }
  if (errors.empty()) return meaning;
  std::string all;
  for (const Error& error : errors) all += (all.empty() ? "" : "\n") + error.text();
  return fail(all);
}

const State* Meaning::find(int reading_type, int sensor_type, int offset) const {
  const bool specific = reading_type == code::kSpecific;
  const auto& from = specific ? types_ : readings_;
  const auto entry = from.find(specific ? sensor_type : reading_type);
  if (entry == from.end() || offset < 0 ||
      static_cast<size_t>(offset) >= entry->second.states.size())
    return nullptr;
  return &entry->second.states[static_cast<size_t>(offset)];
}

State Meaning::of(int reading_type, int sensor_type, int offset) const {
  if (const State* state = find(reading_type, sensor_type, offset)) return *state;
  return {Verdict::nominal, "", "state " + std::to_string(offset), true};
}

bool Meaning::knows(int reading_type, int sensor_type, int offset) const {
  const State* state = find(reading_type, sensor_type, offset);
  return state && state->verdict != Verdict::reserved;
}

std::string Meaning::type_name(int sensor_type) const {
  if (const auto entry = types_.find(sensor_type); entry != types_.end()) return entry->second.name;
  char text[16];
  snprintf(text, sizeof text, "type 0x%02x", static_cast<unsigned>(sensor_type & 0xFF));
  return text;
}

}  // namespace fmd::ipmi
