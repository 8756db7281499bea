// Control: the daemon's interface for front ends (D-Bus): queries as JSON documents,
// administrators' changes, and notifications of committed changes. Implemented by
// fmd/control/control_service.h. fmd/bus depends only on this file and on the layers below.
//
// Single thread: call from the event loop. Queries never wait for a device or a plugin. Changes are
// on disk when they return; an error says what was wrong with the request, or that it could not be
// written. The caller checks permissions (polkit); `who` ("root", "uid 1000") is recorded on the
// case's timeline.
#pragma once
#include <cstdint>
#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "fmd/base/result.h"
#include "fmd/diagnosis/engine.h"

namespace fmd {

// Told after the commit, in order, never from within a Control call's own commit half done.
class ControlObserver {
 public:
  virtual ~ControlObserver() = default;
  // event: "diagnosed", "updated", "repaired", "resolved", or "changed" (timeline, action,
  // acknowledgement; not told to people), or "forgotten" (retention: no longer in
  // engine().cases()).
  virtual void case_changed(std::string_view uuid, std::string_view event) = 0;
  // kind: "added", "changed", "absent", "removed".
  virtual void resource_changed(std::string_view fmri, std::string_view kind) = 0;
  virtual void events_logged(uint64_t last_seq) = 0;
  virtual void dry_run_changed(bool on) = 0;
};

struct DiskAnswer {
  std::string disk;  // FMRI
  std::string note;  // what there is to say beside "done", else ""
};

class Control {
 public:
  using DiskAsked = std::function<void(Result<DiskAnswer>)>;
  virtual ~Control() = default;

  // At most a few observers; they must outlive the Control or be removed.
  virtual void add_observer(ControlObserver* observer) = 0;
  virtual void remove_observer(ControlObserver* observer) = 0;

  virtual std::string version() const = 0;
  virtual bool dry_run() const = 0;
  virtual const Engine& engine() const = 0;  // cases and inventory for ObjectManager

  // Each takes and returns JSON text as org.fmd.FaultManager1.xml says. "" is an empty filter.
  // Errors: bad JSON, an unknown key or a wrong type in the filter, a journal that cannot be read.
  virtual Result<std::string> list_cases(std::string_view filter) const = 0;
  // Reads the journal on disk. A wrong query is answered at once, others when the disk has
  // answered.
  using Ordered = std::function<void(Result<std::string>)>;
  virtual void list_events(std::string_view query, Ordered done) const = 0;
  virtual Result<std::string> list_resources(std::string_view filter) const = 0;
  virtual Result<std::string> list_bay_history(std::string_view filter) const = 0;
  virtual void list_readings(std::string_view query, Ordered done) const = 0;
  virtual Result<std::string> list_plugins() const = 0;
  virtual Result<std::string> list_serd() const = 0;
  virtual Result<std::string> list_outbox() const = 0;
  virtual Result<std::string> list_happenings() const = 0;
  virtual Result<std::string> list_actions() const = 0;  // what fmd has done and is in force
  virtual Result<std::string> get_config() const = 0;
  // The current state of the machine, besides the cases: pools, suspicions, held messages,
  // maintenance.
  virtual Result<std::string> get_status() const = 0;
  // A page of "cases", "resources", "bay-history", "serd", "outbox" or "explanations", filtered as by the calls above, and
  // by "after": {"items":[…],"next":"…","more":bool}, of 32 KiB at most. Those calls themselves
  // answer with an error if the whole list is longer (list_answer.h).
  virtual Result<std::string> list_page(std::string_view list, std::string_view filter) const = 0;

  // verdict: "repaired", "replaced", "acquitted". Returns the uuids concerned. "replaced" while the
  // very part is still there is an error, unless force is set.
  virtual Result<std::vector<std::string>> judge(std::string_view verdict, std::string_view uuid,
                                                 std::string_view part, bool force,
                                                 std::string_view who) = 0;
  virtual Result<void> acknowledge(std::string_view uuid, std::string_view comment,
                                   std::string_view who) = 0;
  // part: FMRI, bay label, serial number or device name of one disk, not of a pool. Returns the
  // FMRI of the bay whose LED is driven.
  virtual Result<std::string> locate(std::string_view part, bool on, std::string_view who) = 0;
  // The same, as long as `holder` exists: a unique name of the caller, kept over a restart.
  // release_locate(): the holder is gone or no longer wants the light.
  virtual Result<std::string> hold_locate(std::string_view part, std::string_view holder,
                                          std::string_view who) = 0;
  virtual Result<void> release_locate(std::string_view holder) = 0;
  virtual std::set<std::string> locate_holders() const = 0;
  // Queries that only the disk can answer, perhaps after minutes: `done` is called once,
  // immediately or later from the loop. part: the disk, its container, or something stored on this
  // disk alone.
  virtual void refresh_disk(std::string_view part, std::string_view who, DiskAsked done) = 0;
  // type: "short", "long", or "abort" for the running test. force: even during a resilver.
  virtual void self_test(std::string_view part, std::string_view type, bool force,
                         std::string_view who, DiskAsked done) = 0;
  // By hand what the texts ask a person to do; part as for locate: that ASRU, or the one that stands on
  // it. level: "degraded", "out-of-service". Done once the part's plugin has answered, with a sentence
  // that says what is so now; the error says why not. The blast radius does not hold for a person, the
  // redundancy check does.
  virtual void retire(std::string_view part, std::string_view level, std::string_view who,
                      Ordered done) = 0;
  virtual void restore(std::string_view part, std::string_view who, Ordered done) = 0;
  // Describes the part that the name refers to, for questions to people: "disk S4 in SLOT 04".
  virtual std::string name_part(std::string_view part) const = 0;
  // with: the new disk, by any of its names. An unsuitable one is refused unless `force` is set;
  // one in use is always refused.
  virtual void replace(std::string_view part, std::string_view with, bool force,
                       std::string_view who, Ordered done) = 0;
  // Who is told what: windows in which messages wait, as JSON {"part","from","until","reason"}, part as for
  // locate, a pool's name or a chassis, "" the host; times in wall ns. Returns the window's id.
  virtual Result<std::string> list_maintenance() const = 0;
  virtual Result<std::string> add_maintenance(std::string_view spec, std::string_view who) = 0;
  virtual Result<void> end_maintenance(std::string_view id, std::string_view who) = 0;
  // To whom, when, or why not, the case {"uuid"} was reported.
  virtual Result<std::string> explain_notify(std::string_view filter) const = 0;
  // A test message through the channel, "" each; done with what each said.
  virtual void test_notify(std::string_view channel, std::string_view who, Ordered done) = 0;
  virtual Result<void> set_dry_run(bool on, std::string_view who) = 0;
  // Reads rules, event classes and configuration again. Errors, FILE:LINE: message each; when there
  // are any the old set stays in force.
  virtual std::vector<std::string> reload(std::string_view who) = 0;
};

}  // namespace fmd
