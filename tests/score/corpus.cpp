#include "corpus.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "fmd/base/sha256.h"
#include "fmd/base/text.h"
#include "fmd/base/toml.h"

namespace fmd::score {
namespace {

constexpr int64_t kMostCount = 10'000;

using Range = std::optional<std::pair<int64_t, int64_t>>;

std::vector<std::string> shape_names() {
  std::vector<std::string> out;
  for (const ShapeSpec& shape : shapes()) out.push_back(shape.name);
  return out;
}

std::vector<std::string> generator_names() {
  std::vector<std::string> out;
  for (const Generator& generator : generators()) out.push_back(generator.name);
  return out;
}

// "7", "\"5s\"", or the bounds of a random value: "[2, 30]", "[\"0s\", \"30s\"]".
Range range(TomlReader& reader, const char* key, bool times) {
  const TomlNode* node = reader.any(key);
  if (!node) return {};
  const auto one = [&](const TomlNode& n) -> std::optional<int64_t> {
    if (const auto* text = std::get_if<std::string>(&n.value); times && text)
      if (const auto ns = parse_duration(*text)) return *ns;
    if (const auto* number = std::get_if<int64_t>(&n.value);
        number && !times && *number >= 0 && *number <= kMostCount)
      return *number;
    return {};
  };
  const bool two = node->kind == TomlNode::Kind::array && node->items.size() == 2;
  const auto low = one(two ? node->items[0] : *node), high = one(two ? node->items[1] : *node);
  if (low && high && *low <= *high) return {{*low, *high}};
  reader.error(node->line,
               fmt::format("\"{}\" must be {}, or two of them, the lower first", key,
                           times ? "a time such as \"30s\""
                                 : fmt::format("a whole number from 0 to {}", kMostCount)));
  return {};
}

class Reading {
 public:
  Reading(const SourceFile& file, const std::vector<std::string>& classes,
          std::vector<Error>& errors)
      : file_(file.name), classes_(classes), errors_(errors) {}

  std::vector<Scenario> all(const TomlNode& root) {
    TomlReader reader(root, "", file_, errors_);
    Scenario base;
    base.family = reader.required_text("family");
    base.file = file_;
    if (const TomlNode* every = reader.table("every")) {
      TomlReader r(*every, "every", file_, errors_);
      take(r, base);
      r.finish();
    }
    std::vector<Scenario> out;
    if (const TomlNode* scenarios = reader.array_of_tables("scenario"))
      for (const TomlNode& node : scenarios->items) out.push_back(one(node, base));
    reader.finish();
    return out;
  }

 private:
  Scenario one(const TomlNode& node, Scenario s) {
    const TomlNode* label = node.find("label");
    const auto* text = label ? std::get_if<std::string>(&label->value) : nullptr;
    TomlReader reader(node, fmt::format("scenario \"{}\"", text ? *text : ""), file_, errors_);
    s.label = reader.required_text("label");
    s.line = node.line;
    const size_t before = errors_.size();
    take(reader, s);
    reader.finish();
    if (errors_.size() == before) hold_together(reader, s);
    return s;
  }

  // Also applies the file's [every] to each scenario.
  void take(TomlReader& reader, Scenario& s) {
    if (const auto name = reader.word("shape", shape_names()))
      for (const ShapeSpec& shape : shapes())
        if (shape.name == *name) s.shape = &shape;
    if (const auto name = reader.word("generator", generator_names()))
      for (const Generator& generator : generators())
        if (generator.name == *name && s.generator != &generator) {
          s.generator = &generator;
          s.knobs = generator.knobs;
        }
    take_numbers(reader, s);
    take_truths(reader, s);
    take_wishes(reader, "must", "within", s, s.must);
    take_wishes(reader, "may", nullptr, s, s.may);
    take_wishes(reader, "must_not", "before", s, s.must_not);
    if (const auto quiet = reader.boolean("quiet")) s.quiet = *quiet;
    take_meanwhile(reader, s.meanwhile);
    if (const auto wrong = reader.text("wrong")) s.wrong = *wrong;
  }

  void take_numbers(TomlReader& reader, Scenario& s) {
    const TomlNode* table = reader.table("with");
    if (!table || !s.generator) return;
    TomlReader r(*table, fmt::format("generator \"{}\"", s.generator->name), file_, errors_);
    for (Knob& knob : s.knobs) {
      if (knob.kind == Knob::Kind::word) {
        if (const auto word = r.word(knob.name, knob.words)) knob.word = *word;
      } else if (const Range drawn = range(r, knob.name.c_str(), knob.kind == Knob::Kind::time)) {
        std::tie(knob.low, knob.high) = *drawn;
      }
    }
    r.finish();
  }

  void take_truths(TomlReader& reader, Scenario& s) {
    const TomlNode* node = reader.array_of_tables("truth");
    if (!node) return;
    s.truths.clear();
    for (const TomlNode& one : node->items) {
      TomlReader r(one, "truth", file_, errors_);
      Truth truth{role(r, "part", s), {}, 0};
      for (const std::string& name : r.texts("class")) {
        if (std::find(classes_.begin(), classes_.end(), name) == classes_.end())
          r.error(r.line_of("class"), fmt::format("no rule concludes the fault \"{}\"{}", name,
                                                  suggest(name, classes_)));
        truth.classes.insert(name);
      }
      if (truth.classes.empty()) r.error(one.line, "\"class\" is missing");
      if (const auto within = r.duration("within"))
        truth.within = *within;
      else if (!r.has("within"))
        r.error(one.line, "\"within\" is missing");
      r.finish();
      s.truths.push_back(std::move(truth));
    }
  }

  std::string role(TomlReader& r, const char* key, const Scenario& s) {
    if (!s.generator) return r.text(key).value_or("");
    return r.word(key, s.generator->roles).value_or("");
  }

  // { retire = "disk", light = "disk", within = "2min" }
  void take_wishes(TomlReader& reader, const char* key, const char* time, const Scenario& s,
                   std::vector<Wish>& wishes) {
    const TomlNode* node = reader.table(key);
    if (!node) return;
    wishes.clear();
    TomlReader r(*node, key, file_, errors_);
    std::optional<int64_t> when;
    if (time) when = r.duration(time);
    if (key == std::string("must") && !r.has("within"))
      r.error(node->line, "\"within\" is missing");
    for (const Deed deed : kDeeds)
      if (r.has(deed_name(deed))) wishes.push_back({deed, role(r, deed_name(deed), s), when});
    r.finish();
  }

  void take_meanwhile(TomlReader& reader, Meanwhile& m) {
    const TomlNode* node = reader.table("meanwhile");
    if (!node) return;
    TomlReader r(*node, "meanwhile", file_, errors_);
    const std::map<std::string, Teller> tellers = {
        {"disk", Teller::disk}, {"system", Teller::system}, {"enclosure", Teller::enclosure},
        {"zfs", Teller::zfs},   {"smart", Teller::smart},   {"cpu", Teller::cpu},
        {"ipmi", Teller::ipmi}};
    for (const std::string& name : r.texts("silent")) {
      if (const auto teller = tellers.find(name); teller != tellers.end())
        m.silent.insert(teller->second);
      else
        r.error(r.line_of("silent"), fmt::format("no plugin here is called \"{}\"", name));
    }
    if (const Range x = range(r, "from", true)) std::tie(m.from_low, m.from_high) = *x;
    if (const Range x = range(r, "lasts", true)) std::tie(m.lasts_low, m.lasts_high) = *x;
    if (const Range x = range(r, "clock", true)) std::tie(m.clock_low, m.clock_high) = *x;
    if (const Range x = range(r, "noise", false)) {
      m.noise_low = static_cast<int>(x->first);
      m.noise_high = static_cast<int>(x->second);
    }
    if (m.silent.empty() != (m.lasts_high == 0))
      r.error(node->line, "\"silent\" and \"lasts\" go together");
    r.finish();
  }

  void hold_together(TomlReader& reader, const Scenario& s) {
    const auto wrong = [&](std::string what) { reader.error(s.line, std::move(what)); };
    if (!s.shape) return wrong("\"shape\" is missing");
    if (!s.generator) return wrong("\"generator\" is missing");
    if (!s.generator->fits(Host(*s.shape)))
      wrong(fmt::format("\"{}\" cannot happen on the shape \"{}\"", s.generator->name,
                        s.shape->name));
    if (s.quiet == !s.truths.empty())
      wrong("say what is broken (\"truth\"), or that nobody is to be told (\"quiet = true\")");
    for (const Wish& never : s.must_not)
      for (const auto* others : {&s.must, &s.may})
        for (const Wish& other : *others)
          if (!never.time && other.deed == never.deed && other.role == never.role)
            wrong(fmt::format("\"must_not\" forbids what else is allowed: {} of \"{}\"",
                              deed_name(never.deed), never.role));
  }

  std::string file_;
  const std::vector<std::string>& classes_;
  std::vector<Error>& errors_;
};

}  // namespace

const char* deed_name(Deed deed) {
  switch (deed) {
    case Deed::retire:
      return "retire";
    case Deed::spare:
      return "spare";
    case Deed::light:
      return "light";
  }
  return "";
}

std::pair<std::vector<Scenario>, std::vector<Error>> read_corpus(
    std::vector<SourceFile> files, const std::vector<std::string>& classes) {
  std::sort(files.begin(), files.end(),
            [](const SourceFile& a, const SourceFile& b) { return a.name < b.name; });
  std::vector<Scenario> all;
  std::vector<Error> errors;
  std::map<std::string, const Scenario*> labels;
  for (const SourceFile& file : files) {
    const auto root = parse_toml(file.name, file.text);
    if (!root) {
      errors.push_back(root.error());
      continue;
    }
    for (Scenario& s : Reading(file, classes, errors).all(*root)) all.push_back(std::move(s));
  }
  for (const Scenario& s : all)
    if (const auto [at, fresh] = labels.emplace(s.label, &s); !fresh)
      errors.push_back({fmt::format("the label \"{}\" is taken by {}:{}", s.label, at->second->file,
                                    at->second->line),
                        s.file, s.line});
  return {std::move(all), std::move(errors)};
}

uint64_t seed_of(const std::string& label) {
  uint64_t seed = 0;
  const Sha256 hash = sha256(label);
  for (size_t i = 0; i < sizeof seed; ++i) seed = seed << 8 | hash[i];
  return seed;
}

}  // namespace fmd::score
