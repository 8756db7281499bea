#include "plugins/webhook/program.h"

#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "fmd/base/text.h"
#include "plugins/http/trusted_file.h"

namespace fmd::webhook {
namespace {

constexpr int kOutput = 3;       // descriptor for work's output (Host::run_apart)
constexpr int kCannotRun = 127;  // as in shells

// Executes the program in the child. Its stdin is a file: nothing blocks if it does not read.
std::string become(const std::string& program, const std::string& input) {
  // Check again: the file may have changed since the start.
  if (const auto good = http::check_trusted(program, true); !good) return good.error().text();
  const int in = memfd_create("alert", 0);
  if (in < 0 || write(in, input.data(), input.size()) != static_cast<ssize_t>(input.size()) ||
      lseek(in, 0, SEEK_SET) != 0 || dup2(in, STDIN_FILENO) < 0)
    return std::string("its input cannot be written: ") + strerror(errno);
  dup2(kOutput, STDOUT_FILENO);
  if (in > kOutput) close(in);
  std::string name = program, path = "PATH=/usr/sbin:/usr/bin:/sbin:/bin", words = "LC_ALL=C.UTF-8";
  char* const argv[] = {name.data(), nullptr};
  char* const environment[] = {path.data(), words.data(), nullptr};
  execve(program.c_str(), argv, environment);
  const char* why = strerror(errno);
  (void)!write(STDERR_FILENO, why, strlen(why));
  _exit(kCannotRun);
}

std::string first_line(const std::string& text) {
  return display(text.substr(0, text.find('\n')));
}

}  // namespace

void run_program(sdk::Host& host, const std::string& program, const std::string& input,
                 std::chrono::milliseconds within, std::function<void(std::string)> done) {
  constexpr const char* kRan = "\x01";
  host.run_apart([program, input] { return kRan + become(program, input); }, within,
                 [done = std::move(done), program](const sdk::CommandOutput& output) {
                   // Only a child that could not execute the program writes this mark.
                   if (output.ok() && output.out.starts_with(kRan))
                     return done(display(program) + ": " + display(output.out.substr(1)));
                   if (output.ok()) return done("");
                   std::string why = output.explain(display(program));
                   if (const std::string line = first_line(output.err);
                       !line.empty() && why.find(line) == why.npos)
                     why += ": " + line;
                   done(why);
                 });
}

}  // namespace fmd::webhook
