// fmadm's text of fmd's advice: do-now first, the most urgent case first, and when it exits with 1.
#include "ui/client/advice.h"

#include <gtest/gtest.h>

#include <sstream>

#include "fmd/base/json.h"
#include "ui/cli/advice_text.h"
#include "ui/cli/case_text.h"
#include "ui/cli/status.h"
#include "ui/cli/status_documents.h"

namespace fmd::cli {
namespace {

nlohmann::json say(const char* needs = "you") {
  return {{"state", "spare_holds_all"},
          {"needs", needs},
          {"headline", "SLOT 04 returns wrong data"},
          {"do_now", "Replace the disk in SLOT 04."},
          {"steps", {"Pull the disk whose fault LED is on.", "Put a blank disk in."}},
          {"safe_to_pull", {{"answer", "yes"}, {"why", "spare SLOT 07 holds all its data"}}},
          {"redundancy", "pool tank survives 1 more disk"},
          {"done", {"Took SLOT 04 out of service."}},
          {"next", {"The new disk is used automatically."}},
          {"disagree", {"Run 'fmadm acquit \"SLOT 04\"' if the disk is good."}}};
}

AdvisedCase advised(const std::string& id, const std::string& severity, const char* needs,
                    int64_t opened = 1) {
  AdvisedCase out;
  out.c.uuid = id + "-5c8f-4b9a-9f25-d0aaafec1e6c";
  out.c.severity = severity;
  out.c.code = "ZFS-8000-GH";
  out.c.opened_ns = opened;
  out.c.state = CaseState::solved;
  Suspect s;
  s.location = "SLOT 04";
  s.serial = "Z1Y0ABCD";
  s.model = s.part_number = "ST4000";
  out.c.suspects.push_back(s);
  out.advice = *ui::advice_in({{"say", say(needs)}});
  return out;
}

StatusDocuments documents(nlohmann::json now) {
  StatusDocuments out;
  out.config = {{"host", {{"name", "vm"}}}, {"version", "0.2"}};
  out.plugins = {{{"name", "zfs"}, {"state", "ok"}}};
  out.outbox = out.actions = nlohmann::json::array();
  out.now = std::move(now);
  return out;
}

Status::Verdict verdict(nlohmann::json now) {
  return status_of(documents(std::move(now)), Inventory()).verdict();
}

TEST(Advice, StandsInTheFirstLinesOfACase) {
  const std::string text = advice_text(advised("9e858a21", "Major", "you"), Surroundings());
  EXPECT_EQ(text.substr(0, text.find("\n\n")), "SLOT 04 returns wrong data" +
                                                   std::string(80 - 26 - 14, ' ') +
                                                   "Major 9e858a21\n"
                                                   "  Replace the disk in SLOT 04.\n"
                                                   "  1. Pull the disk whose fault LED is on.\n"
                                                   "  2. Put a blank disk in.");
  EXPECT_NE(text.find("Safe to pull: yes: spare SLOT 07 holds all its data\n"), text.npos) << text;
  EXPECT_NE(text.find("State       : needs you\n"), text.npos) << text;
  EXPECT_NE(text.find("Part        : SLOT 04, serial Z1Y0ABCD, ST4000\n"), text.npos)
      << "the model is not repeated: " << text;
  EXPECT_EQ(text.find("Host "), text.npos) << "what is empty is left out: " << text;
  EXPECT_NE(text.find("fmadm explain ZFS-8000-GH"), text.npos) << text;
}

// Also while a new disk is filled, in dry run and during maintenance.
TEST(Advice, ADiskThatHasLeftHasNoDevice) {
  AdvisedCase one = advised("9e858a21", "Major", "fmd");
  one.advice.state = "resilvering";
  one.c.suspects[0].fru = "dev://wwn=4";
  one.c.suspects[0].device_path = "/dev/sdx";
  const auto part = [&](bool present) {
    Resource disk;
    disk.fmri = "dev://wwn=4";
    disk.type = "disk";
    disk.present = present;
    Surroundings around;
    around.inventory.restore(std::move(disk));
    return advice_text(one, around);
  };
  EXPECT_NE(part(true).find("Z1Y0ABCD, ST4000, /dev/sdx\n"), std::string::npos) << part(true);
  EXPECT_EQ(part(false).find("/dev/sdx"), std::string::npos) << part(false);
}

TEST(Advice, OfManyCasesIsALineEachByUrgency) {
  std::vector<AdvisedCase> cases{advised("aaaaaaa1", "Major", "fmd"),
                                 advised("aaaaaaa2", "Minor", "you"),
                                 advised("aaaaaaa3", "Critical", "you")};
  std::stable_sort(cases.begin(), cases.end(), is_more_urgent);
  std::string text = problem_lines(cases);
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 9) << text;
  EXPECT_LT(text.find("aaaaaaa3"), text.find("aaaaaaa2")) << text;
  EXPECT_LT(text.find("aaaaaaa2"), text.find("aaaaaaa1")) << text;
  EXPECT_NE(text.find("Replace the disk in SLOT 04. Safe to pull: yes"), text.npos) << text;
  for (int i = 0; i < 3; ++i) cases.push_back(cases.front());
  text = problem_lines(cases);
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 7) << text;
  EXPECT_TRUE(text.ends_with("Replace the disk in SLOT 04.\n")) << "the order that all share";
  cases.back().advice.do_now = "Replace the disk in SLOT 05.";
  text = problem_lines(cases);
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 6) << text;
  EXPECT_EQ(text.find("Replace the disk"), text.npos) << text;
}

TEST(Advice, NotToPullIsSaidOnce) {
  std::vector<AdvisedCase> cases{advised("aaaaaaa1", "Major", "you")};
  ui::Advice& advice = cases[0].advice;
  advice.safe_to_pull = "no";
  advice.why_safe = "the array rebuilds";
  const auto text = [&] {
    std::string words, word;
    for (std::istringstream lines(problem_lines(cases)); lines >> word;) words += word + ' ';
    return words;
  };
  EXPECT_NE(text().find("Safe to pull: no (the array rebuilds)."), std::string::npos) << text();
  advice.do_now = "Do not pull SLOT 04 yet.";
  EXPECT_NE(text().find("Do not pull SLOT 04 yet (the array rebuilds)."), std::string::npos)
      << text();
  EXPECT_EQ(text().find("Safe to pull"), std::string::npos) << text();
}

// A person who reads only the first problem pulls the right disk first.
TEST(Advice, DisksAreInTheOrderInWhichTheyMayBePulled) {
  std::vector<AdvisedCase> cases{
      advised("aaaaaaa1", "Major", "you"), advised("aaaaaaa2", "Major", "you"),
      advised("aaaaaaa3", "Critical", "you"), advised("aaaaaaa4", "Major", "fmd")};
  cases[0].c.suspects = {Suspect{}};
  cases[1].c.suspects = {Suspect{}};
  cases[3].c.suspects = {Suspect{}};
  cases[0].c.suspects[0].fru = "dev://wwn=2";
  cases[1].c.suspects[0].fru = "dev://wwn=4";
  cases[3].c.suspects[0].fru = "dev://wwn=1";
  const auto order = [&](const std::vector<std::vector<std::string>>& disks) {
    auto sorted = cases;
    sort_by_urgency(sorted, disks);
    std::string out;
    for (const AdvisedCase& one : sorted) out += one.c.uuid.substr(7, 1);
    return out;
  };
  EXPECT_EQ(order({}), "3124");
  EXPECT_EQ(order({{"dev://wwn=1", "dev://wwn=4", "dev://wwn=2"}}), "3214")
      << "a case that needs nobody is not read first";
}

TEST(Advice, ADiskThatWasPulledByMistakeComesBeforeTheOneThatWasMeant) {
  std::vector<AdvisedCase> cases{advised("aaaaaaa1", "Major", "you"),
                                 advised("aaaaaaa2", "Major", "you")};
  cases[0].c.opened_ns = 1;
  cases[1].c.opened_ns = 2;
  cases[1].c.fault_class = "upset.fs.zfs.vdev.wrong_disk";
  sort_by_urgency(cases, {});
  EXPECT_TRUE(cases.front().c.uuid.starts_with("aaaaaaa2")) << cases.front().c.uuid;
}

TEST(Advice, DecidesTheExitStatus) {
  using V = Status::Verdict;
  EXPECT_EQ(verdict(nlohmann::json::object()), V::ok);
  const nlohmann::json pool{{"fmri", "zfs://pool=1"},
                            {"name", "tank"},
                            {"state", "ONLINE"},
                            {"well", true},
                            {"expected", nlohmann::json::array()}};
  EXPECT_EQ(verdict({{"pools", {pool}}}), V::ok);
  nlohmann::json degraded = pool;
  degraded.update(
      {{"state", "DEGRADED"}, {"well", false}, {"expected", {"SLOT 03 was removed 40 s ago."}}});
  EXPECT_EQ(verdict({{"pools", {degraded}}}), V::problems);
  EXPECT_EQ(verdict({{"held", {{{"name", "SLOT 06"}, {"text", "8 pending sectors"}}}}}),
            V::problems);
  EXPECT_EQ(
      verdict({{"maintenance",
                {{"text", "Messages wait until 18:00."}, {"end", "fmadm maintenance end 3"}}}}),
      V::problems);
  EXPECT_EQ(
      verdict({{"unanswering", {{{"name", "tank"}, {"text", "pool tank does not respond"}}}}}),
      V::problems);
  const std::string text = status_text(status_of(documents({{"pools", {degraded}}}), Inventory()));
  EXPECT_EQ(text.find("vm: pool tank is DEGRADED"), 0u) << text;
  EXPECT_NE(
      text.find("Pools       : tank DEGRADED\n                SLOT 03 was removed 40 s ago.\n"),
      text.npos)
      << text;
}

// On one line.
std::string ui_words(const std::string& text) {
  std::istringstream words(text);
  std::string out;
  for (std::string word; words >> word;) out += (out.empty() ? "" : " ") + word;
  return out;
}

std::string first_line(const nlohmann::json& now, bool dry_run = false) {
  StatusDocuments docs = documents(now);
  docs.config["dry_run"] = dry_run;
  const std::string text = status_text(status_of(docs, Inventory()));
  return text.substr(0, text.find("  "));
}

TEST(Advice, TheFirstLineSaysWhatIsSuspectedAndInWhichModeFmdIs) {
  const nlohmann::json held{{"name", "SLOT 06"}, {"text", "8 pending sectors"}};
  const nlohmann::json window{{"text", "Messages wait until 18:00."},
                              {"end", "fmadm maintenance end 3"}};
  EXPECT_EQ(first_line({{"held", {held}}}), "vm: no open problem, SLOT 06 is suspected");
  EXPECT_EQ(first_line({{"held", {held, held}}}), "vm: no open problem, 2 parts are suspected");
  EXPECT_EQ(first_line({{"maintenance", window}}), "vm: no open problem (maintenance)");
  EXPECT_EQ(first_line(nlohmann::json::object(), true), "vm: no open problem (dry run)");
  EXPECT_EQ(first_line({{"maintenance", window}}, true),
            "vm: no open problem (dry run, maintenance)");
}

// 'fmadm dry-run off' overrides the file, which then contradicts it.
TEST(Advice, ADryRunOfTheFileIsEndedInTheFile) {
  StatusDocuments docs = documents(nlohmann::json::object());
  docs.config["dry_run"] = true;
  const auto line = [&] { return ui_words(status_text(status_of(docs, Inventory()))); };
  EXPECT_NE(line().find("End it with: fmadm dry-run off"), std::string::npos) << line();
  docs.config["dry_run_in_file"] = true;
  EXPECT_NE(
      line().find("fmd.toml has dry_run = true. End it: remove that line and run 'fmadm "
                  "reload', or run 'fmadm dry-run off', which overrides the file from then on"),
      std::string::npos)
      << line();
}

// Parts that fmd cannot see do not count as watched.
TEST(Advice, PartsWhosePluginIsAwayAreNotWatched) {
  const auto part = [](const char* fmri, const char* type) {
    Resource r;
    r.fmri = fmri;
    r.type = type;
    return r;
  };
  Inventory inventory;
  inventory.apply({"system", {part("mem://dimm=1", "dimm")}, {}, false});
  inventory.apply({"ipmi", {part("hc://c/fan=1", "fan")}, {}, false});
  inventory.apply({"disk", {part("dev://wwn=1", "disk")}, {}, false});
  Resource smart = part("dev://wwn=1", "disk");
  smart.properties["smart.state"] = std::string("observed");
  inventory.apply({"smart", {std::move(smart)}, {}, false});
  const auto text = [&](const char* cpu, const char* ipmi, const char* smart_state) {
    StatusDocuments docs = documents(nlohmann::json::object());
    for (const auto& [name, state] : {std::pair{"disk", "ok"},
                                      {"system", "ok"},
                                      {"cpu", cpu},
                                      {"ipmi", ipmi},
                                      {"smart", smart_state}})
      docs.plugins.push_back({{"name", name}, {"state", state}});
    return status_text(status_of(docs, inventory));
  };
  const std::string well = text("ok", "ok", "degraded");
  EXPECT_NE(
      well.find("\nWatched     : 1 disk (1 with SMART), 1 fan, 1 memory module by 5 plugins\n"),
      well.npos)
      << well;
  EXPECT_EQ(well.find("Not seen"), well.npos) << well;
  const std::string blind = text("dead", "stopped", "silent");
  for (const char* line :
       {"\nWatched     : 1 disk (SMART not seen: fmd-smart does not observe) by 3 plugins\n",
        "\nNot seen    : 1 memory module: fmd-cpu does not observe\n",
        "\nNot seen    : 1 fan: fmd-ipmi does not observe\n"})
    EXPECT_NE(blind.find(line), blind.npos) << blind;
}

TEST(Advice, SaysWhichDiskToPullFirstAndWhichToTakeOut) {
  const nlohmann::json now{
      {"pull_order", {{{"text", "Pull one disk of pool tank at a time, SLOT 04 first."}}}},
      {"old_disks", {{{"text", "The old disk is still in SLOT 05: take it out."}}}}};
  const std::string text = status_text(status_of(documents(now), Inventory()));
  EXPECT_NE(text.find("\n  Pull one disk of pool tank at a time, SLOT 04 first.\n"), text.npos)
      << text;
  EXPECT_NE(text.find("\nOld disk    : The old disk is still in SLOT 05: take it out.\n"),
            text.npos)
      << text;
}

TEST(Advice, WhatNeedsNobodyIsNoProblem) {
  StatusDocuments docs = documents(nlohmann::json::object());
  AdvisedCase page = advised("9e858a21", "Minor", "nobody");
  page.c.information = true;
  docs.cases.push_back(page.c);
  docs.advice.emplace_back(page.advice);
  const Status status = status_of(docs, Inventory());
  EXPECT_EQ(status.verdict(), Status::Verdict::ok);
  const std::string text = status_text(status);
  EXPECT_EQ(text.find("vm: no open problem"), 0u) << text;
  EXPECT_NE(text.find("\n  Info      SLOT 04 returns wrong data"), text.npos) << text;
  // The same word in 'fmadm faulty', its table, and without advice.
  docs.advice.back().reset();
  for (const std::string& shown :
       {advice_text(page, Surroundings{}), case_row(page.c), status_text(status_of(docs, {}))}) {
    EXPECT_NE(shown.find("Info"), shown.npos) << shown;
    EXPECT_EQ(shown.find("Minor"), shown.npos) << shown;
  }
}

TEST(Advice, AnOlderFmdGivesNone) {
  EXPECT_FALSE(ui::advice_in(nlohmann::json{{"uuid", "x"}}));
  EXPECT_FALSE(ui::advice_in(nlohmann::json{{"say", 3}}));
}

}  // namespace
}  // namespace fmd::cli
