#include "plugins/ipmi/bmc.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>
#include <sstream>
#include <utility>

namespace fmd::ipmi {
namespace {

constexpr const char* kDevices[] = {"/dev/ipmi0", "/dev/ipmi/0", "/dev/ipmidev/0"};

}  // namespace

BmcLink::BmcLink(sdk::Host& host, const Options& options)
    : host_(host), options_(options), folder_(options.folder) {
  if (folder_.empty())
    if (const char* given = getenv("RUNTIME_DIRECTORY")) folder_ = given;
  if (!folder_.empty()) return;
  std::string made = (std::filesystem::temp_directory_path() / "fmd-ipmi-XXXXXX").string();
  if (mkdtemp(made.data())) folder_ = made;
  own_folder_ = !folder_.empty();
}

BmcLink::~BmcLink() {
  *alive_ = false;
  std::error_code ignored;
  if (own_folder_) std::filesystem::remove_all(folder_, ignored);
}

std::string BmcLink::cannot() const {
  if (!host_.has_tool("ipmitool")) return "no ipmitool(1) on this host";
  if (folder_.empty()) return "no folder for what ipmitool reads";
  return is_there() ? "" : "no BMC: there is no /dev/ipmi0 (kernel modules ipmi_si, ipmi_devintf)";
}

bool BmcLink::is_there() const {
  return !options_.lan.host.empty() ||
         std::any_of(std::begin(kDevices), std::end(kDevices),
                     [this](const char* device) { return host_.exists(device); });
}

void BmcLink::run(std::vector<std::string> command, int deadlines, Done done) {
  std::vector<std::string> argv{"ipmitool"};
  const auto& lan = options_.lan;
  if (lan.host.empty()) {
    argv.insert(argv.end(), {"-I", "open"});
  } else {
    argv.insert(argv.end(), {"-I", lan.interface, "-H", lan.host, "-p", std::to_string(lan.port),
                             "-L", lan.privilege, "-f", lan.password_file});
    if (!lan.user.empty()) argv.insert(argv.end(), {"-U", lan.user});
  }
  argv.insert(argv.end(), command.begin(), command.end());
  busy_ = true;
  auto late = std::make_shared<bool>(false);
  auto said = std::make_shared<std::optional<sdk::CommandOutput>>();
  const std::weak_ptr<bool> alive = alive_;
  host_.run(
      std::move(argv), options_.deadline * deadlines,
      [this, alive, late, said, done](const sdk::CommandOutput& output) {
        if (alive.expired()) return;
        if (output.end != sdk::CommandOutput::End::deadline) {
          *said = output;
          return;
        }
        *late = stuck_ = true;
        done(output);
      },
      [this, alive, late, said, done] {
        if (alive.expired()) return;
        busy_ = stuck_ = false;
        if (!*late && *said) done(**said);
      });
}

void BmcLink::ask(const std::vector<Request>& requests,
                  std::function<void(std::vector<Answer>, const sdk::CommandOutput&)> done) {
  const std::string file = folder_ + "/requests";
  std::ofstream(file, std::ios::trunc) << script(requests);
  run({"-v", "exec", file}, 1, [requests, done](const sdk::CommandOutput& output) {
    done(parse_answers(requests, output.out, output.err), output);
  });
}

// Some BMCs take a minute to tell of all their sensors.
void BmcLink::dump_sdr(std::function<void(Result<std::string>)> done) {
  const std::string file = folder_ + "/sdr";
  std::error_code ignored;
  std::filesystem::remove(file, ignored);
  run({"sdr", "dump", file}, 3, [file, done](const sdk::CommandOutput& output) {
    std::ifstream in(file, std::ios::binary);
    std::ostringstream text;
    text << in.rdbuf();
    if (!output.ok()) return done(fail(output.explain("ipmitool sdr dump")));
    if (text.str().empty()) return done(fail("ipmitool sdr dump: it wrote nothing"));
    done(text.str());
  });
}

void BmcLink::print_frus(Done done) {
  run({"fru", "print"}, 3, std::move(done));
}

}  // namespace fmd::ipmi
