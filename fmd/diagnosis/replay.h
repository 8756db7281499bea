// Replay: recorded telemetry (.jsonl) through the core, with time taken from the recording. For
// golden tests, bug reports and scenarios: the same lines and rules give the same cases, down to
// their uuids.
//
// One JSON object a line, `at` (arrival time, ns since the epoch) ascending:
//   {"scenario":{"name":…, …}}        optionally, as the first line: the truth, kept as it is
//   as plugins say it:
//   {"at":N,"plugin":"zfs","method":"inventory"|"events"|"readings","params":{…}}
//   nothing but time that passes:
//   {"at":N,"method":"time"}
//   an event as `fmdump -e --json` prints it (what its plugin told beside events is not in it):
//   {"received":N,"source":"zfs","class":…,"resource":…,"time":…,"payload":{…},…}
//   {"at":N,"method":"judge","params":{"verdict":"repaired"|"replaced"|"acquitted","uuid":…,"part":…}}
//   {"at":N,"method":"acknowledge","params":{"uuid":…,"comment":…}}
//   what a reconciler reports:
//   {"at":N,"method":"action","params":{"uuid":…,"kind":"retire","part":…,"state":"done","text":…}}
// Other methods of plugins (hello, heartbeat, status) are passed over. The cases' uuids are
// 00000000-0000-4000-8000-000000000001 and up, in the order in which cases open. Pure; single
// thread.
#pragma once
#include <functional>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "fmd/base/result.h"
#include "fmd/diagnosis/engine.h"
#include "fmd/model/event_schema.h"
#include "fmd/rules/rules.h"

namespace fmd {

struct ReplayResult {
  std::string scenario;         // JSON of the first line's, "" without
  std::vector<Case> cases;      // all that exist at the end, by uuid: open and resolved
  std::vector<CaseNews> news;   // in order
  uint64_t events = 0;          // taken in
  std::vector<Error> rejected;  // events refused, with line and reason
};

class Replay {
 public:
  // file: for messages. run_out_ns: how long after the last line holds and quiet times still run
  // out.
  Replay(std::shared_ptr<const RuleSet> rules, const EventSchema& schema, std::string file,
         int64_t run_out_ns = 0);
  ~Replay();

  // One line without its end; blank ones are passed over. An error (with the line's number) ends
  // the replay.
  Result<void> line(std::string_view text);
  ReplayResult finish();
  const Engine& engine() const;

  // All of a text.
  static Result<ReplayResult> run(std::shared_ptr<const RuleSet> rules, const EventSchema& schema,
                                  std::string file, std::string_view text, int64_t run_out_ns = 0);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// The golden form of a result: {"cases":[…],"news":[…],"rejected":[…]}.
nlohmann::json replay_summary(const ReplayResult& result);
// What NAME.expect.json asks for and the result does not show, each with its path; empty: as
// expected. Objects may leave members out that do not matter; arrays are compared in whole.
Result<std::vector<std::string>> replay_differences(const ReplayResult& result,
                                                    std::string_view expected, std::string file);

}  // namespace fmd
