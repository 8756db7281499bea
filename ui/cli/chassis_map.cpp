// fmadm chassis map: asks where each bay is, one LED after the other, and writes a chassis description.
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>

#include "fmd/base/counted.h"
#include "ui/cli/chassis_commands.h"
#include "ui/cli/chassis_light.h"
#include "ui/cli/commands.h"
#include "ui/cli/daemon.h"
#include "ui/cli/dialogue.h"
#include "ui/cli/layout.h"
#include "ui/cli/new_file.h"
#include "ui/client/paths.h"
#include "ui/mapping/work.h"

namespace fmd::cli {
namespace {

using mapping::ChassisDraft;
using mapping::Place;
using mapping::ToMap;
using mapping::Work;

const std::vector<std::string> kSides{"front", "rear", "top", "inside"};

constexpr const char* kHelp =
    "  TEXT   what is printed beside the blinking bay\n"
    "  Enter  the name it has now\n"
    "  -      skip this bay: it is left out of the file\n"
    "  <      back to the bay before\n"
    "  .      that was all: write what there is\n"
    "  Ctrl-C stop, write nothing\n";

class Mapping {
 public:
  // view: the side that all bays are on; "": the user is asked for each bay.
  Mapping(Client& client, std::vector<ToMap> bays, ChassisDraft draft, std::string view)
      : client_(client), bays_(std::move(bays)), draft_(std::move(draft)), view_(std::move(view)) {}

  Result<ChassisDraft> run() {
    size_t at = 0;
    while (at < bays_.size()) {
      Light light(client_, *bays_[at].bay);
      auto step = one(light, at);
      if (!step) return tl::unexpected(step.error());
      if (*step == Step::end) break;
      if (*step == Step::back)
        at -= at > 0;
      else
        ++at;
    }
    for (const auto& [index, answer] : answers_.by_bay) draft_.answers.push_back(answer);
    return draft_;
  }

 private:
  enum class Step { next, back, end };

  Result<Step> one(Light& light, size_t at) {
    const Resource& bay = *bays_[at].bay;
    if (auto said = say_bay(light, at); !said) return tl::unexpected(said.error());
    for (;;) {
      const auto line =
          ask(fmt::format("Its printed label [{}], or ? for help:", clean(bay.get("label"))));
      if (!line) return tl::unexpected(line.error());
      if (*line == "?") {
        if (auto said = print(kHelp); !said) return tl::unexpected(said.error());
        continue;
      }
      if (*line == ".") return Step::end;
      answers_.by_bay.erase(at);
      if (*line == "<") return Step::back;
      if (*line == "-") return Step::next;
      const std::string label = line->empty() ? bay.get("label") : *line;
      if (const std::string wrong = objection(label); !wrong.empty()) {
        if (auto said = print(wrong + "\n"); !said) return tl::unexpected(said.error());
        continue;
      }
      const auto side = ask_side();
      if (!side) return tl::unexpected(side.error());
      const auto place = ask_place(*side);
      if (!place) return tl::unexpected(place.error());
      answers_.by_bay[at] = {&bay, bays_[at].member, label, *side, *place};
      return Step::next;
    }
  }

  Result<void> say_bay(Light& light, size_t at) const {
    const Resource& bay = *bays_[at].bay;
    const std::string why =
        bay.is("led.method", "none") ? "it has no light that can be driven" : light.on();
    if (Interrupts::count() > 0) return tl::unexpected(stopped_error());
    const std::string head = fmt::format("\nBay {} of {}", at + 1, bays_.size());
    if (why.empty()) return print(head + " blinks.\n");
    return print(
        wrapped(head + " does not blink: ", clean_prose(why), 0) +
        wrapped("",
                fmt::format("It is known as {} and holds {}.", clean(bay.get("label")), held(bay)),
                0));
  }

  std::string objection(const std::string& label) const {
    if (label.find_first_of("{}") != label.npos) return "A label cannot hold braces.";
    if (const auto other = answers_.with_label(label))
      return fmt::format("Bay {} has that label already; < leads back to it.", *other + 1);
    return {};
  }

  // Usually all bays of a side follow each other, so Enter repeats the last answer.
  Result<std::string> ask_side() {
    std::string side = view_;
    if (side.empty()) {
      const auto said = ask_word("Seen from the front, rear, top or inside?", kSides, last_side_);
      if (!said) return tl::unexpected(said.error());
      side = *said;
    }
    last_side_ = side;
    if (draft_.sides.contains(side)) return side;
    const auto asked = ask_of_side(side);
    if (!asked) return tl::unexpected(asked.error());
    draft_.sides[side] = *asked;
    return side;
  }

  Result<ChassisDraft::Side> ask_of_side(const std::string& name) const {
    ChassisDraft::Side side;
    const auto rows = ask_number(
        fmt::format("How many rows of bays are at the {} (0: no picture)?", name), 0, 100);
    if (!rows) return tl::unexpected(rows.error());
    side.rows = *rows;
    if (side.rows == 0) return side;
    const int bays = static_cast<int>(bays_.size() - answers_.by_bay.size());
    const auto columns =
        ask_number("How many bays in a row?", (bays + side.rows - 1) / side.rows, 200);
    if (!columns) return tl::unexpected(columns.error());
    const bool upright = mapping::stands_upright(name);
    const auto height =
        upright ? ask_number("How many rack units high is it?", mapping::kUsualUnits, 60)
                : ask_number("How many millimetres deep is it?", mapping::kUsualDepthMm, 5000);
    if (!height) return tl::unexpected(height.error());
    return mapping::side_of(name, side.rows, *columns, *height);
  }

  Result<Place> ask_place(const std::string& name) const {
    const ChassisDraft::Side& side = draft_.sides.at(name);
    if (side.rows == 0) return Place();
    const Place usual = answers_.free_place(name, side);
    if (!usual) {
      if (auto said = print("No place is left there: the picture will be without this bay.\n");
          !said)
        return tl::unexpected(said.error());
      return Place();
    }
    for (;;) {
      const auto line = ask(fmt::format(
          "Its row and column, from the top left [{} {}]:", usual->first, usual->second));
      if (!line) return tl::unexpected(line.error());
      std::pair<int, int> at = *usual;
      char more = 0;
      const bool good =
          line->empty() || sscanf(line->c_str(), "%d %d %c", &at.first, &at.second, &more) == 2;
      if (good && at.first >= 1 && at.first <= side.rows && at.second >= 1 &&
          at.second <= side.columns && !answers_.taken(name, at))
        return Place(at);
      if (auto said =
              print(fmt::format("Two numbers, up to {} and {}, of a place that is not taken.\n",
                                side.rows, side.columns));
          !said)
        return tl::unexpected(said.error());
    }
  }

  static std::string held(const Resource& bay) {
    for (const Edge& edge : bay.edges)
      if (edge.relation == Relation::contains) return clean(edge.to);
    return "nothing";
  }

  Client& client_;
  std::vector<ToMap> bays_;
  ChassisDraft draft_;
  std::string view_, last_side_ = "front";
  mapping::Answers answers_;
};

Result<Work> work_of(const Inventory& inventory, const ChassisMapOptions& options) {
  return options.with.empty() ? mapping::work_of(inventory, options.chassis)
                              : mapping::host_with(inventory, options.with);
}

// Two lit LEDs would lead to wrong answers.
std::string lit_already(const std::vector<ToMap>& bays) {
  std::string names;
  for (const ToMap& one : bays)
    if (one.bay->is("led.locate", "on"))
      names += (names.empty() ? "" : ", ") + clean(one.bay->get("label"));
  if (names.empty()) return {};
  return wrapped(
      "",
      "Blinking before this began, and left so: " + names + ". fmadm locate off PART puts it out.",
      0);
}

Result<std::string> ask_name(const std::string& known) {
  auto name = ask(fmt::format("Name of this machine or shelf [{}]:", clean(known)));
  if (!name || !name->empty()) return name;
  return known.empty() ? "Own chassis" : known;
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
  auto work = work_of(around->inventory, options);
  if (!work) return tl::unexpected(work.error());
  if (auto done = client.subscribe(); !done) return done;
  const Interrupts interrupts;
  auto said =
      print(fmt::format("{} bays will blink, one after the other. Say what is printed beside "
                        "each.\n",
                        work->bays.size()) +
            lit_already(work->bays));
  if (!said) return said;
  auto name = ask_name(work->draft.label);
  if (!name) return tl::unexpected(name.error());
  work->draft.label = *name;
  work->draft.made_on = mapping::today();
  const auto mapped =
      Mapping(client, std::move(work->bays), std::move(work->draft), options.view).run();
  if (!mapped) return tl::unexpected(mapped.error());
  const auto text = mapped->toml(around->inventory);
  if (!text) return tl::unexpected(text.error());
  if (auto done = write_new_file(options.output, *text); !done) return done;
  const std::string file = clean(options.output);
  return print(
      fmt::format("\n{} written to {}.\nCheck:    fmadm chassis check {}\n"
                  "Install:  cp {} {}/chassis.d/\n"
                  "Verify:   fmadm chassis show -v\n"
                  "fmd uses an installed file within half a minute.\n",
                  counted(mapped->answers.size(), "bay"), file, file, file, FMD_SYSCONF_DIR));
}

}  // namespace fmd::cli
