#include "fmd/bus/objects.h"

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <optional>
#include <vector>

#include "fmd/bus/authorizer.h"
#include "fmd/bus/private_ids.h"

namespace fmd::bus {
namespace {

constexpr std::string_view kCasePrefix = "/org/fmd/FaultManager1/case";
constexpr std::string_view kResourcePrefix = "/org/fmd/FaultManager1/resource";

using CString = std::unique_ptr<char, decltype(&free)>;

const Engine& engine_of(void* userdata) {
  return *static_cast<const Engine*>(userdata);
}

int append_text(sd_bus_message* reply, std::string_view raw) {
  return sd_bus_message_append(reply, "s", wire_text(raw).c_str());
}

// ---- cases -------------------------------------------------------------------------------------

template <auto Member>
int get_case_text(sd_bus*, const char*, const char*, const char*, sd_bus_message* reply, void* data,
                  sd_bus_error*) {
  return append_text(reply, static_cast<const Case*>(data)->*Member);
}

template <auto Member>
int get_case_time(sd_bus*, const char*, const char*, const char*, sd_bus_message* reply, void* data,
                  sd_bus_error*) {
  return sd_bus_message_append(reply, "x", static_cast<const Case*>(data)->*Member);
}

int get_case_state(sd_bus*, const char*, const char*, const char*, sd_bus_message* reply,
                   void* data, sd_bus_error*) {
  return append_text(reply, state_name(static_cast<const Case*>(data)->state));
}

int get_case_acknowledged(sd_bus*, const char*, const char*, const char*, sd_bus_message* reply,
                          void* data, sd_bus_error*) {
  return sd_bus_message_append(reply, "b", static_cast<const Case*>(data)->acknowledged ? 1 : 0);
}

int get_case_description(sd_bus*, const char*, const char*, const char*, sd_bus_message* reply,
                         void* data, sd_bus_error*) {
  const auto& c = *static_cast<const Case*>(data);
  return append_text(reply, PrivateIds::of(c).taken_out_of(c.description));
}

int append_suspect(sd_bus_message* reply, const Suspect& suspect, const PrivateIds& ids) {
  const std::string serial = ids.taken_out_of(suspect.serial);
  int r = sd_bus_message_open_container(reply, 'r', "sussssss");
  if (r >= 0) r = append_text(reply, suspect.fault_class);
  if (r >= 0) r = sd_bus_message_append(reply, "u", static_cast<uint32_t>(suspect.certainty));
  for (std::string_view text : {status_name(suspect.status), std::string_view(suspect.resource),
                                std::string_view(suspect.asru), std::string_view(suspect.fru_path),
                                std::string_view(suspect.location), std::string_view(serial)})
    if (r >= 0) r = append_text(reply, text);
  return r < 0 ? r : sd_bus_message_close_container(reply);
}

int get_case_suspects(sd_bus*, const char*, const char*, const char*, sd_bus_message* reply,
                      void* data, sd_bus_error*) {
  int r = sd_bus_message_open_container(reply, 'a', "(sussssss)");
  const auto& c = *static_cast<const Case*>(data);
  const PrivateIds ids = PrivateIds::of(c);
  for (const Suspect& suspect : c.suspects)
    if (r >= 0) r = append_suspect(reply, suspect, ids);
  return r < 0 ? r : sd_bus_message_close_container(reply);
}

constexpr uint64_t kConst = SD_BUS_VTABLE_PROPERTY_CONST;

const sd_bus_vtable kCaseVtable[] = {
    SD_BUS_VTABLE_START(0),
    SD_BUS_PROPERTY("Uuid", "s", get_case_text<&Case::uuid>, 0, kConst),
    SD_BUS_PROPERTY("Code", "s", get_case_text<&Case::code>, 0, kEmits),
    SD_BUS_PROPERTY("Severity", "s", get_case_text<&Case::severity>, 0, kEmits),
    SD_BUS_PROPERTY("State", "s", get_case_state, 0, kEmits),
    SD_BUS_PROPERTY("Opened", "x", get_case_time<&Case::opened_ns>, 0, kConst),
    SD_BUS_PROPERTY("Updated", "x", get_case_time<&Case::updated_ns>, 0, kEmits),
    SD_BUS_PROPERTY("Acknowledged", "b", get_case_acknowledged, 0, kEmits),
    SD_BUS_PROPERTY("Suspects", "a(sussssss)", get_case_suspects, 0, kInvalidates),
    SD_BUS_PROPERTY("Description", "s", get_case_description, 0, kInvalidates),
    SD_BUS_VTABLE_END};

std::string uuid_of_path(std::string_view path) {
  if (!path.starts_with(kCasePrefix) || path.size() <= kCasePrefix.size() + 1) return {};
  std::string uuid(path.substr(kCasePrefix.size() + 1));
  std::replace(uuid.begin(), uuid.end(), '_', '-');
  return uuid;
}

int find_case(sd_bus*, const char* path, const char*, void* userdata, void** found, sd_bus_error*) {
  const Case* c = engine_of(userdata).find_case(uuid_of_path(path));
  *found = const_cast<Case*>(c);  // sd-bus's userdata is not const; only getters use it
  return c ? 1 : 0;
}

// sd-bus frees the array and the strings.
int as_strv(const std::vector<std::string>& paths, char*** out) {
  auto** list = static_cast<char**>(calloc(paths.size() + 1, sizeof(char*)));
  if (!list) return -ENOMEM;
  for (size_t i = 0; i < paths.size(); ++i) {
    list[i] = strdup(paths[i].c_str());
    if (list[i]) continue;
    for (size_t j = 0; j < i; ++j) free(list[j]);
    free(list);
    return -ENOMEM;
  }
  *out = list;
  return 0;
}

int enumerate_cases(sd_bus*, const char*, void* userdata, char*** nodes, sd_bus_error*) {
  std::vector<std::string> paths;
  for (const auto& [uuid, c] : engine_of(userdata).cases()) paths.push_back(case_path(uuid));
  return as_strv(paths, nodes);
}

// ---- resources ---------------------------------------------------------------------------------

template <auto Member>
int get_resource_text(sd_bus*, const char*, const char*, const char*, sd_bus_message* reply,
                      void* data, sd_bus_error*) {
  return append_text(reply, static_cast<const Resource*>(data)->*Member);
}

int get_resource_present(sd_bus*, const char*, const char*, const char*, sd_bus_message* reply,
                         void* data, sd_bus_error*) {
  return sd_bus_message_append(reply, "b", static_cast<const Resource*>(data)->present ? 1 : 0);
}

// Omits values that only root may read, since signals go to all users. Root finds them in the
// documents (ListResources).
int get_resource_properties(sd_bus*, const char*, const char*, const char*, sd_bus_message* reply,
                            void* data, sd_bus_error*) {
  int r = sd_bus_message_open_container(reply, 'a', "{ss}");
  const auto& resource = *static_cast<const Resource*>(data);
  for (const auto& [name, value] : resource.properties)
    if (r >= 0 && !is_private(resource.type, name))
      r = sd_bus_message_append(reply, "{ss}", wire_text(name).c_str(),
                                wire_text(to_text(value)).c_str());
  return r < 0 ? r : sd_bus_message_close_container(reply);
}

const sd_bus_vtable kResourceVtable[] = {
    SD_BUS_VTABLE_START(0),
    SD_BUS_PROPERTY("Fmri", "s", get_resource_text<&Resource::fmri>, 0, kConst),
    SD_BUS_PROPERTY("Type", "s", get_resource_text<&Resource::type>, 0, kConst),
    SD_BUS_PROPERTY("Present", "b", get_resource_present, 0, kEmits),
    SD_BUS_PROPERTY("Properties", "a{ss}", get_resource_properties, 0, kInvalidates),
    SD_BUS_VTABLE_END};

int find_resource(sd_bus*, const char* path, const char*, void* userdata, void** found,
                  sd_bus_error*) {
  char* raw = nullptr;
  if (sd_bus_path_decode(path, kResourcePrefix.data(), &raw) <= 0 || !raw) return 0;
  const CString fmri(raw, free);
  const Resource* resource = engine_of(userdata).inventory().find(fmri.get());
  *found = const_cast<Resource*>(resource);
  return resource ? 1 : 0;
}

int enumerate_resources(sd_bus*, const char*, void* userdata, char*** nodes, sd_bus_error*) {
  std::vector<std::string> paths;
  for (const auto& [fmri, resource] : engine_of(userdata).inventory().all())
    paths.push_back(resource_path(fmri));
  return as_strv(paths, nodes);
}

void* userdata_of(const Engine& engine) {
  return const_cast<Engine*>(&engine);
}

}  // namespace

std::string case_path(std::string_view uuid) {
  std::string path(kCasePrefix);
  path += '/';
  path += uuid;
  std::replace(path.begin(), path.end(), '-', '_');
  return path;
}

std::string resource_path(std::string_view fmri) {
  char* raw = nullptr;
  if (sd_bus_path_encode(kResourcePrefix.data(), std::string(fmri).c_str(), &raw) < 0) return {};
  return CString(raw, free).get();
}

int export_cases(sd_bus* bus, const Engine& engine) {
  int r = sd_bus_add_fallback_vtable(bus, nullptr, kCasePrefix.data(), kCaseInterface, kCaseVtable,
                                     find_case, userdata_of(engine));
  if (r < 0) return r;
  return sd_bus_add_node_enumerator(bus, nullptr, kCasePrefix.data(), enumerate_cases,
                                    userdata_of(engine));
}

int export_resources(sd_bus* bus, const Engine& engine) {
  int r = sd_bus_add_fallback_vtable(bus, nullptr, kResourcePrefix.data(), kResourceInterface,
                                     kResourceVtable, find_resource, userdata_of(engine));
  if (r < 0) return r;
  return sd_bus_add_node_enumerator(bus, nullptr, kResourcePrefix.data(), enumerate_resources,
                                    userdata_of(engine));
}

}  // namespace fmd::bus
