// Writes a history from a seed. Most steps concern one or two parts, because bugs appear where
// several actors change the same part.
#include <algorithm>

#include "chance.h"
#include "history.h"

namespace fmd::histories {
namespace {

using K = StepKind;

class Author {
 public:
  explicit Author(uint64_t seed) : chance_(seed ^ 0x5851f42d4c957f2dULL) {
    history_.seed = seed;
    history_.shape = draw_shape(seed);
  }

  History write() {
    const int places = history_.shape.slots() + history_.shape.spares();
    focus_ = {chance_.below(history_.shape.slots()), chance_.below(places)};
    if (chance_.percent(45)) plot();
    now_ = gap();
    const int steps = chance_.between(4, 30);
    for (int i = 0; i < steps; ++i) {
      one();
      now_ += gap();
    }
    const Ns end = now_;
    if (chance_.percent(25)) lies();
    if (chance_.percent(15)) loss(end);
    std::stable_sort(history_.steps.begin(), history_.steps.end(),
                     [](const Step& a, const Step& b) { return a.at < b.at; });
    return std::move(history_);
  }

 private:
  Ns gap() {
    const int kind = chance_.below(100);
    if (kind < 25) return chance_.between(0, 400) * kMs;
    if (kind < 55) return chance_.between(200, 6000) * kMs;
    if (kind < 77) return chance_.between(5, 60) * kSec;
    if (kind < 92) return chance_.between(1, 20) * kMin;
    if (kind < 98) return chance_.between(20, 180) * kMin;
    return chance_.between(8, 40) * kHour;
  }

  int place() {
    const int kind = chance_.below(100);
    if (kind < 60) return focus_[0];
    if (kind < 80) return focus_[1];
    return chance_.below(history_.shape.slots() + history_.shape.spares());
  }
  int bay() { return chance_.percent(90) ? place() : chance_.below(history_.shape.bays()); }

  void add(K kind, int where, int amount = 0, int option = 0, Ns later = 0) {
    history_.steps.push_back({now_ + later, kind, where, amount, option});
  }

  void one() {
    const int kind = chance_.below(100);
    if (kind < 30) return breaks();
    if (kind < 38) return zed();
    if (kind < 50) return hands();
    if (kind < 63) return shell();
    if (kind < 76) return fmadm();
    if (kind < 88) return plugin();
    daemon();
  }

  Ns seconds(int low, int high) { return chance_.between(low * 1000, high * 1000) * kMs; }

  // Random steps rarely form a whole story, so these run in between.
  void plot() {
    now_ = seconds(0, 30);
    switch (chance_.below(6)) {
      case 0:
        return swap();
      case 1:
        return fight();
      case 2:
        return several();
      case 3:
        return loose_disk();
      case 4:
        return to_and_fro();
      default:
        add(K::scrub, focus_[0], chance_.between(20, 300));
        add(K::checksum_errors, focus_[0], 12, 1, seconds(1, 20));
        add(K::checksum_errors, focus_[0], 12, 0, seconds(5, 400));
    }
  }

  K some_failure() {
    return chance_.pick<K>({{50, K::checksum_errors}, {25, K::io_errors}, {25, K::kernel_faults}});
  }

  // A disk fails and is replaced, as fmd's message asks.
  void swap() {
    add(some_failure(), focus_[0], 12);
    const Ns pulled = seconds(20, 200);
    add(K::pull, focus_[0], 0, 0, pulled);
    add(K::put_other, focus_[0], content(), 0, pulled + seconds(1, 60));
    if (chance_.percent(30)) add(some_failure(), focus_[0], 12, 0, pulled + seconds(10, 2000));
  }

  // ZED brings a failed disk online again and again.
  void fight() {
    add(some_failure(), focus_[0], 12);
    Ns later = seconds(5, 40);
    for (int i = chance_.between(2, 7); i > 0; --i, later += seconds(1, 90)) {
      add(K::zed_onlines, focus_[0], 0, 0, later);
      if (chance_.percent(60)) add(K::zed_clears, focus_[0], 0, 0, later + kMs);
    }
  }

  // A failing cable or shelf: several disks of a pool at once.
  void several() {
    const K how = some_failure();
    const int first = chance_.below(history_.shape.slots());
    for (int i = chance_.between(3, 6); i > 0; --i) add(how, first + i, 12, 0, seconds(0, 3));
  }

  // A disk is pulled and reinserted several times.
  void loose_disk() {
    if (chance_.percent(50)) add(some_failure(), focus_[0], 12);
    Ns later = seconds(1, 60);
    for (int i = chance_.between(2, 5); i > 0; --i) {
      add(K::pull, focus_[0], 0, 0, later);
      later += seconds(1, 30);
      add(K::put_back, focus_[0], 0, 0, later);
      if (chance_.percent(80)) add(K::zed_onlines, focus_[0], 0, 0, later + kSec);
      later += seconds(1, 120);
    }
  }

  // A part alternates between faulty and healthy.
  void to_and_fro() {
    Ns later = 0;
    for (int i = chance_.between(2, 5); i > 0; --i) {
      add(some_failure(), focus_[0], 12, 0, later);
      later += seconds(1, 40);
      add(chance_.pick<K>({{35, K::fmadm_acquit},
                           {25, K::fmadm_repaired},
                           {20, K::fmadm_restore},
                           {20, K::zpool_clear}}),
          focus_[0], 0, 0, later);
      later += seconds(0, 20);
    }
  }

  void breaks() {
    const K kind = chance_.pick<K>({{35, K::checksum_errors},
                                    {18, K::io_errors},
                                    {8, K::probe_failure},
                                    {12, K::kernel_faults},
                                    {6, K::smart_failed},
                                    {3, K::smart_passed},
                                    {4, K::smart_grows},
                                    {14, K::scrub}});
    if (kind == K::scrub) return add(kind, place(), chance_.between(2, 900));
    const bool many = chance_.percent(85);
    const int amount = kind == K::smart_grows ? chance_.between(1, 30)
                       : many                 ? 12
                                              : chance_.between(1, 9);
    // Sometimes several parts at once, as with a failing cable or shelf.
    const int parts = chance_.percent(18) ? chance_.between(2, 5) : 1;
    const int first = place(), scrub = chance_.percent(20) ? 1 : 0;
    for (int i = 0; i < parts; ++i)
      add(kind, first + i, amount, scrub, i * chance_.between(0, 700) * kMs);
  }

  void zed() {
    add(chance_.pick<K>({{25, K::zed_degrades},
                         {20, K::zed_faults},
                         {25, K::zed_spare_in},
                         {20, K::zed_onlines},
                         {10, K::zed_clears}}),
        place());
  }

  void hands() {
    const K kind = chance_.pick<K>({{45, K::pull},
                                    {15, K::put_back},
                                    {15, K::put_other},
                                    {8, K::move_disk},
                                    {8, K::light_on},
                                    {9, K::light_off}});
    const int where = bay();
    if (kind == K::move_disk) return add(kind, where, chance_.below(history_.shape.bays()));
    if (kind == K::put_other) return add(kind, where, content());
    add(kind, where);
    if (kind != K::pull || chance_.percent(25)) return;
    const Ns later =
        chance_.percent(60) ? chance_.between(1, 60) * kSec : chance_.between(1, 40) * kMin;
    if (chance_.percent(45)) {
      add(K::put_back, where, 0, 0, later);
      if (history_.shape.zed) add(K::zed_onlines, where, 0, 0, later + kSec);
    } else {
      add(K::put_other, where, content(), 0, later);
    }
  }
  int content() { return chance_.pick<int>({{75, 0}, {15, 1}, {10, 2}}); }

  void shell() {
    const K kind = chance_.pick<K>({{28, K::zpool_offline},
                                    {25, K::zpool_online},
                                    {20, K::zpool_clear},
                                    {4, K::zpool_clear_pool},
                                    {8, K::zpool_spare_in},
                                    {8, K::zpool_detach_spare},
                                    {7, K::zpool_replace}});
    const int where = place();
    add(kind, where, 0, kind == K::zpool_offline && chance_.percent(30) ? 1 : 0);
  }

  void fmadm() {
    const K kind = chance_.pick<K>({{28, K::fmadm_acquit},
                                    {20, K::fmadm_repaired},
                                    {6, K::fmadm_replaced},
                                    {6, K::fmadm_acknowledge},
                                    {14, K::fmadm_retire},
                                    {14, K::fmadm_restore},
                                    {6, K::locate_on},
                                    {6, K::locate_off}});
    const bool light = kind == K::locate_on || kind == K::locate_off;
    add(kind, light ? bay() : place(), 0, chance_.percent(30) ? 1 : 0);
  }

  void plugin() {
    const int which = chance_.pick<int>({{60, 0}, {10, 1}, {25, 2}, {5, 3}});
    const K kind =
        chance_.pick<K>({{25, K::plugin_stops}, {20, K::plugin_lags}, {55, K::next_command}});
    if (kind == K::plugin_lags) return add(kind, which, chance_.between(50, 4000));
    if (kind == K::plugin_stops) {
      add(kind, which);
      if (chance_.percent(80))
        add(K::plugin_starts, which, 0, 0,
            chance_.percent(70) ? chance_.between(1, 40) * kSec : chance_.between(1, 30) * kMin);
      return;
    }
    using M = Misdeed;
    const M how = chance_.pick<M>({{15, M::answers_late},
                                   {15, M::acts_late},
                                   {15, M::fails},
                                   {8, M::refuses},
                                   {12, M::silent},
                                   {15, M::dies_before},
                                   {15, M::dies_after},
                                   {5, M::forgets_its_keys}});
    add(kind, chance_.percent(85) ? 0 : 2, 0, static_cast<int>(how));
  }

  // Concerns the disks in focus, and those in the drawer because they may be inserted.
  void lies() {
    const Ns end = now_;
    now_ = 0;
    for (int i = chance_.between(1, 8); i > 0; --i) {
      const int disk = chance_.percent(40) ? focus_[0] : chance_.below(history_.shape.disks());
      add(K::lie, disk, focus_[0], lie_of(some_liars(), chance_.below(kLies)),
          chance_.between(0, static_cast<int>(end / kSec)) * kSec);
    }
    if (chance_.percent(50)) conspiracy(end);
    if (chance_.percent(40)) add(K::lies_end, 0, 0, 0, end);
  }

  static int lie_of(Liars who, int lie) { return lie + kLies * static_cast<int>(who); }
  Liars some_liars() {
    return chance_.pick<Liars>({{40, Liars::first}, {20, Liars::second}, {40, Liars::both}});
  }

  // A liar is most convincing after it has told the truth, or if another one agrees, while the owner
  // of the part is away.
  void conspiracy(Ns end) {
    const int drawer = history_.shape.slots() + history_.shape.spares();
    const int disk = chance_.percent(50) ? chance_.between(drawer, history_.shape.disks() - 1)
                                         : chance_.below(history_.shape.disks());
    Ns at = chance_.between(0, static_cast<int>(end / kSec)) * kSec;
    const int owner = chance_.pick<int>({{25, -1}, {15, 0}, {30, 1}, {20, 2}, {10, 3}});
    add(K::lie, disk, focus_[0], lie_of(Liars::both, static_cast<int>(Lie::truth)), at);
    if (owner >= 0) add(K::plugin_stops, owner, 0, 0, at += seconds(0, 30));
    for (int i = chance_.between(1, 5); i > 0; --i) {
      const bool honest = chance_.percent(20);
      const int lie = honest ? static_cast<int>(Lie::truth) : chance_.below(kLies);
      add(K::lie, disk, chance_.percent(80) ? focus_[0] : bay(), lie_of(some_liars(), lie),
          at += seconds(0, 90));
    }
    if (owner >= 0) add(K::plugin_starts, owner, 0, 0, at + seconds(0, 200));
  }

  // Loses the database at a random time, sometimes twice.
  void loss(Ns end) {
    now_ = 0;
    for (int i = chance_.percent(15) ? 2 : 1; i > 0; --i)
      add(K::lose_database, 0, chance_.between(50, 5000), 0,
          chance_.between(0, static_cast<int>(end / kSec)) * kSec + chance_.between(0, 999) * kMs);
  }

  void daemon() {
    const K kind =
        chance_.pick<K>({{65, K::kill}, {10, K::reboot}, {18, K::clock_jumps}, {7, K::retention}});
    if (kind == K::clock_jumps)
      return add(kind, 0,
                 chance_.pick<int>(
                     {{30, 300}, {25, -300}, {20, -365 * 86400}, {20, 365 * 86400}, {5, 40}}));
    const int down =
        chance_.percent(80) ? chance_.between(50, 5000) : chance_.between(5000, 600000);
    add(kind, 0, down, chance_.pick<int>({{30, 0}, {35, 1}, {35, 2}}));
  }

  Chance chance_;
  History history_;
  std::vector<int> focus_;
  Ns now_ = 0;
};

}  // namespace

History write_history(uint64_t seed) {
  return Author(seed).write();
}

}  // namespace fmd::histories
