// fmadm resilver: progress of resilvers, scrubs and rebuilds.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <vector>

#include "fmd/base/json.h"
#include "fmd/base/text.h"
#include "fmd/model/only_copy.h"
#include "fmd/model/scan_noun.h"
#include "ui/cli/commands.h"
#include "ui/cli/daemon.h"
#include "ui/cli/layout.h"

namespace fmd::cli {
namespace {

// A disk that replaces another.
struct Move {
  std::string kind;                       // "replacing", "spare"
  std::string old_vdev, new_vdev, state;  // state: "resilvering", "active"
};

struct PoolView {
  std::string fmri;
  Scan scan;
  std::vector<Move> moves;
  bool busy() const {
    return scan.running() || std::any_of(moves.begin(), moves.end(),
                                         [](const Move& m) { return m.state == "resilvering"; });
  }
};

// While a new disk replaces the old one, both report the spare. It belongs to the old one.
void add_spare(std::vector<Move>& moves, const Resource& vdev, const std::string& state) {
  const std::string spare = vdev.get("spare_by");
  const auto known = std::find_if(moves.begin(), moves.end(), [&](const Move& m) {
    return m.kind == "spare" && !spare.empty() && m.new_vdev == spare;
  });
  if (known == moves.end())
    moves.push_back({"spare", vdev.fmri, spare, state});
  else if (!vdev.get("replacing").empty())
    known->old_vdev = vdev.fmri;
}

std::vector<PoolView> pools_of(const Inventory& inventory) {
  std::vector<PoolView> pools;
  for (const auto& [fmri, resource] : inventory.all()) {
    if ((resource.type == "zfs-pool" || resource.type == "md-array") && resource.present)
      pools.push_back({fmri, scan_of(resource), {}});
  }
  for (const auto& [fmri, vdev] : inventory.all()) {
    if (vdev.type != "zfs-vdev" && vdev.type != "md-member") continue;
    const Resource* pool = pool_of(inventory, fmri);
    const auto view = std::find_if(pools.begin(), pools.end(),
                                   [&](const PoolView& p) { return pool && p.fmri == pool->fmri; });
    if (view == pools.end()) continue;
    if (const std::string by = vdev.get("replacing"); !by.empty())
      view->moves.push_back(
          {spare_taking_over(inventory, vdev) ? "spare" : "replacing", fmri, by, "resilvering"});
    if (const std::string spare = vdev.get("spare"); !spare.empty() && spare != "none")
      add_spare(view->moves, vdev, spare);
  }
  return pools;
}

std::string bar(double percent) {
  constexpr size_t width = 50;
  const auto filled = static_cast<size_t>(percent / 100.0 * width);
  return "  [" + painted(std::string(filled, '#'), Tone::good) + std::string(width - filled, '.') +
         "]";
}

std::string move_text(const Inventory& inventory, const Move& move) {
  const std::string from = part_words(inventory, move.old_vdev);
  const std::string to = move.new_vdev.empty() ? "a spare" : part_words(inventory, move.new_vdev);
  const std::string state =
      move.state == "active" ? "holds all the data" : std::string(filling_word(move.old_vdev));
  return wrapped(
      "  ",
      (move.kind == "spare" ? from + ": spare in use: " : from + " is being replaced by ") + to +
          ", " + state,
      6);
}

std::string pool_text(const Inventory& inventory, const PoolView& pool) {
  const std::string& state = pool.scan.health;
  const std::string health = state.empty() ? "" : " (" + painted(state, tone_of_pool(state)) + ")";
  std::string out;
  if (pool.scan.running()) {
    const std::string started =
        pool.scan.started_ns > 0 ? ", started " + format_time_fma(pool.scan.started_ns) : "";
    out = wrapped("",
                  pool.scan.pool + health + ": " + pool.scan.work_words() + ", " +
                      pool.scan.progress() + started,
                  4);
    out += bar(pool.scan.percent) + '\n';
  } else {
    const std::string last = pool.scan.last.empty() ? "" : "; last: " + pool.scan.last;
    out =
        wrapped("",
                fmt::format("{}{}: no {} or {} is running{}", pool.scan.pool, health,
                            scan_noun(pool.fmri, "resilver"), scan_noun(pool.fmri, "scrub"), last),
                4);
  }
  for (const Move& move : pool.moves) out += move_text(inventory, move);
  return out;
}

std::string text_of(const Inventory& inventory, const std::vector<PoolView>& pools) {
  std::string out;
  for (const PoolView& pool : pools) out += pool_text(inventory, pool);
  return pools.empty() ? "No pool and no md array is known.\n" : out;
}

nlohmann::json json_of(const Inventory& inventory, const std::vector<PoolView>& pools) {
  nlohmann::json list = nlohmann::json::array();
  for (const PoolView& pool : pools) {
    const Resource* resource = inventory.find(pool.fmri);
    nlohmann::json doc{{"fmri", pool.fmri},
                       {"pool", resource->get("name")},
                       {"health", resource->get("health")},
                       {"scan", pool.scan.running() ? pool.scan.work : "none"},
                       {"last", resource->get("last_scan_text")}};
    if (pool.scan.running()) {
      doc["percent"] = pool.scan.percent;
      doc["rate_bytes"] = pool.scan.rate_bytes;
      doc["started"] = pool.scan.started_ns;
      if (pool.scan.seconds_left >= 0) doc["seconds_left"] = pool.scan.seconds_left;
    }
    doc["moves"] = nlohmann::json::array();
    for (const Move& m : pool.moves)
      doc["moves"].push_back({{"kind", m.kind},
                              {"state", m.state},
                              {"old", m.old_vdev},
                              {"old_bay", inventory.location(disk_of(inventory, m.old_vdev))},
                              {"new", m.new_vdev},
                              {"new_bay", inventory.location(disk_of(inventory, m.new_vdev))}});
    list.push_back(std::move(doc));
  }
  return list;
}

// On a terminal, output overwrites the previous one; elsewhere it is added when it changes.
class Screen {
 public:
  Result<void> show(const std::string& text) {
    if (text == last_) return {};
    const bool terminal = isatty(STDOUT_FILENO) != 0;
    std::string out;
    if (terminal && !last_.empty())
      out = fmt::format("\033[{}A\033[J", std::count(last_.begin(), last_.end(), '\n'));
    last_ = text;
    return print(out + text);
  }

 private:
  std::string last_;
};

Result<void> watch(Client& client, bool as_json) {
  if (auto done = client.subscribe(); !done) return done;
  Screen screen;
  for (;;) {
    const auto inventory = fetch_inventory(client);
    if (!inventory) return tl::unexpected(inventory.error());
    const auto pools = pools_of(*inventory);
    const std::string text =
        as_json ? json_line(json_of(*inventory, pools)) : text_of(*inventory, pools);
    if (auto said = as_json ? print(text) : screen.show(text); !said) return said;
    if (std::none_of(pools.begin(), pools.end(), [](const PoolView& p) { return p.busy(); }))
      return {};
    if (auto news = client.wait(5000); !news) return tl::unexpected(news.error());
  }
}

}  // namespace

Result<void> resilver(Client& client, const ResilverOptions& options) {
  if (options.wait) return watch(client, options.json);
  const auto inventory = fetch_inventory(client);
  if (!inventory) return tl::unexpected(inventory.error());
  const auto pools = pools_of(*inventory);
  return print(options.json ? json_text(json_of(*inventory, pools)) : text_of(*inventory, pools));
}

}  // namespace fmd::cli
