// The configuration of fmd and its plugins: TOML written by an administrator. Most readers take a
// file, so each input becomes one.
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <stdexcept>

#include "corpus.h"
#include "fmd/daemon/config.h"
#include "plugins/alertmanager/options.h"
#include "plugins/cpu/options.h"
#include "plugins/ipmi/meaning.h"
#include "plugins/ipmi/options.h"
#include "plugins/mail/options.h"
#include "plugins/redfish/options.h"
#include "plugins/smart/options.h"
#include "plugins/snmp/options.h"
#include "plugins/volumes/options.h"
#include "plugins/webhook/options.h"
#include "plugins/zfs/options.h"
#include "targets.h"

namespace fmd::fuzz {
namespace {

// A temporary file, deleted with the target.
class InputFile {
 public:
  InputFile() {
    const bool memory = access("/dev/shm", W_OK) == 0;
    path_ = std::string(memory ? "/dev/shm" : "/tmp") + "/fmd-fuzz-XXXXXX";
    const int fd = mkstemp(path_.data());
    if (fd < 0) throw std::runtime_error("no temporary file");
    close(fd);
  }
  InputFile(const InputFile&) = delete;
  ~InputFile() { unlink(path_.c_str()); }
  const std::string& with(std::string_view text) const {
    std::ofstream(path_, std::ios::binary | std::ios::trunc) << text;
    return path_;
  }

 private:
  std::string path_;
};

// Most settings in the examples are commented out: uncomments each one.
std::vector<std::string> corpus_of(const std::string& path) {
  const std::string text = file(path);
  std::string all;
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find('\n', at), text.size());
    std::string line = text.substr(at, end - at);
    const bool set = line.starts_with('#') && line.size() > 1 && line[1] != ' ';
    all += (set ? line.substr(1) : line) + '\n';
    at = end + 1;
  }
  return {text, all};
}

void must_say_why(bool so) {
  if (!so) throw std::runtime_error("a file is refused without an error");
}

template <class Load>
Target target(const std::string& tree, const std::string& name, Load load) {
  const auto file = std::make_shared<InputFile>();
  return {"settings-" + name, name + ".toml",
          corpus_of(tree + "/plugins/" + name + "/" + name + ".toml"),
          [file, load](std::string_view text) {
            const auto options = load(file->with(text));
            must_say_why(options.has_value() || !options.error().text().empty());
          }};
}

}  // namespace

std::vector<Target> settings_targets(const std::string& tree) {
  std::vector<Target> all;
  all.push_back({"settings-fmd", "fmd.toml", corpus_of(SHIPPED_CONFIG), [](std::string_view text) {
                   for (const Error& error : parse_config(text, "a.toml").second)
                     must_say_why(!error.message.empty());
                 }});
  all.push_back(target(tree, "alertmanager", alertmanager::Options::load));
  all.push_back(target(tree, "cpu", cpu::load_options));
  all.push_back(target(tree, "ipmi", ipmi::load_options));
  all.push_back(target(tree, "mail", mail::Options::load));
  all.push_back(target(tree, "redfish", redfish::load_options));
  all.push_back(target(tree, "smart", smart::load_options));
  all.push_back(target(tree, "snmp", snmp::Options::load));
  all.push_back(target(tree, "volumes", volumes::load_options));
  all.push_back(target(tree, "webhook", webhook::Options::load));
  all.push_back(target(tree, "zfs", zfs::load_options));
  all.push_back({"sensor-types",
                 "sensor_types.toml",
                 {file(tree + "/plugins/ipmi/sensor_types.toml")},
                 [](std::string_view text) {
                   const auto meaning = ipmi::Meaning::parse({{"a.toml", std::string(text)}}, {});
                   must_say_why(meaning.has_value() || !meaning.error().text().empty());
                 }});
  return all;
}

}  // namespace fmd::fuzz
