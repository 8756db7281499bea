#include "ui/cli/metrics_commands.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>

#include "fmd/base/json.h"
#include "ui/cli/commands.h"
#include "ui/cli/daemon.h"
#include "ui/cli/layout.h"
#include "ui/cli/metrics.h"
#include "ui/cli/program.h"
#include "ui/client/documents.h"

namespace fmd::cli {
namespace {

constexpr const char* kType = "application/openmetrics-text; version=1.0.0; charset=utf-8";

Result<std::string> fetch_text(Client& client) {
  const auto inventory = fetch_inventory(client);
  if (!inventory) return tl::unexpected(inventory.error());
  const auto cases = ui::fetch_cases(client, nlohmann::json::object());
  if (!cases) return tl::unexpected(cases.error());
  const auto plugins = client.query("ListPlugins");
  if (!plugins) return tl::unexpected(plugins.error());
  const auto outbox = client.query("ListOutbox");
  if (!outbox) return tl::unexpected(outbox.error());
  return open_metrics({*inventory, *cases, *plugins, *outbox});
}

// Writes a new file and renames it, so that readers see either the old or the new one.
Result<void> write_whole(const std::string& file, const std::string& text) {
  const std::string fresh = fmt::format("{}.{}", file, getpid());
  const auto broken = [&](const char* what) {
    const std::string why = strerror(errno);
    unlink(fresh.c_str());
    return fail(fmt::format("Cannot {} {}: {}", what, clean(fresh), why));
  };
  const int fd = open(fresh.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
  if (fd < 0) return broken("write");
  const bool written =
      write(fd, text.data(), text.size()) == static_cast<ssize_t>(text.size()) && fsync(fd) == 0;
  if (close(fd) != 0 || !written) return broken("write");
  if (rename(fresh.c_str(), file.c_str()) != 0) return broken("rename");
  return {};
}

// Reads to the end of the request; its content is ignored, since there is one page. False: no end.
bool read_request() {
  constexpr size_t kLargest = 16384;
  constexpr int kPatienceMs = 5000;
  std::string request;
  std::array<char, 4096> bytes{};
  while (request.size() < kLargest) {
    pollfd waiting{STDIN_FILENO, POLLIN, 0};
    if (poll(&waiting, 1, kPatienceMs) <= 0) return false;
    const ssize_t got = read(STDIN_FILENO, bytes.data(), bytes.size());
    if (got <= 0) return false;
    request.append(bytes.data(), static_cast<size_t>(got));
    if (request.find("\r\n\r\n") != request.npos || request.find("\n\n") != request.npos)
      return true;
  }
  return false;
}

std::string response(std::string_view status, std::string_view type, const std::string& body) {
  return fmt::format(
      "HTTP/1.1 {}\r\nContent-Type: {}\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{}",
      status, type, body.size(), body);
}

}  // namespace

Result<void> metrics(Client& client, const MetricsOptions& options) {
  if (options.http && !read_request()) return fail("the request has no end");
  const auto text = fetch_text(client);
  if (options.http)
    return print(text ? response("200 OK", kType, *text)
                      : response("503 Service Unavailable", "text/plain; charset=utf-8",
                                 clean_prose(text.error().message) + "\n"));
  if (!text) return tl::unexpected(text.error());
  return options.file.empty() ? print(*text) : write_whole(options.file, *text);
}

void add_metrics(Program& program) {
  static MetricsOptions options;
  auto* sub = program.app.add_subcommand("metrics", "Print metrics for Prometheus (OpenMetrics)");
  auto* file =
      sub->add_option("-o,--output", options.file, "Replace this file (node_exporter's textfile)");
  file->type_name("FILE");
  sub->add_flag("--http", options.http, "Answer one HTTP request on standard input")
      ->excludes(file);
  sub->callback([&program] {
    program.then_in_words(
        program.with_client([](Client& client) { return metrics(client, options); }));
  });
}

}  // namespace fmd::cli
