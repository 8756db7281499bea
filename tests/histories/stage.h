// Stage: plays a history deterministically. One event queue drives world, plugins and daemon; the
// watch checks the invariants. Files: stage.cpp the clock and the daemon's side, stage_plugins.cpp
// the plugins' side, stage_steps, stage_lies and stage_loss.cpp the history's steps.
#pragma once
#include <array>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "daemon.h"
#include "fmd/hub/routing.h"
#include "history.h"
#include "sim_plugin.h"
#include "watch.h"
#include "world.h"

namespace fmd::histories {

// Plugins that own no part of the simulated world. An owner could do the same harm without lying.
inline constexpr std::array<const char*, 5> kLiars{"redfish", "ipmi", "system", "cpu", "volumes"};

class Stage {
 public:
  struct Options {
    bool tell_story = false;
    std::set<std::string> but;  // invariants that are not checked
  };
  // history and options must outlive it.
  Stage(const History& history, std::shared_ptr<const RuleSet> rules, const Options& options);
  Stage(const Stage&) = delete;

  // Returns the first violated invariant.
  std::optional<Violation> play();
  const std::vector<std::string>& story() const { return story_; }

 private:
  struct Due {
    Ns at;
    uint64_t number;
    std::function<void()> what;
    bool operator<(const Due& other) const {  // for a heap: the earliest on top
      return at != other.at ? at > other.at : number > other.number;
    }
  };
  struct Flight {
    Command command;
    Source source;
  };

  // stage.cpp
  void after(Ns wait, std::function<void()> what);
  bool advance(Ns until);  // false: an invariant is violated
  void settle_world();
  Moment moment() const;
  void say(std::string_view who, const std::string& what);
  bool telling_story() const { return tell_story_; }
  Daemon::Outside outside();
  void start_daemon();
  void stop_daemon(Ns down, std::string_view why);
  void daemon_is_down();
  void run_daemon();
  void send(const Command& command);
  std::string route(const Command& command);  // the plugin's name, "" none
  void hello(std::string_view name, std::vector<std::string> handles);
  void answered(uint64_t flight, const CommandResult& result);
  void told(const Tidings& tidings, const Case& c);
  void become_quiet();
  void say_how_it_ends();

  // stage_plugins.cpp
  SimPlugin& plugin(Source source) { return plugins_[static_cast<size_t>(source)]; }
  void plan_connect(SimPlugin& p);
  void disconnect(SimPlugin& p);
  void stop_plugin(SimPlugin& p, std::string_view why);
  void start_plugin(SimPlugin& p);
  void deliver(SimPlugin& p, Ns lag, std::function<void()> what);
  void plan_look(SimPlugin& p);
  void look_now(SimPlugin& p);
  void send_events(SimPlugin& p);
  void notice(const Notice& n);
  void work(SimPlugin& p);
  void carry_out_next(SimPlugin& p);
  void act(SimPlugin& p, const SentCommand& sent, Misdeed how);
  void doubt(const Command& command);
  CommandResult do_it(const SentCommand& sent);
  void reply(SimPlugin& p, const SentCommand& sent, const CommandResult& result, Ns wait);
  void next_command(SimPlugin& p);

  // stage_steps.cpp
  void play_step(const Step& step);
  void play_break(const Step& step);
  void play_zed(const Step& step);
  void play_hands(const Step& step);
  void play_shell(const Step& step);
  void play_fmadm(const Step& step);
  void judge(Engine::Verdict verdict, int leaf);
  void play_plugin(const Step& step);
  void play_lie(const Step& step);
  void play_any_lie(const Step& step);
  std::vector<Resource> false_parts(Lie what, int disk, int bay, const char* liar) const;
  std::vector<Resource> known_truth(int disk, int bay);
  void lie(InventoryUpdate update);
  void play_daemon(const Step& step);
  void play_loss(const Step& step);
  bool undo_what_is_forgotten();  // false: an invariant is violated
  int leaf_at(int place) const;
  int bay_at(int place) const;

  const History& history_;
  bool tell_story_;
  std::vector<std::string> story_;
  World world_;
  Ns now_ = 0, wall_offset_ = 0;
  std::vector<Due> queue_;  // a heap
  uint64_t number_ = 0, flight_ = 0;
  Daemon daemon_;
  int daemon_life_ = 0;
  Ns restart_after_ = kSec;
  bool quiet_ = false;
  int runs_in_a_row_ = 0;
  Ns last_run_ = -1;
  std::array<SimPlugin, kSources> plugins_;
  std::map<uint64_t, Flight> flights_;
  std::map<int, int> last_bay_;  // by disk, for disks out of the machine
  PluginTable table_;
  PluginGrants grants_;
  Watch watch_;
};

}  // namespace fmd::histories
