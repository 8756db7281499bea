// fmadm metrics: what fmd knows for Prometheus.
#pragma once
#include <string>

#include "ui/client/client.h"

namespace fmd::cli {

class Program;
void add_metrics(Program& program);

struct MetricsOptions {
  std::string file;   // written whole or not at all; "" standard output
  bool http = false;  // one request is read from standard input and answered on standard output
};
Result<void> metrics(ui::Client& client, const MetricsOptions& options);

}  // namespace fmd::cli
