// One owner for every action: what fmd did and nobody wishes any more is given back, once; what a
// person, the kernel or ZED did is theirs.
#include "fmd/reconcile/tests/reconciler_rig.h"

namespace fmd::test {
namespace {

const std::string kRestore = "restore zfs://pool=1/vdev=1 KEY";
using Verdict = Engine::Verdict;

TEST_F(ReconcilerTest, AcquittedIsGivenBackBeforeItIsResolved) {
  retire_fully(1);
  judge(Verdict::acquitted, "case-1");
  EXPECT_EQ(state(), "REPAIRED");
  EXPECT_EQ(act(), (Lines{kRestore, "set_led hc://chassis=c/bay=1 " + kLedOff}));
  EXPECT_EQ(state(), "REPAIRED") << "the spare is owed";
  EXPECT_EQ(act(), (Lines{"spare_out zfs://pool=1/vdev=1 KEY"}));
  EXPECT_TRUE(step().empty());
  EXPECT_EQ(state(), "RESOLVED");
  EXPECT_EQ(standing(), "");
  EXPECT_EQ(table(), "");
}

TEST_F(ReconcilerTest, AResolvedCaseActsNoMore) {
  retire_fully(1);
  judge(Verdict::acquitted, "case-1");
  for (int i = 0; i < 4; ++i) act();
  ASSERT_EQ(state(), "RESOLVED");
  put_vdev(1, {{"service", "out-of-service"}, {"state", "OFFLINE"}});  // zpool offline by hand
  for (int i = 0; i < 10; ++i) {
    wait(30);
    EXPECT_TRUE(step().empty());
  }
}

TEST_F(ReconcilerTest, WhatSomebodyElseTookOutIsLeftOut) {
  for (const char* const word : {"OFFLINE", "FAULTED"}) {
    convict(2);  // another part, so that there is a case at all
    act();
    put_vdev(1, {{"service", "out-of-service"}, {"state", word}, {"retired_by", ""}});
    convict(1);
    act();
    judge(Verdict::acquitted, engine->cases_by_asru(vdev(1)).front()->uuid);
    for (int i = 0; i < 10; ++i) {
      wait(30);
      for (const Command& c : step()) {
        EXPECT_NE(c.name, CommandName::restore) << word;
        finish(c);
        take_effect(c);
      }
    }
    EXPECT_EQ(vdevs[1]["state"], word);
  }
}

// A page of memory: the claim is given up, the page stays out of use until the machine restarts.
TEST_F(ReconcilerTest, WhatLastsUntilTheBootIsNoDebtOnceItsPluginHasGivenItUp) {
  convict(1);
  for (const Command& c : step()) {
    finish(c);
    if (c.name == CommandName::retire)
      put_vdev(1, {{"service", "out-of-service"},
                   {"state", "out of use"},
                   {"retired_by", c.key},
                   {"service_until", "boot"}});
  }
  act();
  judge(Verdict::acquitted, "case-1");
  bool given_up = false;
  for (int i = 0; i < 4; ++i) {
    for (const Command& c : step()) {
      if (c.name == CommandName::restore) {
        given_up = true;
        put_vdev(1, {{"retired_by", ""}});  // first what has changed, then the answer
      }
      finish(c);
      if (c.name != CommandName::restore) take_effect(c);
    }
  }
  EXPECT_TRUE(given_up);
  for (const auto& entry : the_case().timeline)
    EXPECT_EQ(entry.text.find("somebody else"), std::string::npos) << entry.text;
  EXPECT_EQ(table().find("retire"), std::string::npos) << table();
}

TEST_F(ReconcilerTest, WhatTheKernelFaultsAfterwardsIsTheKernels) {
  convict(1);
  act();
  ASSERT_EQ(vdevs[1]["state"], "DEGRADED");
  put_vdev(1, {{"service", "out-of-service"}, {"state", "FAULTED"}, {"retired_by", ""}});
  act();
  judge(Verdict::acquitted, "case-1");
  for (int i = 0; i < 10; ++i) {
    wait(30);
    for (const std::string& sent : act()) EXPECT_FALSE(sent.starts_with("restore")) << sent;
  }
  EXPECT_EQ(vdevs[1]["state"], "FAULTED");
  EXPECT_EQ(state(), "REPAIRED") << "the part is not in service; nothing is owed by fmd";
  EXPECT_EQ(the_case().owed, 1u) << "but the spare, which holds the data";
}

TEST_F(ReconcilerTest, ASecondFaultTakesOverWhatTheFirstDid) {
  retire_fully(1);
  judge(Verdict::acquitted, "case-1");
  const auto restoring = step();  // on its way
  convict(1);
  EXPECT_EQ(table().find("case-1 undoing") != std::string::npos, true) << table();
  for (const Command& c : restoring) {
    finish(c);
    take_effect(c);
  }
  int changes = 0;
  for (int i = 0; i < 20; ++i) {
    wait(3);
    for (const std::string& sent : act())
      if (sent.starts_with("retire") || sent.starts_with("restore")) ++changes;
  }
  EXPECT_LE(changes, 3) << "no fight between the two";
  EXPECT_EQ(vdevs[1]["service"], "out-of-service");
  EXPECT_EQ(reconciler->interventions().owned_by("case-1").size(), 0u);
  EXPECT_EQ(state(2), "CLOSED");
}

TEST_F(ReconcilerTest, OwnershipPassesToTheNewerCaseBeforeAnythingIsUndone) {
  retire_fully(1);
  plugins = false;  // the restore cannot go out
  judge(Verdict::acquitted, "case-1");
  step();
  convict(1);
  plugins = true;
  reconciler->handlers_changed();
  for (const std::string& sent : act()) EXPECT_EQ(sent.find("restore"), std::string::npos);
  EXPECT_EQ(reconciler->interventions().owned_by("case-2").size(), 3u);
  EXPECT_EQ(the_case(1).owed, 0u);
}

TEST_F(ReconcilerTest, ARetirementWithoutAnAnswerIsUndoneWhenItTakesEffectAfterAll) {
  convict(1);
  Command retire;
  for (const Command& c : step()) {
    if (c.name == CommandName::retire)
      retire = c;
    else {
      finish(c);
      take_effect(c);
    }
  }
  finish(retire, CommandStatus::failed, "no answer in 60s", true);
  judge(Verdict::acquitted, "case-1");
  wait(1);
  Command undo;
  for (const Command& c : step()) {
    if (c.name == CommandName::restore)
      undo = c;
    else
      finish(c);
  }
  ASSERT_EQ(undo.args, fmt::format(R"({{"key":"{}"}})", retire.key))
      << "asked to undo what may be done";
  take_effect(retire);  // before the plugin has come to the second command
  finish(undo);
  take_effect(undo);
  put_bay(1, {disk(1)}, "off");
  wait(10);
  act();
  step();
  EXPECT_EQ(vdevs[1]["service"], "in-service");
  EXPECT_EQ(state(), "RESOLVED");
}

TEST_F(ReconcilerTest, WhatTookEffectUnseenIsFoundByItsKey) {
  convict(1);
  const auto sent = step();
  const auto retire = std::find_if(sent.begin(), sent.end(),
                                   [](const Command& c) { return c.name == CommandName::retire; });
  ASSERT_NE(retire, sent.end());
  finish(*retire, CommandStatus::failed, "the command was taken, but vdev1 is ONLINE");
  judge(Verdict::acquitted, "case-1");
  step();
  EXPECT_EQ(table().find("retire"), std::string::npos)
      << "nothing seen, nothing to undo: " << table();
  take_effect(*retire);
  wait(10);
  EXPECT_EQ(act().front(), kRestore);
}

// A person's order to go further took effect after its answer was given up, over what a case had done.
TEST_F(ReconcilerTest, ALateOrderIsFoundOverWhatACaseHadDone) {
  convict(1);
  act();
  ASSERT_TRUE(reconciler->order_retire(vdev(1), Service::out_of_service, "root", now).has_value());
  std::vector<Command> sent = step();
  const auto order = std::find_if(sent.begin(), sent.end(),
                                  [](const Command& c) { return c.name == CommandName::retire; });
  ASSERT_NE(order, sent.end());
  judge(Verdict::acquitted, "case-1");
  finish(*order, CommandStatus::failed, "no answer in time", true);
  step();
  take_effect(*order);
  step();
  EXPECT_TRUE(table().starts_with("retire 1 root in-force")) << table();
}

TEST_F(ReconcilerTest, DoneBeforeBySomebodyElseIsTheirs) {
  convict(1);
  for (const Command& c : step()) {
    finish(c, CommandStatus::done, "already so", false, c.name == CommandName::retire);
    if (c.name == CommandName::set_led) take_effect(c);
  }
  put_vdev(1, {{"service", "degraded"}, {"state", "DEGRADED"}});
  step();
  EXPECT_EQ(action(ActionKind::retire, vdev(1)), "done not-ours");
  judge(Verdict::acquitted, "case-1");
  for (int i = 0; i < 5; ++i) {
    wait(10);
    for (const std::string& sent : act()) EXPECT_FALSE(sent.starts_with("restore")) << sent;
  }
}

// "It is so already" was said of a disk that had just been pulled; it is there again, as it was when fmd asked.
TEST_F(ReconcilerTest, DoneBeforeIsAskedAnewAfterItWasUndone) {
  convict(1);
  for (const Command& c : step()) finish(c, CommandStatus::done, "", false, true);
  put_vdev(1, {{"service", "removed"}, {"state", "REMOVED"}});
  for (const Command& c : step()) finish(c, CommandStatus::refused, "no spare");
  put_vdev(1, {{"service", "in-service"}, {"state", "ONLINE"}});
  const Lines sent = act();
  EXPECT_TRUE(std::any_of(sent.begin(), sent.end(), [](const std::string& line) {
    return line.starts_with("retire");
  })) << "it is in service with its fault";
}

TEST_F(ReconcilerTest, ASpareOfZedsIsLeftIn) {
  convict(1);
  act();
  put_vdev(1, {{"spare", "active"}});  // no key: not fmd's
  for (const std::string& sent : act()) EXPECT_FALSE(sent.starts_with("spare")) << sent;
  judge(Verdict::acquitted, "case-1");
  for (int i = 0; i < 5; ++i) {
    wait(10);
    for (const std::string& sent : act()) EXPECT_FALSE(sent.starts_with("spare")) << sent;
  }
  EXPECT_EQ(state(), "RESOLVED") << "nothing of fmd's is left";
  EXPECT_EQ(standing(), "");
}

TEST_F(ReconcilerTest, APulledDiskIsNotRestoredUntilItIsThere) {
  retire_fully(1);
  judge(Verdict::acquitted, "case-1");
  gone(vdev(1), "removed");
  int sent = 0;
  for (int i = 0; i < 100; ++i) {
    wait(300);
    reconciler->resource_changed(vdev(1));
    for (const Command& c : step())
      if (c.resource == vdev(1)) ++sent;
  }
  EXPECT_EQ(sent, 0);
  EXPECT_EQ(state(), "REPAIRED");
  EXPECT_EQ(action(ActionKind::retire, vdev(1)), "returning");
  put_vdev(1, {});
  EXPECT_EQ(act().front(), kRestore);
}

TEST_F(ReconcilerTest, SomebodyWhoPutsItBackTwiceIsNotFought) {
  convict(1);
  int retired = 0;
  for (int i = 0; i < 40; ++i) {
    wait(5);
    for (const std::string& sent : act())
      if (sent.starts_with("retire")) ++retired;
    if (i % 2 && vdevs[1]["service"] != "in-service")
      put_vdev(1, {{"service", "in-service"}, {"state", "ONLINE"}, {"retired_by", ""}});
  }
  EXPECT_EQ(retired, 2);
  EXPECT_EQ(action(ActionKind::retire, vdev(1)), "refused contested");
  restart();
  wait(3600);
  for (const std::string& sent : act()) EXPECT_FALSE(sent.starts_with("retire")) << sent;
}

// However often the machine is restarted, and however soon: that is nobody's putting back.
TEST_F(ReconcilerTest, WhatARestartEndsIsDoneAgainEachTime) {
  convict(1);
  int retired = 0;
  for (int i = 0; i < 10; ++i) {
    wait(5);
    for (int look = 0; look < 3; ++look)
      for (const std::string& sent : act())
        if (sent.starts_with("retire")) ++retired;
    EXPECT_EQ(action(ActionKind::retire, vdev(1)), "done") << i;
    if (i % 2 == 0) restart();
    put_vdev(1, {{"service", "in-service"},
                 {"state", "ONLINE"},
                 {"retired_by", ""},
                 {"service_by", "restart"}});
  }
  EXPECT_EQ(retired, 10);
  int said = 0;
  for (const auto& entry : the_case().timeline) {
    said += entry.text.find("since the machine was restarted") != std::string::npos;
    EXPECT_EQ(entry.text.find("not by fmd"), std::string::npos) << entry.text;
  }
  EXPECT_EQ(said, 9);
}

TEST_F(ReconcilerTest, ALightThatIsAskedForTwiceGoesOutWithTheLast) {
  convict(1);
  act();
  put(disk(1), "disk", {{"serial", "S"}, {"smart.status", "failed"}}, {});
  act();
  judge(Verdict::acquitted, "case-1");
  act();
  resilvered(1);
  for (int i = 0; i < 3; ++i) act();
  EXPECT_EQ(table(), "");
}

TEST_F(ReconcilerTest, TheLightFollowsThePartToAnotherBay) {
  convict(1);
  act();
  put_bay(1, {}, "on");
  put_bay(3, {disk(3), disk(1)}, "off");
  const Lines sent = act();
  EXPECT_NE(std::find(sent.begin(), sent.end(), "set_led hc://chassis=c/bay=3 " + kLedOn),
            sent.end());
  EXPECT_NE(std::find(sent.begin(), sent.end(), "set_led hc://chassis=c/bay=1 " + kLedOff),
            sent.end());
}

TEST_F(ReconcilerTest, AfterARestartTheTableIsWhatItWas) {
  retire_fully(1);
  const std::string before = table();
  restart();
  step();
  EXPECT_EQ(table(), before);
  judge(Verdict::acquitted, "case-1");
  EXPECT_EQ(act(), (Lines{kRestore, "set_led hc://chassis=c/bay=1 " + kLedOff}));
}

TEST_F(ReconcilerTest, WithItsCaseLostNothingIsGivenBack) {
  retire_fully(1);
  hear();
  for (const StateRow& row : reconciler->take_changes()) rows[{row.kind, row.key}] = row.doc;
  std::erase_if(rows, [](const auto& row) { return row.first.first == "case"; });
  restart();
  for (int i = 0; i < 3; ++i) {
    wait(60);
    EXPECT_TRUE(step().empty()) << "whether the part is well nobody can say";
  }
  EXPECT_NE(table(), "");
  EXPECT_EQ(reconciler->take_forgotten(), std::set<std::string>{vdev(1)});
  wait(60);
  step();
  EXPECT_TRUE(reconciler->take_forgotten().empty()) << "once";
  // The report itself may be lost, with a kill before it is stored.
  restart();
  step();
  EXPECT_EQ(reconciler->take_forgotten(), std::set<std::string>{vdev(1)});
  convict(1);
  step();
  restart();
  step();
  EXPECT_TRUE(reconciler->take_forgotten().empty()) << "a case owns it";
}

// The database is lost, and the plugin still knows what fmd did.
TEST_F(ReconcilerTest, WithTheDatabaseLostAPluginsMemoryIsAdoptedAndANewCaseUndoesIt) {
  const std::string lost = "3f2504e0-4f89-41d3-9a0c-0305e82c3301";
  put_vdev(1, {{"service", "out-of-service"},
               {"state", "FAULTED"},
               {"retired_by", lost + ":retire:1.1"},
               {"spare", "active"},
               {"spare_key", lost + ":spare:1.2"}});
  put_bay(1, {disk(1)}, "on");
  for (int i = 0; i < 3; ++i) {
    wait(60);
    EXPECT_TRUE(step().empty()) << "whether the part is well nobody can say";
  }
  EXPECT_EQ(reconciler->take_forgotten(), std::set<std::string>{vdev(1)});
  EXPECT_EQ(reconciler->take_forgotten(), std::set<std::string>());
  const auto& all = reconciler->interventions();
  for (const auto& [kind, part] : {std::pair{InterventionKind::retire, vdev(1)},
                                   {InterventionKind::spare, vdev(1)},
                                   {InterventionKind::fault_led, bay(1)}}) {
    const Intervention* i = all.find(kind, part);
    ASSERT_TRUE(i) << part;
    EXPECT_TRUE(i->owner.is_case(lost));
  }
  convict(1);
  EXPECT_TRUE(act().empty()) << "all that the case wishes is so";
  judge(Verdict::acquitted, "case-1");
  EXPECT_EQ(act(), (Lines{kRestore, "set_led hc://chassis=c/bay=1 " + kLedOff}));
  EXPECT_EQ(act(), (Lines{"spare_out zfs://pool=1/vdev=1 KEY"}));
  EXPECT_TRUE(step().empty());
  EXPECT_EQ(state(), "RESOLVED");
  EXPECT_EQ(table(), "");
}

// All is reported at once after the loss of the database: what fmd did counts before it does more, whatever the order.
TEST_F(ReconcilerTest, WhatALostCaseDidCountsForTheBlastRadius) {
  ActionConfig config;
  config.max_retired = 1;
  reconciler->set_config(config);
  convict(1);
  put_vdev(3, {{"service", "out-of-service"},
               {"state", "FAULTED"},
               {"retired_by", "3f2504e0-4f89-41d3-9a0c-0305e82c3301:retire:1.1"}});
  for (const Command& c : step()) EXPECT_NE(c.name, CommandName::retire) << c.resource;
}

// A plugin answers a repeated key from memory. What is adopted after the loss of the database keeps its key.
TEST_F(ReconcilerTest, AnUndoAfterTheLossOfTheDatabaseHasANewKey) {
  const std::string lost = "3f2504e0-4f89-41d3-9a0c-0305e82c3301";
  std::set<std::string> keys;
  size_t sent = 0;
  for (int life = 0; life < 3; ++life) {
    put_vdev(1, {{"service", "out-of-service"},
                 {"state", "FAULTED"},
                 {"retired_by", lost + ":retire:1.1"},
                 {"spare", "active"},
                 {"spare_key", lost + ":spare:1.2"}});
    put_bay(1, {disk(1)}, "on");
    put_disk(disk(1), "S1", "used");
    step();
    convict(1);
    step();
    judge(Verdict::acquitted, engine->cases_by_asru(vdev(1)).front()->uuid);
    for (const Command& c : step()) {
      EXPECT_TRUE(keys.insert(c.key).second) << c.key;
      ++sent;
    }
    hear();
    reconciler->take_changes();
    rows.clear();  // the database is lost
    restart();
    wait(60);
  }
  EXPECT_EQ(sent, 6u) << "restore, and the fault LED";
}

// "Done", and the LED is lit: by someone else, or the LED is defective.
TEST_F(ReconcilerTest, ALightThatStaysOnIsAdoptedOnce) {
  const std::string lost = "3f2504e0-4f89-41d3-9a0c-0305e82c3301";
  put_vdev(1, {{"spare", "active"}, {"spare_key", lost + ":spare:1.2"}});
  put_bay(1, {disk(1)}, "on");
  step();
  convict(1);
  step();
  judge(Verdict::acquitted, "case-1");
  int times = 0;
  for (int i = 0; i < 50; ++i) {
    for (const Command& c : step()) {
      finish(c);
      if (c.name == CommandName::set_led) ++times;
    }
    wait(10);
  }
  EXPECT_EQ(times, 1);
}

TEST_F(ReconcilerTest, ALightThatWasOffSinceTheLossOfTheDatabaseIsNotAdopted) {
  const std::string lost = "3f2504e0-4f89-41d3-9a0c-0305e82c3301";
  put_vdev(1, {{"spare", "active"}, {"spare_key", lost + ":spare:1.2"}});
  step();
  put_bay(1, {disk(1)}, "on");  // by a person
  for (int i = 0; i < 5; ++i) {
    EXPECT_TRUE(step().empty());
    wait(60);
  }
  EXPECT_FALSE(reconciler->interventions().find(InterventionKind::fault_led, bay(1)));
}

// fmd had only brought in a spare, and the disk is healthy again. The case about it does not retire the disk.
TEST_F(ReconcilerTest, ACaseThatOnlyOwnsWhatALostOneDidAddsNothingAndGivesItBack) {
  const std::string lost = "3f2504e0-4f89-41d3-9a0c-0305e82c3301";
  put_vdev(1, {{"spare", "active"}, {"spare_key", lost + ":spare:1.2"}});
  EXPECT_TRUE(step().empty());
  convict(1, "ereport.t.pulled");
  EXPECT_TRUE(act().empty());
  EXPECT_TRUE(
      reconciler->interventions().find(InterventionKind::spare, vdev(1))->owner.is_case("case-1"));
  judge(Verdict::acquitted, "case-1");
  EXPECT_EQ(act(), (Lines{"spare_out zfs://pool=1/vdev=1 KEY"}));
  EXPECT_TRUE(step().empty());
  EXPECT_EQ(table(), "");
}

TEST_F(ReconcilerTest, AKeyThatIsNoCasesIsNotAdopted) {
  put_vdev(1, {{"service", "out-of-service"}, {"state", "FAULTED"}, {"retired_by", "fmd:x:1"}});
  step();
  EXPECT_EQ(table(), "");
  EXPECT_TRUE(reconciler->take_forgotten().empty());
}

}  // namespace
}  // namespace fmd::test
