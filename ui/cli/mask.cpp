#include "ui/cli/mask.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>

#include "fmd/base/json.h"
#include "fmd/model/fmri.h"

namespace fmd::cli {
namespace {

using nlohmann::json;

constexpr size_t kShortest = 4;  // shorter texts occur inside other words
constexpr size_t kUnlikely = 8;  // shorter texts may match by chance, such as "sdb1"
constexpr std::array kFmriKeys{"wwn",  "serial", "chassis", "system", "pool",
                               "vdev", "uuid",   "fsid",    "mac",    "disk"};

bool is_wordy(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0;
}

char lower(char c) {
  return static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
}

// True for properties and event members that identify a part: "board_serial", "vdev_guid",
// "chassis_id".
bool tells_of_one(std::string_view name) {
  constexpr std::array kWhole{"wwn", "id", "chassis_id", "mac", "asset_tag", "nguid", "eui64"};
  constexpr std::array kEnds{"serial", "uuid", "guid", "wwn", "_sn"};
  return std::find(kWhole.begin(), kWhole.end(), name) != kWhole.end() ||
         std::any_of(kEnds.begin(), kEnds.end(),
                     [name](std::string_view end) { return name.ends_with(end); });
}

bool is_among(std::string_view name, std::initializer_list<std::string_view> names) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

// Members that contain a name given by a person, alone or with other words.
bool has_names(std::string_view member) {
  return is_among(member, {"pool", "name", "label", "path", "vdev_path", "parent_path",
                           "state_record", "device", "operation", "volume"});
}

// Names of files are private, and so are lists of volumes.
bool lists_files(std::string_view member) {
  return is_among(member, {"damaged", "files", "volumes_missing"});
}

bool begins_with(std::string_view text, std::string_view secret) {
  return text.size() >= secret.size() &&
         std::equal(secret.begin(), secret.end(), text.begin(),
                    [](char a, char b) { return lower(a) == lower(b); });
}

// The first letters as a number, in lower case: the hash key for finding secrets in a text.
uint32_t beginning(std::string_view text) {
  uint32_t word = 0;
  for (size_t i = 0; i < kShortest; ++i)
    word = word << 8 | static_cast<unsigned char>(lower(text[i]));
  return word;
}

}  // namespace

void Mask::learn_serial(const std::string& serial) {
  std::string word = serial;
  const auto blank = [](char c) { return c == ' '; };  // SCSI INQUIRY pads with blanks
  word.erase(word.begin(), std::find_if_not(word.begin(), word.end(), blank));
  word.erase(std::find_if_not(word.rbegin(), word.rend(), blank).base(), word.end());
  if (word.starts_with("0x")) word.erase(0, 2);
  // A short value without a digit is a word ("None", "host").
  const bool is_word = word.size() < kUnlikely && word.find_first_of("0123456789") == word.npos;
  if (word.size() >= kShortest && !is_word) secrets_.insert(std::move(word));
}

void Mask::learn_fmri(std::string_view fmri) {
  const auto parsed = Fmri::parse(fmri);
  if (!parsed) return;
  for (const char* key : kFmriKeys) {
    const std::string value = parsed->get(key);
    // A disk without a WWN is identified by MODEL:SERIAL.
    const size_t colon = value.rfind(':');
    const bool model_first = colon != value.npos &&
                             (key == std::string_view("serial") || key == std::string_view("disk"));
    learn_serial(model_first ? value.substr(colon + 1) : value);
  }
  // device-mapper's names: "mpath-WWN" and "LVM-UUIDs".
  if (const std::string id = parsed->get("uuid"); id.find('-') != id.npos)
    learn_serial(id.substr(id.find('-') + 1));
}

void Mask::learn(const Resource& part) {
  learn_fmri(part.fmri);
  for (const auto& [name, value] : part.properties)
    if (tells_of_one(name)) learn_serial(to_text(value));
  for (const Edge& edge : part.edges) learn_fmri(edge.to);
  if (part.type == "system") learn_host(part.get("name"));
  if (is_among(part.type, {"zfs-pool", "lvm-volume", "lvm-group", "btrfs", "filesystem"}))
    learn_name(part.get("name"));
  if (part.type == "md-array") learn_name(part.get("label"));
  if (part.type == "lvm-volume")
    for (const char* name : {"path", "volume"}) learn_name(part.get(name));
  if (part.is("vdev_type", "file"))
    for (const char* name : {"path", "name"}) learn_name(part.get(name));
  learn_name(part.get("pool"));
  if (part.type != "filesystem") return;
  std::string disks = part.get("disks");
  for (size_t comma; !disks.empty(); disks.erase(0, comma == disks.npos ? comma : comma + 1)) {
    comma = disks.find(',');
    learn_serial(disks.substr(0, comma));
  }
}

void Mask::learn_event(const json& event) {
  if (const auto resource = event.find("resource");
      resource != event.end() && resource->is_string())
    learn_fmri(resource->get<std::string>());
  const auto payload = event.find("payload");
  if (payload == event.end() || !payload->is_object()) return;
  const bool of_file = payload->value("vdev_type", json()) == "file";
  for (const auto& [name, value] : payload->items()) {
    if (value.is_string() && (name == "pool" || (name == "vdev_path" && of_file)))
      learn_name(value.get<std::string>());
    if (!value.is_string() && !value.is_number_integer()) continue;
    const std::string text = value.is_string() ? value.get<std::string>() : value.dump();
    if (tells_of_one(name) && text != "0") learn_serial(text);
    if (text.find("://") != text.npos) learn_fmri(text);
  }
}

// A mount point is known by its whole path; "/" and empty names are not secret.
void Mask::learn_name(const std::string& name) {
  if (name.size() > 1 || (!name.empty() && name != "/" && name != "-")) names_[name];
}

void Mask::learn_host(const std::string& name) {
  if (name != "-" && name.size() > 1) host_ = name;
}

void Mask::learn_config(const json& config) {
  const json host = config.value("host", json::object());
  if (host.is_object()) learn_host(host.value("name", std::string()));
}

void Mask::settle() {
  words_.clear();
  size_t number = 0;
  for (const std::string& secret : secrets_) {
    if (secret == host_) continue;
    // GUIDs of pools and vdevs are numbers, so their masks must be numbers as well.
    const bool digits = secret.find_first_not_of("0123456789") == std::string::npos;
    add(secret,
        digits ? std::to_string(900000000 + ++number) : fmt::format("MASKED{:04}", ++number),
        secret.size() < kUnlikely);
  }
  size_t named = 0;
  for (auto& [name, shown] : names_)
    shown = fmt::format("{}masked-{}", name.starts_with('/') ? "/" : "", ++named);
  if (host_.size() >= kShortest) add(host_, "masked-host", true);
  if (const size_t dot = std::min(host_.find('.'), host_.size());
      dot >= kShortest && dot < host_.size())
    add(host_.substr(0, dot), "masked-host", true);
  for (auto& [start, words] : words_)
    std::stable_sort(words.begin(), words.end(), [](const Word& a, const Word& b) {
      return a.secret.size() > b.secret.size();
    });
}

void Mask::add(const std::string& secret, const std::string& shown, bool alone) {
  words_[beginning(secret)].push_back({secret, shown, alone});
  // FMRIs may contain it escaped with %XX.
  const std::string escaped = make_fmri("x", {{"y", secret}}).substr(6);
  if (escaped != secret) words_[beginning(escaped)].push_back({escaped, shown, alone});
}

// The fixed terms of the telemetry are not secret.
json Mask::hide(json doc) const {
  constexpr std::array kOurs{"class",    "method",   "plugin", "type",
                             "relation", "severity", "version"};
  if (words_.empty() && names_.empty()) return doc;
  if (doc.is_object()) {
    for (auto& [name, value] : doc.items()) {
      if (std::find(kOurs.begin(), kOurs.end(), name) != kOurs.end()) continue;
      if (value.is_string() && has_names(name))
        value = hide_names(value.get_ref<const std::string&>());
      if (value.is_string() && lists_files(name) && value != "") value = "(masked)";
      value = hide(std::move(value));
    }
  } else if (doc.is_array()) {
    for (json& one : doc) one = hide(std::move(one));
  } else if (doc.is_string()) {
    doc = hide_in(doc.get_ref<const std::string&>());
  } else if (doc.is_number_integer()) {
    const std::string digits = doc.dump();
    const Word* word = digits.size() >= kUnlikely ? found_at(digits, 0) : nullptr;
    if (word && word->secret.size() == digits.size()) return json::parse(word->shown);
  }
  return doc;
}

const Mask::Word* Mask::found_at(std::string_view text, size_t at) const {
  const std::string_view rest = text.substr(at);
  const auto words = rest.size() < kShortest ? words_.end() : words_.find(beginning(rest));
  if (words == words_.end()) return nullptr;
  for (const Word& word : words->second) {
    if (!begins_with(rest, word.secret)) continue;
    const bool part_of_a_word =
        (at > 0 && is_wordy(text[at - 1])) ||
        (word.secret.size() < rest.size() && is_wordy(rest[word.secret.size()]));
    if (!part_of_a_word || !word.alone) return &word;
  }
  return nullptr;
}

// The whole text, or each word; of a data set or a file below it, the part before the first slash.
std::string Mask::hide_names(std::string_view text) const {
  if (const auto whole = names_.find(text); whole != names_.end()) return whole->second;
  std::string out;
  while (!text.empty()) {
    const size_t end = std::min(text.find(' '), text.size());
    const std::string_view word = text.substr(0, end);
    const size_t slash = std::min(word.find('/', 1), word.size());
    const auto known = names_.find(word);
    const auto above = names_.find(word.substr(0, slash));
    if (known != names_.end())
      out += known->second;
    else if (above != names_.end() && slash < word.size())
      out += above->second + "/masked";
    else
      out += word;
    if (end < text.size()) out += ' ';
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return out;
}

std::string Mask::hide_in(std::string_view text) const {
  std::string out;
  for (size_t at = 0; at < text.size();) {
    const Word* word = found_at(text, at);
    if (word)
      out += word->shown;
    else
      out += text[at];
    at += word ? word->secret.size() : 1;
  }
  return out;
}

}  // namespace fmd::cli
