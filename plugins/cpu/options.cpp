#include "plugins/cpu/options.h"

#include "plugins/sdk/config.h"
#include "plugins/sdk/whole_file.h"

namespace fmd::cpu {

Result<Options> load_options(const std::string& file) {
  Options options;
  sdk::Config config(file);
  options.rescan = config.duration("rescan", options.rescan);
  options.act_deadline = config.duration("act_deadline", options.act_deadline);
  options.act = config.boolean("act", options.act);
  // Keys may be at the top of the file or in a table [cpu].
  const char* key = config.has("cpu.corrected") ? "cpu.corrected" : "corrected";
  const std::string corrected = config.text("cpu.corrected", config.text("corrected", "report"));
  if (corrected != "report" && corrected != "offline")
    config.wrong(key, "is \"report\" or \"offline\"");
  options.corrected_offline = corrected == "offline";
  options.descriptions = config.texts("descriptions", options.descriptions);
  if (auto good = config.finish(); !good) return tl::unexpected(good.error());
  options.state_file = sdk::state_file("cpu-memory.json");
  return options;
}

}  // namespace fmd::cpu
