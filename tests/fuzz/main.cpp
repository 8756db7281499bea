// fmd-fuzz: feeds damaged inputs, generated from seeds, to readers. Run it with sanitizers.
// Findings are kept in a file: copy it to tests/fuzz/found/TARGET-WHAT, which each run tries first.
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <optional>
#include <stdexcept>

#include "mutator.h"
#include "targets.h"

namespace fmd::fuzz {
namespace {

constexpr size_t kMost = 1 << 20;
constexpr unsigned kHangs = 20;  // seconds

// The current input, in a file that survives a crash.
class Last {
 public:
  explicit Last(std::string path) : path_(std::move(path)) {
    const int fd = open(path_.c_str(), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (fd < 0 || ftruncate(fd, kMost) != 0) throw std::runtime_error(path_ + " cannot be written");
    map_ = static_cast<char*>(mmap(nullptr, kMost, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0));
    close(fd);
    if (map_ == MAP_FAILED) throw std::runtime_error(path_ + " cannot be mapped");
  }
  Last(const Last&) = delete;
  void set(const std::string& input) {
    const uint32_t size = static_cast<uint32_t>(std::min(input.size(), kMost - sizeof(uint32_t)));
    memcpy(map_, &size, sizeof size);
    memcpy(map_ + sizeof size, input.data(), size);
  }
  void done() { unlink(path_.c_str()); }

 private:
  std::string path_;
  char* map_ = nullptr;
};

std::string read_file(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

void run_one(const Target& target, const std::string& input, Last& last) {
  last.set(input);
  alarm(kHangs);
  // A copy of exactly that size, so that the sanitizer detects reads beyond its end.
  const std::vector<char> exact(input.begin(), input.end());
  target.run(std::string_view(exact.data(), exact.size()));
}

struct Options {
  std::vector<std::string> only;
  std::optional<uint64_t> seed;
  uint64_t runs = 2000;
  double minutes = 0;
  std::string input, folder = ".", counts;
  bool list = false;
};

// Total number of inputs per target: lines "TARGET COUNT" in a file that each run updates.
using Counts = std::map<std::string, uint64_t>;

Counts read_counts(const std::string& path) {
  Counts counts;
  std::ifstream in(path);
  std::string name;
  for (uint64_t count = 0; in >> name >> count;) counts[name] = count;
  if (!in.eof())
    throw std::runtime_error(path + " cannot be read, line by line a name and a number");
  return counts;
}

void add_count(const std::string& path, const std::string& name, uint64_t more) {
  Counts counts = std::filesystem::exists(path) ? read_counts(path) : Counts{};
  counts[name] += more;
  {
    std::ofstream out(path + ".new", std::ios::trunc);
    for (const auto& [target, count] : counts) out << target << ' ' << count << '\n';
    if (!out.flush()) throw std::runtime_error(path + " cannot be written");
  }
  std::filesystem::rename(path + ".new", path);
}

// Another seed for each run, since the same seed makes the same inputs.
uint64_t seed_of(const Options& options, const std::string& target) {
  if (options.seed) return *options.seed;
  if (options.counts.empty() || !std::filesystem::exists(options.counts)) return 1;
  return 1 + read_counts(options.counts)[target];
}

// Returns the number of inputs.
uint64_t run_target(const Target& target, const Options& options, uint64_t seed, double seconds) {
  Last last(fmt::format("{}/fmd-fuzz-{}.last", options.folder, target.name));
  const auto begun = std::chrono::steady_clock::now();
  const auto over = [&](uint64_t count) {
    if (seconds <= 0) return count >= options.runs;
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begun).count() >
           seconds;
  };
  for (const auto& entry : std::filesystem::directory_iterator(FMD_TREE "/tests/fuzz/found"))
    if (entry.path().filename().string().starts_with(target.name + "-"))
      run_one(target, read_file(entry.path()), last);
  for (const std::string& good : target.corpus) run_one(target, good, last);
  uint64_t count = 0;
  Mutator mutator(seed, target.corpus);
  for (; !over(count); ++count) run_one(target, mutator.next(), last);
  alarm(0);
  last.done();
  return count;
}

// A file left by a crash (with the input's length), or a plain input.
std::string given_input(const std::string& path) {
  std::string text = read_file(path);
  uint32_t size = 0;
  if (text.size() != kMost) return text;
  memcpy(&size, text.data(), sizeof size);
  return text.substr(sizeof size, size);
}

int run(int argc, char** argv) {
  Options options;
  CLI::App app{"Gives fmd's readers damaged input, by seeds", "fmd-fuzz"};
  app.add_option("--seed", options.seed, "of the inputs; 1, or with --counts another one each run");
  app.add_option("--runs", options.runs, "inputs a target")->capture_default_str();
  app.add_option("--minutes", options.minutes, "instead: so long, shared by the targets");
  app.add_option("--input", options.input, "this file alone, also a .last one");
  app.add_option("--dir", options.folder, "where the input under way is kept")
      ->capture_default_str();
  app.add_option("--counts", options.counts, "add the number of inputs to this file");
  app.add_flag("--list", options.list, "print the targets");
  app.add_option("target", options.only, "which; all when not given");
  CLI11_PARSE(app, argc, argv);
  std::vector<Target> targets = all_targets(FMD_TREE);
  for (const std::string& name : options.only)
    if (std::none_of(targets.begin(), targets.end(),
                     [&](const Target& t) { return t.name == name; }))
      throw std::runtime_error("there is no target " + name);
  if (!options.only.empty())
    std::erase_if(targets, [&](const Target& t) {
      return std::find(options.only.begin(), options.only.end(), t.name) == options.only.end();
    });
  for (const Target& target : targets) {
    if (options.list) {
      fmt::print("{}\n", target.name);
      continue;
    }
    if (!options.input.empty()) {
      target.run(given_input(options.input));
      continue;
    }
    const double seconds = options.minutes * 60 / static_cast<double>(targets.size());
    const uint64_t seed = seed_of(options, target.name);
    const uint64_t count = run_target(target, options, seed, seconds);
    fmt::print("{:<14} {:>9} inputs, seed {}: {}\n", target.name, count, seed, target.what);
    if (!options.counts.empty()) add_count(options.counts, target.name, count);
    fflush(stdout);
  }
  return 0;
}

}  // namespace
}  // namespace fmd::fuzz

int main(int argc, char** argv) {
  try {
    return fmd::fuzz::run(argc, argv);
  } catch (const std::exception& error) {
    fmt::print(stderr, "fmd-fuzz: {}\n", error.what());
    return 1;
  }
}
