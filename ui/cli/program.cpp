#include "ui/cli/program.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <clocale>
#include <cmath>
#include <cstdio>
#include <exception>
#include <utility>

#include "fmd/base/text.h"
#include "ui/cli/commands.h"
#include "ui/cli/help.h"
#include "ui/cli/layout.h"
#include "ui/client/paths.h"

namespace fmd::cli {

Program::Program(const std::string& name, const std::string& text, const std::string& ending)
    : app(text, name), name_(name), ending_(ending) {
  app.set_version_flag("--version", name + " (fmd) " FMD_VERSION);
  app.add_option("--bus", target_.bus, "Bus: system, session or an address")->type_name("ADDRESS");
  app.add_option("-H,--host", target_.host, "Query another host's fmd through ssh")
      ->type_name("[USER@]HOST");
  app.add_flag("--json", json, "Print JSON (see the man page)");
  app.add_option("--color", colours_, "Use colours: auto, always or never (auto)")
      ->type_name("WHEN")
      ->check(quietly(CLI::IsMember({"auto", "always", "never"})));
  app.add_flag("--no-pager", no_pager_, "Do not page long output");
  app.get_formatter()->column_width(26);
  app.fallthrough();  // --json may follow a subcommand
}

std::function<Result<void>()> Program::with_client(std::function<Result<void>(Client&)> what) {
  return [this, what = std::move(what)]() -> Result<void> {
    if (const char* address = getenv("FMD_BUS_ADDRESS");
        address && target_.bus.empty() && target_.host.empty())
      target_.bus = address;
    auto client = Client::connect(target_);
    if (!client) return tl::unexpected(client.error());
    return what(*client);
  };
}

void Program::then_in_words(std::function<Result<void>()> what) {
  then([this, what = std::move(what)]() -> Result<void> {
    if (!json) return what();
    error_status = 2;
    return fail("This command has no --json");
  });
}

void Program::then_paged(std::function<Result<void>()> what) {
  then([this, what = std::move(what)] {
    pages_output = !no_pager_;
    return what();
  });
}

namespace {

std::string number_words(double value) {
  return fmt::format("{:g}", value);
}

CLI::Validator numeric(std::function<bool(double)> fits, const std::string& words) {
  return CLI::Validator(
      [fits = std::move(fits), words](const std::string& given) -> std::string {
        double value = 0;
        const char* end = given.data() + given.size();
        const auto [rest, error] = std::from_chars(given.data(), end, value);
        if (error != std::errc{} || rest != end || !fits(value))
          return "\"" + clean(given) + "\" is not " + words;
        return {};
      },
      "");
}

// The subcommands of that command.
std::vector<const CLI::App*> commands_of(const CLI::App& app) {
  return app.get_subcommands([](const CLI::App*) { return true; });
}

// What replaces a command of FMA's fmadm; "" if nothing does.
std::string_view of_fma(std::string_view program, std::string_view word) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 5> kInstead{
      {{"flush", "a part that is gone needs none; 'fmadm acquit PART' closes a case about it"},
       {"rotate", "not needed; [retention] in fmd.toml limits the logs"},
       {"load", "start a plugin with 'systemctl enable --now fmd-NAME'"},
       {"unload", "stop a plugin with 'systemctl disable --now fmd-NAME'"},
       {"reset",
        "'fmadm acquit PART' resets the counters of a suspect in an open case, and 'zpool clear "
        "POOL VDEV' those of a vdev"}}};
  if (program != "fmadm") return {};
  const auto at = std::find_if(kInstead.begin(), kInstead.end(),
                               [&](const auto& one) { return one.first == word; });
  return at == kInstead.end() ? std::string_view() : at->second;
}

std::string list_of_commands(const CLI::App& app) {
  std::string list;
  for (const CLI::App* one : commands_of(app)) list += (list.empty() ? "" : ", ") + one->get_name();
  return wrapped("Commands: ", list, 10);
}

// Whether that option takes the next word as its value.
bool takes_value(const CLI::App& app, const std::string& word) {
  if (word.size() < 2 || word[0] != '-' || word.find('=') != std::string::npos) return false;
  const CLI::Option* option = app.get_option_no_throw(word);
  return option && option->get_items_expected_max() > 0;
}

// Sets each command's group and examples. command: as typed.
void add_help(CLI::App& app, const std::string& command, const std::string& ending) {
  if (const std::string_view group = group_of(command); !group.empty())
    app.group(std::string(group));
  const std::string_view examples = examples_of(command);
  std::string text = examples.empty() ? "" : "Examples:\n" + std::string(examples);
  text += ending;
  if (text.ends_with('\n')) text.pop_back();
  app.footer(text);
  for (CLI::App* sub : app.get_subcommands({})) add_help(*sub, command + " " + sub->get_name(), "");
}

}  // namespace

CLI::Validator between(double least, double most) {
  return numeric([=](double value) { return value >= least && value <= most; },
                 "a number from " + number_words(least) + " to " + number_words(most));
}

CLI::Validator at_least_one() {
  return numeric([](double value) { return value >= 1 && value == std::floor(value); },
                 "a whole number, 1 or more");
}

// Accepts "help", "help smart", "version" and "repair", which people try.
void Program::settle_synonyms(std::vector<std::string>& words) const {
  if (commands_of(app).empty()) return;
  for (size_t i = 1; i < words.size(); ++i) {
    if (words[i] == "--") return;
    if (words[i].starts_with('-')) {
      i += takes_value(app, words[i]);
      continue;
    }
    if (words[i] == "repair") words[i] = "repaired";
    if (words[i] == "version") words[i] = "--version";
    if (words[i] == "help") {
      words.erase(words.begin() + static_cast<ptrdiff_t>(i));
      words.emplace_back("--help");
    }
    return;
  }
}

bool Program::knows_commands(const std::vector<std::string>& words) const {
  const CLI::App* level = &app;
  for (size_t i = 1; i < words.size() && !commands_of(*level).empty(); ++i) {
    const std::string& word = words[i];
    if (word == "--") return true;
    if (word.starts_with('-')) {
      i += takes_value(app, word);
      continue;
    }
    const auto commands = commands_of(*level);
    const auto at = std::find_if(commands.begin(), commands.end(),
                                 [&](const CLI::App* one) { return one->get_name() == word; });
    if (at != commands.end()) {
      level = *at;
      continue;
    }
    std::vector<std::string> names;
    for (const CLI::App* one : commands) names.push_back(one->get_name());
    const auto meant = nearest(word, names);
    const std::string_view instead = level == &app ? of_fma(name_, word) : "";
    if (!instead.empty()) {
      fmt::print(stderr, "{}: there is no command \"{}\": {}\n", name_, clean(word), instead);
      return false;
    }
    const std::string above = level == &app ? name_ : name_ + " " + level->get_name();
    fmt::print(stderr, "{}: there is no command \"{}\"{}\n{}", above, clean(word),
               meant ? "; did you mean \"" + *meant + "\"?" : "", list_of_commands(*level));
    return false;
  }
  return true;
}

int Program::wrong_usage(const CLI::ParseError& error) const {
  const CLI::App* level = &app;
  std::string command = name_;
  std::vector<std::string> options;
  const auto descend = [&](const CLI::App& to) {
    for (const CLI::Option* option : to.get_options())
      for (const std::string& name : option->get_lnames()) options.push_back("--" + name);
  };
  descend(app);
  for (auto below = app.get_subcommands(); !below.empty(); below = level->get_subcommands()) {
    level = below.front();
    command += " " + level->get_name();
    descend(*level);
  }
  std::string what = error.what();
  // CLI11 only says that words were unexpected, and lists the last one first.
  if (const auto extra = app.remaining(true); !extra.empty()) {
    const std::string& word = extra.front();
    const bool is_option = word.size() > 1 && word[0] == '-';
    const auto meant = is_option ? nearest(word.substr(0, word.find('=')), options) : std::nullopt;
    what = (is_option ? "there is no option \"" : "unexpected argument \"") + clean(word) + "\"";
    // Several unexpected words are often one name without quotes.
    const bool quoted = word.find(' ') != std::string::npos;
    if (!is_option && !quoted && extra.size() > 1) what += "; a name with blanks needs quotes";
    if (meant) what += "; did you mean \"" + *meant + "\"?";
  }
  if (!commands_of(*level).empty() && error.get_name() == "RequiredError") {
    fmt::print(stderr, "{}: do what?\n{}", command, list_of_commands(*level));
    return 2;
  }
  fmt::print(stderr, "{}: {}\nSee {} --help\n", command, clean_prose(what), command);
  return 2;
}

// CLI11 2.4 takes "--" with a control character as a part's name, 2.3 as an option.
bool Program::has_only_options(const std::vector<std::string>& words) const {
  for (const std::string& word : words) {
    if (word == "--") break;
    if (!word.starts_with("--") || std::isalnum(static_cast<unsigned char>(word[2]))) continue;
    fmt::print(stderr, "{0}: there is no option \"{1}\"\nSee {0} --help\n", name_, clean(word));
    return false;
  }
  return true;
}

int Program::run(int argc, char** argv) {
  setlocale(LC_TIME, "C");
  add_help(app, name_, ending_);
  std::vector<std::string> words(argv, argv + argc);
  settle_synonyms(words);
  if (!knows_commands(words) || !has_only_options(words)) return 2;
  try {
    std::vector<const char*> given;
    for (const std::string& word : words) given.push_back(word.c_str());
    app.parse(static_cast<int>(given.size()), given.data());
  } catch (const CLI::ParseError& error) {
    return error.get_exit_code() == 0 ? app.exit(error) : wrong_usage(error);
  }
  settle_terminal(colours_ == "always"  ? Colours::always
                  : colours_ == "never" ? Colours::never
                                        : Colours::automatic);
  const int status = perform();
  end_pager();
  return status;
}

int Program::perform() {
  try {
    const Result<void> done = what_ ? what_() : fail("Nothing to do; see " + name_ + " --help");
    if (done) return exit_status;
    fprintf(stderr, "%s: %s\n", name_.c_str(), clean_prose(done.error().text()).c_str());
  } catch (const std::exception& error) {
    fprintf(
        stderr,
        "%s: fmd's answer is not what this program expects (%s); are their versions the same?\n",
        name_.c_str(), clean_prose(error.what()).c_str());
  }
  return error_status;
}

}  // namespace fmd::cli
