// Init of the machine whose power is cut (light_machine.py): mounts the data disk, starts fmd on
// it, and relays bytes between the serial ports and fmd's socket, so that test plugins on the host
// talk directly to fmd.
#include <fcntl.h>
#include <poll.h>
#include <sys/mount.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <optional>
#include <string>
#include <thread>
#include <vector>

namespace {

constexpr auto kSocket = "/plugins.sock";
constexpr size_t kRoom = 1 << 16;
constexpr auto kPause = std::chrono::milliseconds(5);
constexpr auto kPatience = std::chrono::minutes(10);  // longer than the host's timeout (4 min)

// The kernel panics when init exits, and QEMU then ends; the host sees the reason on the console.
[[noreturn]] void give_up(const std::string& what) {
  std::fprintf(stderr, "init: %s: %s\n", what.c_str(), std::strerror(errno));
  std::_Exit(1);
}

void mount_on(const char* type, const char* device, const char* folder) {
  mkdir(folder, 0755);
  if (mount(device, folder, type, 0, nullptr) != 0) give_up(std::string("mount ") + folder);
}

void load_modules() {
  std::vector<std::filesystem::path> files(std::filesystem::directory_iterator("/modules"), {});
  std::sort(files.begin(), files.end());  // the names start with a sequence number
  for (const auto& file : files) {
    const int module = open(file.c_str(), O_RDONLY | O_CLOEXEC);
    if (module < 0 || syscall(SYS_finit_module, module, "", 0) != 0) give_up(file);
    close(module);
  }
}

void start_fmd() {
  if (fork() != 0) return;
  execl("/fmd", "/fmd", "--config", "/fmd.toml", "--socket", kSocket, "--state-dir", "/data",
        "--rules", "/rules", "--events", "/events", "--bus", "none", nullptr);
  give_up("/fmd");
}

// Calls attempt() until it returns a value; returns that.
template <class Attempt>
auto await(const std::string& what, Attempt attempt) {
  const auto end = std::chrono::steady_clock::now() + kPatience;
  while (true) {
    if (const auto got = attempt()) return *got;
    if (std::chrono::steady_clock::now() > end) {
      errno = ETIMEDOUT;
      give_up(what);
    }
    std::this_thread::sleep_for(kPause);
  }
}

int connect_to_fmd() {
  sockaddr_un address = {AF_UNIX, {}};
  std::strcpy(address.sun_path, kSocket);
  return await("connect to fmd", [&]() -> std::optional<int> {
    const int one = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (connect(one, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0) return one;
    close(one);
    return {};
  });
}

void put(int to, const char* data, ssize_t size) {
  while (size > 0) {
    const ssize_t wrote = write(to, data, static_cast<size_t>(size));
    if (wrote < 0) give_up("write");
    data += wrote;
    size -= wrote;
  }
}

// Reads return 0 (end of file) until the host connects: that is not the end.
ssize_t from_host(int port, std::vector<char>& room) {
  const auto got = await("the host's word", [&]() -> std::optional<ssize_t> {
    const ssize_t size = read(port, room.data(), room.size());
    return size != 0 ? std::optional(size) : std::nullopt;
  });
  if (got < 0) give_up("read");
  return got;
}

// Relays one port to its own connection to fmd, opened at the host's first byte.
void serve(const std::string& path) {
  // The kernel creates the ports one after the other.
  const int port = await(path, [&]() -> std::optional<int> {
    const int one = open(path.c_str(), O_RDWR | O_CLOEXEC);
    return one >= 0 || errno != ENOENT ? std::optional(one) : std::nullopt;
  });
  if (port < 0) give_up(path);
  std::vector<char> room(kRoom), answers(kRoom);
  ssize_t got = from_host(port, room);
  const int fmd = connect_to_fmd();
  std::thread inwards([&] {
    for (;; got = from_host(port, room)) put(fmd, room.data(), got);
  });
  for (ssize_t answered = 0; (answered = read(fmd, answers.data(), answers.size())) > 0;)
    put(port, answers.data(), answered);
  give_up("fmd closed " + path);
}

}  // namespace

int main() {
  mount_on("devtmpfs", "dev", "/dev");
  mount_on("proc", "proc", "/proc");
  mount_on("sysfs", "sys", "/sys");
  load_modules();
  mount_on("ext4", "/dev/vda", "/data");
  start_fmd();
  std::vector<std::thread> ports;
  for (int number = 1; number <= 3; ++number)
    ports.emplace_back(serve, "/dev/vport0p" + std::to_string(number));
  for (auto& port : ports) port.join();
}
