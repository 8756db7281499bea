#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <cstring>
#include <ctime>
#include <map>
#include <nlohmann/json.hpp>

#include "ui/cli/chassis_commands.h"
#include "ui/cli/chassis_draft.h"
#include "ui/cli/commands.h"
#include "ui/cli/layout.h"
#include "ui/cli/surroundings.h"

namespace fmd::cli {
namespace {

volatile sig_atomic_t stopped = 0;

// Ctrl-C and the end of the terminal must not leave a light behind: they only set a mark, and the
// read that waits for an answer ends.
class Interrupts {
 public:
  Interrupts() {
    struct sigaction action {};
    action.sa_handler = [](int) { stopped = 1; };
    for (size_t i = 0; i < kSignals.size(); ++i) sigaction(kSignals[i], &action, &before_[i]);
  }
  ~Interrupts() {
    for (size_t i = 0; i < kSignals.size(); ++i) sigaction(kSignals[i], &before_[i], nullptr);
  }
  Interrupts(const Interrupts&) = delete;
  Interrupts& operator=(const Interrupts&) = delete;

 private:
  static constexpr std::array<int, 3> kSignals{SIGINT, SIGTERM, SIGHUP};
  std::array<struct sigaction, 3> before_{};
};

Error interrupted() {
  return {"stopped; nothing was written, and no light is left on", {}, 0};
}

// A line from the terminal. An error: stopped, or the terminal is gone.
Result<std::string> read_line() {
  std::string line;
  for (char c = 0;;) {
    if (stopped) return tl::unexpected(interrupted());
    const ssize_t got = read(STDIN_FILENO, &c, 1);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return tl::unexpected(interrupted());
    if (c == '\n') break;
    if (line.size() < 1000) line += c;
  }
  while (!line.empty() && (line.back() == ' ' || line.back() == '\r')) line.pop_back();
  line.erase(0, std::min(line.find_first_not_of(' '), line.size()));
  return line;
}

Result<std::string> ask(const std::string& question) {
  if (auto said = print(question + " "); !said) return tl::unexpected(said.error());
  return read_line();
}

Result<int> ask_number(const std::string& question, int usual, int most) {
  for (;;) {
    const auto line = ask(fmt::format("{} [{}]", question, usual));
    if (!line) return tl::unexpected(line.error());
    if (line->empty()) return usual;
    int number = -1;
    const auto [end, error] = std::from_chars(line->data(), line->data() + line->size(), number);
    if (error == std::errc() && end == line->data() + line->size() && number >= 0 && number <= most)
      return number;
    if (auto said = print(fmt::format("A number from 0 to {}, please.\n", most)); !said)
      return tl::unexpected(said.error());
  }
}

// A bay's locate light while it stands here.
class Light {
 public:
  Light(Client& client, std::string bay) : client_(client), bay_(std::move(bay)) {}
  ~Light() {
    if (asked_) off();
  }
  Light(const Light&) = delete;
  Light& operator=(const Light&) = delete;

  // Why it does not blink, "" when it does.
  std::string on() {
    asked_ = true;  // even when the answer is lost: it may have been lit
    if (auto done = client_.locate(bay_, true); !done) return done.error().text();
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(10);
    while (std::chrono::steady_clock::now() < deadline && !stopped) {
      const auto list = client_.query("ListResources", {{"fmri", bay_}});
      if (!list) return list.error().text();
      for (const auto& doc : *list)
        if (const auto bay = Inventory::resource_from_json(doc)) {
          if (bay->is("led.locate", "on")) return {};
          if (bay->is("led.locate", "cannot-drive")) return bay->get("led.reason");
        }
      if (!client_.wait(300)) break;
    }
    return "the light has not been seen to go on";
  }
  void off() {
    asked_ = false;
    if (auto done = client_.locate(bay_, false); !done)
      fmt::print(stderr,
                 "The light of {} may still be on: {}\nPut it out with: fmadm locate off {}\n",
                 clean(bay_), clean_prose(done.error().text()), clean(bay_));
  }

 private:
  Client& client_;
  std::string bay_;
  bool asked_ = false;
};

constexpr const char* kHelp =
    "  TEXT   what is printed beside the blinking bay\n"
    "  Enter  the name it has now\n"
    "  -      skip this bay: it is left out of the file\n"
    "  <      back to the bay before\n"
    "  .      that was all: write what there is\n"
    "  Ctrl-C stop, write nothing\n";

class Mapping {
 public:
  Mapping(Client& client, std::vector<const Resource*> bays, ChassisDraft draft)
      : client_(client), bays_(std::move(bays)), draft_(std::move(draft)) {}

  Result<ChassisDraft> run() {
    size_t at = 0;
    while (at < bays_.size()) {
      Light light(client_, bays_[at]->fmri);
      auto step = one(light, at);
      if (!step) return tl::unexpected(step.error());
      if (*step == Step::end) break;
      if (*step == Step::back)
        at -= at > 0;
      else
        ++at;
    }
    for (const auto& [index, answer] : answers_) draft_.answers.push_back(answer);
    return draft_;
  }

 private:
  enum class Step { next, back, end };

  Result<Step> one(Light& light, size_t at) {
    const Resource& bay = *bays_[at];
    const std::string name = clean(bay.get("label"));
    const std::string why =
        bay.is("led.method", "none") ? "it has no light that can be driven" : light.on();
    if (stopped) return tl::unexpected(interrupted());
    std::string head = fmt::format("\nBay {} of {}", at + 1, bays_.size());
    head += why.empty() ? " blinks.\n" : fmt::format(" does not blink: {}\n", clean_prose(why));
    if (!why.empty()) head += fmt::format("It is known as {} and holds {}.\n", name, held(bay));
    if (auto said = print(head); !said) return tl::unexpected(said.error());
    for (;;) {
      const auto line = ask(fmt::format("Its printed label [{}], or ? for help:", name));
      if (!line) return tl::unexpected(line.error());
      if (*line == "?") {
        if (auto said = print(kHelp); !said) return tl::unexpected(said.error());
        continue;
      }
      if (*line == ".") return Step::end;
      answers_.erase(at);
      if (*line == "<") return Step::back;
      if (*line == "-") return Step::next;
      const std::string label = line->empty() ? bay.get("label") : *line;
      if (const std::string wrong = objection(label); !wrong.empty()) {
        if (auto said = print(wrong + "\n"); !said) return tl::unexpected(said.error());
        continue;
      }
      auto place = ask_place();
      if (!place) return tl::unexpected(place.error());
      answers_[at] = {&bay, label, *place};
      return Step::next;
    }
  }

  std::string objection(const std::string& label) const {
    if (label.find_first_of("{}") != label.npos) return "A label cannot hold braces.";
    for (const auto& [index, answer] : answers_)
      if (answer.label == label)
        return fmt::format("Bay {} has that label already; < leads back to it.", index + 1);
    return {};
  }

  Result<std::optional<std::pair<int, int>>> ask_place() {
    if (draft_.rows == 0) return std::optional<std::pair<int, int>>();
    std::pair<int, int> usual{1, 1};
    while (taken(usual) && usual.first <= draft_.rows)
      if (++usual.second > draft_.columns) usual = {usual.first + 1, 1};
    for (;;) {
      const auto line = ask(
          fmt::format("Its row and column, from the top left [{} {}]:", usual.first, usual.second));
      if (!line) return tl::unexpected(line.error());
      std::pair<int, int> at = usual;
      char more = 0;
      const bool good =
          line->empty() || sscanf(line->c_str(), "%d %d %c", &at.first, &at.second, &more) == 2;
      if (good && at.first >= 1 && at.first <= draft_.rows && at.second >= 1 &&
          at.second <= draft_.columns && !taken(at))
        return std::optional(at);
      if (auto said =
              print(fmt::format("Two numbers, up to {} and {}, of a place that is not taken.\n",
                                draft_.rows, draft_.columns));
          !said)
        return tl::unexpected(said.error());
    }
  }

  bool taken(const std::pair<int, int>& at) const {
    return std::any_of(answers_.begin(), answers_.end(),
                       [&](const auto& answer) { return answer.second.at == at; });
  }

  static std::string held(const Resource& bay) {
    for (const Edge& edge : bay.edges)
      if (edge.relation == Relation::contains) return clean(edge.to);
    return "nothing";
  }

  Client& client_;
  std::vector<const Resource*> bays_;
  ChassisDraft draft_;
  std::map<size_t, ChassisDraft::Answer> answers_;  // by bay: going back changes them
};

// The one chassis to map: the one named, or the only one.
Result<const Resource*> choose(const Inventory& inventory, const std::string& wanted) {
  std::vector<const Resource*> all;
  for (const auto& [fmri, r] : inventory.all())
    if (r.type == "enclosure" && r.present &&
        (wanted.empty() || fmri == wanted || r.get("id") == wanted || r.get("label") == wanted))
      all.push_back(&r);
  if (all.size() == 1) return all.front();
  if (all.empty())
    return fail(wanted.empty()
                    ? "no chassis is known; see: fmadm config"
                    : "no chassis is called " + clean(wanted) + "; see: fmadm chassis show");
  std::string names;
  for (const Resource* r : all) names += (names.empty() ? "" : ", ") + clean(r->get("id"));
  return fail("there are several; name one with --chassis: " + names);
}

std::vector<const Resource*> bays_of(const Inventory& inventory, const Resource& chassis) {
  std::vector<const Resource*> bays;
  for (const Edge& edge : chassis.edges)
    if (const Resource* r = inventory.find(edge.to); r && r->type == "bay" && r->present)
      bays.push_back(r);
  const auto slot = [](const Resource* r) { return number_of(*r, "slot", 1e9); };
  std::stable_sort(bays.begin(), bays.end(),
                   [&](const Resource* a, const Resource* b) { return slot(a) < slot(b); });
  return bays;
}

Result<ChassisDraft> ask_of_box(const Resource& chassis, size_t bays) {
  ChassisDraft draft;
  const std::string known = clean(chassis.get("label"));
  const auto name = ask(fmt::format("What is this machine called [{}]?", known));
  if (!name) return tl::unexpected(name.error());
  draft.label = !name->empty() ? *name : known.empty() ? "Own chassis" : known;
  const auto rows = ask_number("How many rows of bays (0: no picture)?", 0, 100);
  if (!rows) return tl::unexpected(rows.error());
  draft.rows = *rows;
  if (draft.rows == 0) return draft;
  const int even =
      static_cast<int>((bays + static_cast<size_t>(*rows) - 1) / static_cast<size_t>(*rows));
  const auto columns = ask_number("How many bays in a row?", even, 100);
  if (!columns) return tl::unexpected(columns.error());
  const auto units = ask_number("How many rack units high is it?", 2, 60);
  if (!units) return tl::unexpected(units.error());
  draft.columns = std::max(*columns, 1);
  draft.units = std::max(*units, 1);
  return draft;
}

std::string today() {
  const time_t now = time(nullptr);
  struct tm parts {};
  localtime_r(&now, &parts);
  char text[16];
  return strftime(text, sizeof text, "%Y-%m-%d", &parts) > 0 ? text : "";
}

// Never over a file that is there.
Result<void> write_new(const std::string& path, const std::string& text) {
  const int fd = open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
  bool good = fd >= 0;
  for (size_t done = 0; good && done < text.size();) {
    const ssize_t wrote = write(fd, text.data() + done, text.size() - done);
    good = wrote > 0 || (wrote < 0 && errno == EINTR);
    if (wrote > 0) done += static_cast<size_t>(wrote);
  }
  const int why = errno;
  if (fd >= 0 && close(fd) != 0) good = false;
  if (!good) return fail(std::string("cannot be written: ") + strerror(why), path);
  return {};
}

}  // namespace

Result<void> chassis_map(Client& client, const ChassisMapOptions& options) {
  if (!isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO))
    return fail("chassis map asks questions: it needs a terminal");
  struct stat there {};
  if (stat(options.output.c_str(), &there) == 0)
    return fail("is there already; name another file with --output", options.output);
  const auto around = Surroundings::fetch(client);
  if (!around) return tl::unexpected(around.error());
  const auto chassis = choose(around->inventory, options.chassis);
  if (!chassis) return tl::unexpected(chassis.error());
  auto bays = bays_of(around->inventory, **chassis);
  if (bays.empty()) return fail(clean((*chassis)->fmri) + " has no bays");
  if (auto done = client.subscribe(); !done) return done;
  const Interrupts interrupts;
  auto said =
      print(fmt::format("{} bays will blink, one after the other. Say what is printed beside "
                        "each.\n",
                        bays.size()));
  if (!said) return said;
  auto draft = ask_of_box(**chassis, bays.size());
  if (!draft) return tl::unexpected(draft.error());
  draft->made_on = today();
  const auto mapped = Mapping(client, std::move(bays), std::move(*draft)).run();
  if (!mapped) return tl::unexpected(mapped.error());
  const auto text = mapped->toml(**chassis);
  if (!text) return tl::unexpected(text.error());
  if (auto done = write_new(options.output, *text); !done) return done;
  return print(fmt::format(
      "\n{} bays written to {}.\nCheck:    fmadm chassis check {}\nInstall:  cp {} "
      "/etc/fmd/chassis.d/\nfmd-enclosure takes it at its next look.\n",
      mapped->answers.size(), clean(options.output), clean(options.output), clean(options.output)));
}

}  // namespace fmd::cli
