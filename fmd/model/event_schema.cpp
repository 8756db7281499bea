#include "fmd/model/event_schema.h"

#include <fmt/format.h>

#include <algorithm>

#include "fmd/base/text.h"
#include "fmd/base/toml.h"

namespace fmd {
namespace {

const std::vector<std::pair<std::string, MemberType>> kTypes{
    {"bool", MemberType::boolean},  {"i64", MemberType::i64},       {"u64", MemberType::u64},
    {"f64", MemberType::f64},       {"string", MemberType::string}, {"array", MemberType::array},
    {"object", MemberType::object}, {"any", MemberType::any}};

std::vector<std::string> type_names() {
  std::vector<std::string> names;
  for (const auto& [name, type] : kTypes) names.push_back(name);
  return names;
}

std::string_view type_name(MemberType type) {
  for (const auto& [name, t] : kTypes)
    if (t == type) return name;
  return "";
}

bool fits(MemberType type, ValueKind kind) {
  switch (type) {
    case MemberType::boolean:
      return kind == ValueKind::boolean;
    case MemberType::i64:
      return kind == ValueKind::negative || kind == ValueKind::natural;
    case MemberType::u64:
      return kind == ValueKind::natural || kind == ValueKind::large;
    case MemberType::f64:
      return kind >= ValueKind::negative && kind <= ValueKind::real;
    case MemberType::string:
      return kind == ValueKind::string;
    case MemberType::any:
      return true;
    case MemberType::array:
    case MemberType::object:
      return kind == ValueKind::compound;
  }
  return false;
}

uint8_t kinds_of(MemberType type) {
  uint8_t kinds = 0;
  for (uint8_t kind = 0; kEveryKind >> kind & 1; ++kind)
    if (fits(type, static_cast<ValueKind>(kind))) kinds |= static_cast<uint8_t>(1 << kind);
  return kinds;
}

constexpr size_t kShapes = 4, kMostNames = 256;

const EventClass::Shape* shape_of(const EventClass& c, const GivenMembers& given) {
  for (const EventClass::Shape& shape : c.shapes) {
    const bool same =
        std::equal(shape.names.begin(), shape.names.end(), given.begin(), given.end(),
                   [](const Interned& name, const auto& member) {
                     // A caller that expected this shape uses these names.
                     return name.str().data() == member.first.data() || name == member.first;
                   });
    if (same) return &shape;
  }
  return nullptr;
}

// A shape with all that is required; good so far. Its names are compared with JSON text: none that
// would look otherwise there.
void remember(const EventClass& c, const GivenMembers& given) {
  if (given.size() > kMostNames) return;
  const auto is_escaped = [](char byte) {
    return byte == '"' || byte == '\\' || static_cast<unsigned char>(byte) < 0x20;
  };
  for (const auto& [name, kind] : given)
    if (std::any_of(name.begin(), name.end(), is_escaped)) return;
  EventClass::Shape shape;
  for (const auto& [name, kind] : given) {
    const auto at = std::find_if(c.members.begin(), c.members.end(),
                                 [&](const EventClass::Member& m) { return m.name == name; });
    shape.names.emplace_back(name);
    shape.keys.push_back(fmt::format("\"{}\":", name));
    shape.kinds.push_back(at == c.members.end() ? kEveryKind : kinds_of(at->type));
  }
  if (c.shapes.size() < kShapes) return c.shapes.push_back(std::move(shape));
  c.shapes[c.next_shape++ % kShapes] = std::move(shape);
}

bool fits(const EventClass::Shape& shape, const GivenMembers& given) {
  for (size_t i = 0; i < given.size(); ++i)
    if (!shape.fits(i, given[i].second)) return false;
  return true;
}

// Parts of a-z 0-9 _ - with dots between; "*" only as the last part.
bool is_class_name(std::string_view name) {
  if (name.ends_with(".*")) name.remove_suffix(2);
  bool part_begins = true;
  for (const char c : name) {
    if (c == '.') {
      if (part_begins) return false;
      part_begins = true;
      continue;
    }
    const bool plain = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
    if (!plain) return false;
    part_begins = false;
  }
  return !part_begins && name.find('.') != std::string_view::npos;
}

// Reads one file: [group.NAME] tables of members, [class."NAME"] and [resource.TYPE] tables.
class SchemaFile {
 public:
  SchemaFile(const SourceFile& file, std::map<std::string, EventClass, std::less<>>& classes,
             Vocabulary& vocabulary, std::vector<Error>& errors)
      : file_(file), classes_(classes), vocabulary_(vocabulary), errors_(errors) {}

  void load() {
    const Result<TomlNode> root = parse_toml(file_.name, file_.text);
    if (!root) {
      errors_.push_back(root.error());
      return;
    }
    TomlReader reader(*root, "", file_.name, errors_);
    if (const TomlNode* groups = reader.table("group"))
      for (const auto& [name, node] : groups->members)
        groups_[name] = members(node, fmt::format("group \"{}\"", display(name)));
    if (const TomlNode* classes = reader.table("class"))
      for (const auto& [name, node] : classes->members) load_class(name, node);
    if (const TomlNode* types = reader.table("resource"))
      for (const auto& [name, node] : types->members) load_type(name, node);
    reader.finish();
  }

 private:
  void load_type(const std::string& name, const TomlNode& node) {
    const std::string where = fmt::format("resource \"{}\"", display(name));
    if (node.kind != TomlNode::Kind::table) {
      errors_.push_back({where + " must be a table", file_.name, node.line});
      return;
    }
    TomlReader reader(node, where, file_.name, errors_);
    if (!reader.has("properties")) reader.error(node.line, "\"properties\" is missing");
    vocabulary_.add(name, reader.texts("properties"));
    // The keys of owners are read at build time (owners.h). In any other file they are unknown keys.
    if (file_.name.ends_with("resources.toml"))
      for (const char* key :
           {"fmri", "owners", "fills", "own_edges", "only", "named", "retires", "acts", "open"})
        reader.any(key);
    reader.finish();
  }

  void load_class(const std::string& name, const TomlNode& node) {
    const std::string where = fmt::format("class \"{}\"", display(name));
    if (node.kind != TomlNode::Kind::table) {
      errors_.push_back({where + " must be a table", file_.name, node.line});
      return;
    }
    TomlReader reader(node, where, file_.name, errors_);
    EventClass c;
    c.name = name;
    c.description = reader.required_text("description");
    for (const std::string& group : reader.texts("groups")) add_group(c, group, reader);
    if (const TomlNode* table = reader.table("members"))
      for (EventClass::Member& m : members(*table, where)) add(c, std::move(m));
    reader.finish();
    if (!is_class_name(name))
      reader.error(node.line,
                   "a class is lower case words with dots between, such as "
                   "\"ereport.fs.zfs.io\", and may end in \".*\"");
    else if (!classes_.emplace(name, std::move(c)).second)
      reader.error(node.line, "this class is declared already");
  }

  void add_group(EventClass& c, const std::string& group, TomlReader& reader) {
    const auto found = groups_.find(group);
    if (found == groups_.end()) {
      std::vector<std::string> names;
      for (const auto& [name, list] : groups_) names.push_back(name);
      reader.error(reader.line_of("groups"),
                   fmt::format("unknown group \"{}\"{}", display(group), suggest(group, names)));
      return;
    }
    for (const EventClass::Member& m : found->second) add(c, m);
  }

  static void add(EventClass& c, EventClass::Member member) {
    const auto at = std::find_if(c.members.begin(), c.members.end(),
                                 [&](const auto& m) { return m.name == member.name; });
    if (at == c.members.end())
      c.members.push_back(std::move(member));
    else
      *at = std::move(member);  // a class may tighten what its group says
  }

  std::vector<EventClass::Member> members(const TomlNode& table, const std::string& where) {
    std::vector<EventClass::Member> out;
    for (const auto& [name, node] : table.members) {
      const auto* written = std::get_if<std::string>(&node.value);
      std::string_view type = written ? std::string_view(*written) : "";
      const bool optional = type.ends_with('?');
      if (optional) type.remove_suffix(1);
      const auto at = std::find_if(kTypes.begin(), kTypes.end(),
                                   [&](const auto& entry) { return entry.first == type; });
      if (at != kTypes.end()) {
        out.push_back({name, at->second, !optional});
        continue;
      }
      errors_.push_back({fmt::format("{}: member \"{}\" has the unknown type \"{}\"{}", where,
                                     display(name), display(type), suggest(type, type_names())),
                         file_.name, node.line});
    }
    return out;
  }

  const SourceFile& file_;
  std::map<std::string, EventClass, std::less<>>& classes_;
  Vocabulary& vocabulary_;
  std::vector<Error>& errors_;
  std::map<std::string, std::vector<EventClass::Member>> groups_;
};

}  // namespace

ValueKind kind_of(const Value& value) {
  if (std::holds_alternative<bool>(value)) return ValueKind::boolean;
  if (const auto* i = std::get_if<int64_t>(&value))
    return *i < 0 ? ValueKind::negative : ValueKind::natural;
  if (const auto* u = std::get_if<uint64_t>(&value))
    return *u > INT64_MAX ? ValueKind::large : ValueKind::natural;
  if (std::holds_alternative<double>(value)) return ValueKind::real;
  if (std::holds_alternative<std::string>(value)) return ValueKind::string;
  return ValueKind::compound;
}

bool class_matches(std::string_view pattern, std::string_view event_class) {
  if (!pattern.ends_with(".*")) return pattern == event_class;
  return event_class.size() > pattern.size() - 1 &&
         event_class.starts_with(pattern.substr(0, pattern.size() - 1));
}

std::pair<EventSchema, std::vector<Error>> EventSchema::load(const std::vector<SourceFile>& files) {
  EventSchema schema;
  std::vector<Error> errors;
  for (const SourceFile& file : files)
    SchemaFile(file, schema.classes_, schema.vocabulary_, errors).load();
  std::stable_sort(errors.begin(), errors.end(), [](const Error& a, const Error& b) {
    return a.file == b.file && a.line < b.line;
  });
  return {std::move(schema), std::move(errors)};
}

const EventClass* EventSchema::find(std::string_view event_class) const {
  if (const auto at = classes_.find(event_class); at != classes_.end()) return &at->second;
  for (size_t dot = event_class.rfind('.'); dot != std::string_view::npos && dot > 0;
       dot = event_class.rfind('.', dot - 1)) {
    const std::string pattern = std::string(event_class.substr(0, dot)) + ".*";
    if (const auto at = classes_.find(pattern); at != classes_.end()) return &at->second;
  }
  return nullptr;
}

Result<void> EventSchema::check(const Event& event) const {
  GivenMembers given;
  given.reserve(event.payload.members().size());
  for (const auto& [name, value] : event.payload.members())
    given.emplace_back(name, kind_of(value));
  return check(event.event_class, given);
}

Result<void> EventSchema::check(std::string_view event_class, const GivenMembers& given) const {
  const EventClass* c = find(event_class);
  if (!c)
    return fail(
        fmt::format("unknown class \"{}\"{}", display(event_class), suggest(event_class, names())));
  const EventClass::Shape* known = shape_of(*c, given);
  if (known && fits(*known, given)) return {};
  // Sources keep the declared order mostly: the search goes on where the last one ended.
  size_t at = 0;
  for (const EventClass::Member& member : c->members) {
    size_t looked = 0;
    for (; looked < given.size() && given[at].first != member.name; ++looked)
      at = at + 1 < given.size() ? at + 1 : 0;
    if (looked == given.size()) {
      if (!member.required) continue;
      return fail(fmt::format("{}: the member \"{}\" ({}) is missing", event_class, member.name,
                              type_name(member.type)));
    }
    if (!fits(member.type, given[at].second))
      return fail(fmt::format("{}: the member \"{}\" must be of type {}", event_class, member.name,
                              type_name(member.type)));
    at = at + 1 < given.size() ? at + 1 : 0;
  }
  if (!known) remember(*c, given);
  return {};
}

std::vector<std::string> EventSchema::names() const {
  std::vector<std::string> out;
  out.reserve(classes_.size());
  for (const auto& [name, c] : classes_) out.push_back(name);
  return out;
}

Result<std::vector<const EventClass*>> EventSchema::matching(std::string_view pattern) const {
  std::vector<const EventClass*> out;
  for (const auto& [name, c] : classes_)
    if (name == pattern || class_matches(pattern, name)) out.push_back(&c);
  if (out.empty())
    return fail(
        fmt::format("unknown event class \"{}\"{}", display(pattern), suggest(pattern, names())));
  return out;
}

}  // namespace fmd
