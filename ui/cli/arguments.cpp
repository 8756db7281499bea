#include "ui/cli/arguments.h"

#include <algorithm>
#include <cctype>

#include "fmd/base/json.h"
#include "fmd/base/json_value.h"
#include "fmd/base/lower_case.h"
#include "ui/cli/commands.h"
#include "ui/cli/layout.h"

namespace fmd::cli {

bool is_id_prefix(std::string_view text) {
  constexpr std::string_view form = "xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx";
  constexpr size_t kLeast = 4;
  if (text.size() < kLeast || text.size() > form.size()) return false;
  return std::equal(text.begin(), text.end(), form.begin(), [](char c, char f) {
    return f == '-' ? c == '-' : isxdigit(static_cast<unsigned char>(c)) != 0;
  });
}

namespace {

// The ids of all cases with this prefix. An older fmd rejects the filter, so all cases are fetched.
Result<std::vector<std::string>> ids_with(Client& client, const std::string& prefix) {
  auto docs =
      client.query("ListCases", {{"all", true}, {"summary", true}, {"uuid_prefix", prefix}});
  if (!docs && !client.away()) docs = client.query("ListCases", {{"all", true}});
  if (!docs) return tl::unexpected(docs.error());
  std::vector<std::string> found;
  for (const nlohmann::json& doc : *docs)
    if (std::string uuid = fmd::json_text(doc, "uuid"); uuid.starts_with(prefix))
      found.push_back(std::move(uuid));
  return found;
}

}  // namespace

Result<std::string> case_id(Client& client, const std::string& given) {
  if (is_uuid(given)) return given;
  const std::string all = "; all of them: fmadm faulty -a -s";
  if (!is_id_prefix(given))
    return fail("\"" + clean(given) +
                "\" is not a case id, nor the first four or more characters of one" + all);
  const auto found = ids_with(client, lower_case(given));
  if (!found) return tl::unexpected(found.error());
  if (found->size() == 1) return found->front();
  if (found->empty()) return fail("There is no case " + clean(given) + all);
  std::string names;
  for (const std::string& uuid : *found) names += (names.empty() ? "" : ", ") + clean(uuid);
  return fail("Several cases begin with " + clean(given) + ": " + names);
}

std::vector<std::string> parts_meant(const Inventory& inventory,
                                     const std::vector<std::string>& words) {
  std::vector<std::string> parts;
  for (size_t at = 0; at < words.size();) {
    size_t taken = 1;
    for (size_t count = words.size() - at; count > 1; --count) {
      const std::vector<std::string> some(words.begin() + static_cast<ptrdiff_t>(at),
                                          words.begin() + static_cast<ptrdiff_t>(at + count));
      if (inventory.lookup(joined(some)).empty()) continue;
      taken = count;
      break;
    }
    parts.push_back(joined({words.begin() + static_cast<ptrdiff_t>(at),
                            words.begin() + static_cast<ptrdiff_t>(at + taken)}));
    at += taken;
  }
  return parts;
}

std::string joined(const std::vector<std::string>& words) {
  std::string all;
  for (const std::string& word : words) all += (all.empty() ? "" : " ") + word;
  return all;
}

std::string quoted(const std::string& word) {
  return word.find(' ') == std::string::npos ? word : "\"" + word + "\"";
}

}  // namespace fmd::cli
