// fmadm metrics: fmd's state for Prometheus.
#pragma once
#include <string>

#include "ui/client/client.h"

namespace fmd::cli {

class Program;
void add_metrics(Program& program);

struct MetricsOptions {
  std::string file;   // written atomically; "" standard output
  bool http = false;  // answers one request from standard input on standard output
};
Result<void> metrics(ui::Client& client, const MetricsOptions& options);

}  // namespace fmd::cli
