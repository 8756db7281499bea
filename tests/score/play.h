// Play: one scenario on a host. Events are planned (at, event, set); run() then delivers them to
// the daemon as its plugins would, and carries out fmd's commands. Simulated time.
#pragma once
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "fmd/rules/rules.h"
#include "host.h"
#include "tests/histories/chance.h"
#include "tests/histories/daemon.h"

namespace fmd::score {

class Zed;

struct Told {  // a message to people
  int64_t at;
  std::string event, uuid;  // "diagnosed", "updated", "resolved", ...
};

struct Blamed {  // a part that people were told is faulty
  int64_t at;
  std::string uuid, fault_class, severity;
  std::vector<std::string> parts;  // its FMRIs: resource, ASRU, FRU
  int certainty;
  bool first;              // the case's first suspect: where people look
  bool withdrawn = false;  // in the end fmd says that it was not the part
};

struct Done {
  int64_t at;
  std::string fmri;
};

struct Outcome {
  std::vector<Blamed> likely;  // what the inference of causes blames at the end
  std::vector<Told> told;
  std::vector<Blamed> blamed;  // in order
  std::vector<Done> retired;   // taken out of service
  std::vector<Done> spared;    // vdevs for which a spare was brought in
  std::vector<Done> lit;       // bays whose fault LED was lit
};

class Play {
 public:
  Play(Host& host, std::shared_ptr<const RuleSet> rules, histories::Chance& chance);

  ~Play();

  Host& host;
  histories::Chance& chance;
  static constexpr int64_t kStart = 1000 * kSec;
  const int64_t begin = kStart + kMin;  // earliest time of the first event; steady
  double lost = 0;                      // share of events that never arrive
  bool asks_for_odds = false;           // fills Outcome::likely
  std::function<void(const Event&, int64_t at)> heard = {};  // called for each event as it happens

  void at(int64_t when, std::function<void()> what);
  void event(int64_t when, Teller teller, std::string event_class, const std::string& resource,
             std::vector<std::pair<std::string, Value>> payload = {});
  void set(int64_t when, Teller teller, const std::string& fmri, std::string property, Value value);
  void remove(int64_t when, Teller teller, const std::string& fmri);
  void put_back(int64_t when, Teller teller, const std::string& fmri);
  void reading(int64_t when, Teller teller, const std::string& fmri, std::string name,
               int64_t value);
  void silence(Teller teller, int64_t from, int64_t to);  // its messages then arrive at the end
  void lags(Teller teller, int64_t by) { lags_[teller] = by; }
  void restarts(Teller teller, int64_t from, int64_t to);  // zfs, enclosure or smart
  void zed_acts();  // beside fmd: it retires disks and uses spares by its own rules
  void step_wall_clock(int64_t when, int64_t by);

  Outcome run(int64_t until);

 private:
  std::optional<Event> as_recorded(Teller teller, const Event& played);
  std::optional<Event> zfs_as_recorded(const Event& played);
  Moment moment() const { return {wall_offset_ + now_, now_}; }
  void send(Teller teller, InventoryUpdate update);
  void carry_out(const Command& command);
  std::string come_about(const Command& command);
  void put_service(const std::string& fmri, const std::string& service, const std::string& key);
  void told(const Tidings& tidings, const Case& c);
  bool lies_on_nothing(const std::string& fmri) const;
  int64_t arrival(Teller teller) const;
  Outcome outcome(int64_t until);
  void take_likely();
  std::string disk_with(const std::string& part) const;

  void zed_does(const std::string& vdev, const char* state);

  std::multimap<int64_t, std::function<void()>> plan_;
  std::map<Teller, int64_t> lags_;
  std::unique_ptr<Zed> zed_;
  struct Silence {
    Teller teller;
    int64_t from, to;
  };
  std::vector<Silence> silences_;

  int64_t now_ = kStart, wall_offset_ = 1'790'000'000 * kSec;
  uint64_t ena_ = 0;
  std::set<std::string> away_;  // parts that are away, known or not
  histories::Chance losing_;    // separate, so that losses do not change what happens
  std::shared_ptr<const RuleSet> rules_;
  BayHistory bays_;
  std::unique_ptr<histories::Daemon> daemon_;
  std::set<std::pair<std::string, std::string>> blamed_;
  Outcome out_;
};

}  // namespace fmd::score
