#include "plugins/ipmi/bmc.h"

#include <fmt/format.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>
#include <utility>

namespace fmd::ipmi {
namespace {

constexpr const char* kDevices[] = {"/dev/ipmi0", "/dev/ipmi/0", "/dev/ipmidev/0"};

// A repository holds at most 65,535 records of up to 64 bytes.
constexpr size_t kLargestDump = 4 << 20;

Result<std::string> read_dump(const std::string& file) {
  std::ifstream in(file, std::ios::binary);
  std::string text(kLargestDump + 1, '\0');
  in.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<size_t>(in.gcount()));
  if (text.empty()) return fail("ipmitool sdr dump: it wrote nothing");
  if (text.size() > kLargestDump)
    return fail("ipmitool sdr dump: the BMC has more sensor records than 4 MiB hold; not read");
  return text;
}

// By default the systemd unit denies it (RestrictAddressFamilies=).
bool has_network() {
  const int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (fd >= 0) close(fd);
  return fd >= 0 || errno != EAFNOSUPPORT;
}

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
  if (!options_.lan.host.empty())
    return has_network() ? ""
                         : "the unit has no network for [lan]: install the drop-in of fmd-ipmi(8)";
  if (!is_there()) return "no BMC: there is no /dev/ipmi0 (kernel modules ipmi_si, ipmi_devintf)";
  for (const char* device : kDevices)
    if (host_.exists(device) && eaccess(host_.path(device).c_str(), R_OK | W_OK) != 0 &&
        errno == EACCES)
      return fmt::format("no permission for {}: run 'udevadm trigger --subsystem-match=ipmi'",
                         device);
  return "";
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

// Some BMCs need a minute to list all their sensors.
void BmcLink::dump_sdr(std::function<void(Result<std::string>)> done) {
  const std::string file = folder_ + "/sdr";
  std::error_code ignored;
  std::filesystem::remove(file, ignored);
  run({"sdr", "dump", file}, 3, [file, done](const sdk::CommandOutput& output) {
    if (!output.ok()) return done(fail(output.explain("ipmitool sdr dump")));
    done(read_dump(file));
  });
}

void BmcLink::print_frus(Done done) {
  run({"fru", "print"}, 3, std::move(done));
}

}  // namespace fmd::ipmi
