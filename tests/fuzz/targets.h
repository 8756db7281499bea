// Target: a reader of foreign data, with valid inputs.
#pragma once
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace fmd::fuzz {

struct Target {
  std::string name, what;
  std::vector<std::string> corpus;
  // Throws std::runtime_error if the result is impossible. Crashes are detected by main.cpp.
  std::function<void(std::string_view input)> run;
};

// tree: the source tree, whose fixtures, rules and descriptions are the corpora.
std::vector<Target> all_targets(const std::string& tree);

Target hub_target();  // hub.cpp

// Each in a file of its own.
std::vector<Target> daemon_targets();
std::vector<Target> device_targets(const std::string& tree);
std::vector<Target> kernel_targets(const std::string& tree);
std::vector<Target> network_targets();
std::vector<Target> pool_targets(const std::string& tree);
std::vector<Target> settings_targets(const std::string& tree);

}  // namespace fmd::fuzz
