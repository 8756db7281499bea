#include "carry_out.h"

#include <fmt/format.h>

#include "fmd/base/json.h"
#include "names.h"

namespace fmd::histories {
namespace {

CommandResult done(std::string reason = {}, bool already = false) {
  return {CommandStatus::done, false, already, std::move(reason)};
}
CommandResult refused(std::string reason) {
  return {CommandStatus::refused, false, false, std::move(reason)};
}
CommandResult failed(std::string reason) {
  return {CommandStatus::failed, false, false, std::move(reason)};
}

class ZfsCommand {
 public:
  ZfsCommand(World& world, const Command& command, bool ordered, Ns now)
      : world_(world),
        command_(command),
        now_(now),
        args_(nlohmann::json::parse(command.args.empty() ? "{}" : command.args, nullptr, false)) {
    hand_ = {Hand::Who::fmd, command.key, ordered};
  }

  CommandResult look() {
    leaf_ = leaf_in(command_.resource);
    const bool there =
        leaf_ >= 0 && leaf_ < static_cast<int>(world_.leafs.size()) && world_.slot_of(leaf_);
    return there && met() ? done() : failed("the plugin was restarted while it did this");
  }

  CommandResult run() {
    leaf_ = leaf_in(command_.resource);
    if (args_.is_discarded() || !args_.is_object()) return failed("args are no JSON object");
    if (leaf_ < 0 || leaf_ >= static_cast<int>(world_.leafs.size()))
      return failed("names no vdev of a pool");
    const Leaf& leaf = world_.leafs[static_cast<size_t>(leaf_)];
    const bool in_use = world_.slot_of(leaf_) != nullptr;
    if (in_use && met()) return done("it is so already", true);
    if (world_.pools[static_cast<size_t>(leaf.pool)].suspended)
      return refused("the pool is suspended");
    if (!in_use) return refused("it is not in use in the pool");
    switch (command_.name) {
      case CommandName::retire:
        return retire();
      case CommandName::restore:
        return restore();
      case CommandName::spare_in:
        return said(world_.spare_in(original(), hand_, now_), true);
      case CommandName::spare_out:
        return spare_out();
      case CommandName::replace:
        return replace();
      case CommandName::set_led:
        break;
    }
    return failed("does not know that command");
  }

 private:
  std::string text(const char* key) const {
    const auto at = args_.find(key);
    return at != args_.end() && at->is_string() ? at->get<std::string>() : "";
  }
  int original() const { return world_.original_of(leaf_); }
  VdevState state() const { return world_.state(leaf_); }
  bool out() const {
    const VdevState s = state();
    return s == VdevState::faulted || s == VdevState::offline || s == VdevState::removed ||
           s == VdevState::unavail;
  }
  CommandResult said(const std::string& problem, bool refusing) const {
    return problem.empty() ? done() : refusing ? refused(problem) : failed(problem);
  }

  bool met() const {
    switch (command_.name) {
      case CommandName::retire:
        return out() || (text("to") == "degraded" && state() == VdevState::degraded);
      case CommandName::restore:
        return state() == VdevState::online;
      case CommandName::spare_in:
        return world_.slot_of(original())->spare >= 0;
      case CommandName::spare_out:
        return world_.slot_of(original())->spare < 0;
      case CommandName::replace: {
        const int newcomer = world_.slot_of(original())->newcomer;
        return newcomer >= 0 &&
               disk_fmri(world_.leafs[static_cast<size_t>(newcomer)].disk) == text("device");
      }
      case CommandName::set_led:
        break;
    }
    return false;
  }

  CommandResult retire() {
    const std::string to = text("to"), busy = text("unless_busy");
    if (to != "degraded" && to != "out-of-service") return failed("retire to what?");
    const int pool = world_.leafs[static_cast<size_t>(leaf_)].pool;
    if (busy == "scrub" && world_.busy(pool, Scan::Kind::scrub))
      return refused("a scrub is running");
    const bool degrades = to == "degraded";
    if (std::string reason = degrades ? world_.degrade_refusal(leaf_) : world_.refusal(leaf_);
        !reason.empty())
      return refused(std::move(reason));
    return said(to == "degraded" ? world_.degrade(leaf_, hand_) : world_.fault(leaf_, hand_),
                false);
  }

  bool by_person() const { return text("by") == "person"; }

  CommandResult come_back() {
    if (state() != VdevState::removed)
      return refused(
          fmt::format("it is {}: only what was REMOVED comes back by itself", state_word(state())));
    const Leaf& leaf = world_.leafs[static_cast<size_t>(leaf_)];
    if (world_.disks[static_cast<size_t>(leaf.disk)].bay < 0)
      return refused("its disk is not there");
    if (std::string problem = world_.online(leaf_, hand_, false); !problem.empty())
      return failed(std::move(problem));
    return met() ? done()
                 : failed(fmt::format("the command was taken, but it is {}", state_word(state())));
  }

  CommandResult restore() {
    hand_.key.clear();  // this change is not a retirement
    if (text("by") == "return") return come_back();
    Leaf& leaf = world_.leafs[static_cast<size_t>(leaf_)];
    if (!by_person() && state() == VdevState::faulted && !leaf.forced)
      return refused("ZFS itself has faulted it");
    if (!by_person() && leaf.offlined_too) world_.forget_hand(leaf_, false);
    if (!by_person() && (leaf.retired_by.empty() || leaf.retired_by != text("key")))
      return refused("it is not as that command made it: somebody else has changed it since");
    if (!(state() == VdevState::degraded || state() == VdevState::faulted)) {
      if (std::string problem = world_.online(leaf_, hand_, false); !problem.empty())
        return failed(std::move(problem));
    }
    (void)world_.clear(leaf_, hand_);
    if (by_person() && state() == VdevState::offline) (void)world_.online(leaf_, hand_, false);
    if (state() != VdevState::online)
      return failed(fmt::format("the command was taken, but it is {}", state_word(state())));
    return done();
  }

  CommandResult spare_out() {
    const Slot& slot = *world_.slot_of(original());
    if (!by_person() && (slot.spare_key.empty() || slot.spare_key != text("key")))
      return refused("that command has not brought this spare in");
    const Leaf& leaf = world_.leafs[static_cast<size_t>(slot.leaf)];
    if (world_.state(slot.leaf) != VdevState::online || !leaf.full)
      return refused("the spare holds its data");
    return said(world_.detach_spare(slot.leaf, hand_), false);
  }

  CommandResult replace() {
    const int disk = disk_in(text("device"));
    if (disk < 0 || disk >= static_cast<int>(world_.disks.size()))
      return failed("replace by what?");
    if (world_.leaf_on(disk) >= 0) return refused("the disk is in use");
    return said(world_.replace(original(), disk, false, now_), false);
  }

  World& world_;
  const Command& command_;
  Ns now_;
  nlohmann::json args_;
  Hand hand_;
  int leaf_ = -1;
};

CommandResult set_led(World& world, const Command& command) {
  const int bay = bay_in(command.resource);
  if (bay < 0 || bay >= static_cast<int>(world.bays.size())) return failed("there is no such bay");
  const LedShape led = world.bays[static_cast<size_t>(bay)].led;
  if (led != LedShape::works) return failed("it cannot be driven");
  const auto args = nlohmann::json::parse(command.args, nullptr, false);
  world.set_led(bay, args.value("indication", "") == "locate", args.value("on", false),
                {Hand::Who::fmd, command.key, false});
  return done();
}

}  // namespace

CommandResult resumed(const World& world, const Command& command, Ns now) {
  if (command.name == CommandName::set_led) return failed("the plugin was restarted meanwhile");
  World copy = world;
  return ZfsCommand(copy, command, false, now).look();
}

CommandResult carry_out(World& world, const Command& command, bool ordered, Ns now) {
  if (command.name == CommandName::set_led) return set_led(world, command);
  return ZfsCommand(world, command, ordered, now).run();
}

}  // namespace fmd::histories
