// ToldWorld: a machine with a pool of six disks in bays SLOT 00 … SLOT 05, a spare in SLOT 07, and
// a case of one fault class in the state that a test needs. Inventory and actions are as the
// plugins and the reconciler would report them.
#pragma once
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "fmd/advice/say.h"
#include "fmd/model/case.h"
#include "fmd/model/inventory.h"
#include "fmd/rules/fault_class.h"

namespace fmd::test {

class ToldWorld {
 public:
  explicit ToldWorld(const FaultClass& fault);

  // The case's part is a disk of the pool, and the fault requires its replacement.
  bool of_disk() const { return c.suspects[0].fru.starts_with("dev://wwn="); }
  void reach(SayState state);
  // A disk that was put into another bay than the part's cannot be used.
  void refuse_disk_elsewhere();
  // After unfit_disk: the old disk has been put into SLOT 08.
  void move_old_disk();
  void bring_blank_disk();  // into the bay
  void bring_disk(const std::string& content) { put_in(content); }
  void use_new_disk();   // after unfit_disk: another vdev of the pool has it
  void lose_new_disk();  // after resilvering: it is out of its bay
  void rehearse() { dry_run_ = true; }
  void replace_by_hand() { auto_replace_ = false; }  // [action] auto_replace
  void leave_to_zed();                               // act = "unless-zed" in zfs.toml
  void add_shelf(const std::string& label);          // with its own SLOT 04
  void forget_bay();                                 // no enclosure reports the bay
  void light(bool on);
  void taken_out_by(const std::string& whom);
  // As after `fmadm repaired`, while the vdev is still out of service.
  void call_repaired();
  void refuse_last_copy();  // two other disks of its group are out of service
  void suspend_pool();
  void split();
  void add_exhausted_mirror();
  void of_role(const std::string& role);  // its disk in the pool: "cache"
  void offer_spare();
  void offer_disk_elsewhere();  // a blank one
  void stop_plugin();           // that of the pool
  void plan(ActionKind kind);
  void fault_by_zfs();
  // In the state unfit_disk. how: what allows the disk.
  void refuse_new_disk(Unfit unfit, const std::string& why, const std::string& how);
  void degrade_others();  // two more disks of the pool
  void empty_bay();       // as reported by the enclosure
  void know_bay_from_drawing();
  void acquit();
  void lose_disk(int n);  // another disk of the pool is out of its bay
  void put_back(int n);
  void leave_pool();  // no vdev uses the part's disk any longer
  Say say() const;
  const Inventory& inventory() const { return inventory_; }

  Case c;
  std::vector<const Case*> others;  // open cases about other parts

 private:
  void set(const std::string& fmri, const std::string& property, Value value);
  void act(ActionKind kind, ActionState state, Obstacle obstacle = Obstacle::none,
           std::string detail = {}, Unfit unfit = Unfit::none, std::string why = {});
  void pull();
  void put_in(const std::string& content);

  Inventory inventory_;
  bool dry_run_ = false, auto_replace_ = true;
  std::string window_;
};

// The states that a case of this fault can be in.
std::vector<SayState> states_of(const FaultClass& fault);
// Calls look for each shipped fault in each of its states.
void each_world(const std::function<void(const FaultClass&, SayState, const ToldWorld&)>& look);

// The fault of a disk that returns wrong data.
const FaultClass& checksum_fault();
// Whether one of the sentences contains these words.
bool any_says(const std::vector<std::string>& sentences, std::string_view words);

}  // namespace fmd::test
