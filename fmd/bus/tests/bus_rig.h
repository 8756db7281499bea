// BusServerTest: a bus server over a FakeControl on its own bus, and a client, all on one loop.
#pragma once
#include <gtest/gtest.h>

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "fmd/bus/authorizer.h"
#include "fmd/bus/bus_server.h"
#include "fmd/bus/objects.h"
#include "fmd/bus/tests/fake_control.h"
#include "fmd/bus/tests/mock_polkit.h"
#include "fmd/bus/tests/private_bus.h"

namespace fmd::test {

using nlohmann::json;
using Clock = std::chrono::steady_clock;

inline constexpr const char* kBay = "hc://chassis=5/bay=6";
inline constexpr const char* kUuid = "d482f935-5c8f-4b9a-9f25-d0aaafec1e6c";

inline json case_doc() {
  return {{"uuid", kUuid},
          {"code", "ZFS-8000-GH"},
          {"severity", "Major"},
          {"state", "SOLVED"},
          {"opened", 1000},
          {"updated", 2000},
          {"description", "Disk returns wrong data"},
          {"suspects",
           {{{"class", "fault.fs.zfs.vdev.checksum"},
             {"certainty", 100},
             {"status", "faulty"},
             {"asru", "zfs://pool=1/vdev=2"},
             {"location", "SLOT 06"},
             {"serial", "Z1\u00e4"}}}}};
}

inline json bay_doc() {
  return {{"fmri", kBay},
          {"type", "bay"},
          {"properties", {{"label", "SLOT 06"}, {"led.locate", "off"}}}};
}

inline constexpr uint64_t kAnswerUs = 100'000'000;  // for a reply; less than until() waits

struct Reply {
  bool error = false;
  std::string name, text;  // of an error
  bus::MessagePtr message;
};

class BusServerTest : public testing::Test {
 protected:
  BusServerTest() {
    sd_event* raw = nullptr;
    sd_event_new(&raw);
    event_.reset(raw);
    control_.put_resource(bay_doc());
    control_.put_case(case_doc(), "diagnosed");
  }

  // Runs the loop until the condition holds; false after two minutes, which allows for a busy machine.
  bool until(const std::function<bool()>& condition) {
    const auto deadline = Clock::now() + std::chrono::seconds(120);
    while (!condition()) {
      if (Clock::now() > deadline) return false;
      sd_event_run(event_.get(), 100'000);
    }
    return true;
  }

  void serve(std::optional<std::set<uint32_t>> privileged = std::nullopt) {
    BusOptions options;
    options.address = bus_.address();
    options.privileged_uids = std::move(privileged);
    options.first_retry_us = 1000;
    options.max_retry_us = 20'000;
    options.coalesce_us = 1000;
    options.stuck_us = stuck_us_;
    options.ask_boot_us = 20'000;
    options.starts_at_boot = [this](bool starts) { starts_.push_back(starts); };
    options.ask_units_us = 20'000;
    options.units_to_ask = [this] { return away_; };
    options.unit_told = [this](const std::string& plugin, UnitState unit, uint32_t) {
      units_told_[plugin] = unit;
    };
    options.log = [this](int, std::string_view text) { log_.emplace_back(text); };
    auto server = BusServer::create(event_.get(), control_, std::move(options));
    ASSERT_TRUE(server) << server.error().text();
    server_ = std::move(*server);
    ASSERT_TRUE(until([this] { return server_->owns_name(); }));
    client_ = connect();
  }

  bus::BusPtr connect() {
    sd_bus* raw = nullptr;
    sd_bus_new(&raw);
    sd_bus_set_address(raw, bus_.address().c_str());
    sd_bus_set_bus_client(raw, 1);
    EXPECT_GE(sd_bus_start(raw), 0);
    sd_bus_attach_event(raw, event_.get(), 0);
    return bus::BusPtr(raw);
  }

  bus::MessagePtr method(const char* path, const char* interface, const char* member) {
    sd_bus_message* raw = nullptr;
    sd_bus_message_new_method_call(client_.get(), &raw, bus::kName, path, interface, member);
    return bus::MessagePtr(raw);
  }

  static int on_reply(sd_bus_message* message, void* userdata, sd_bus_error*) {
    auto& reply = *static_cast<Reply*>(userdata);
    if (const sd_bus_error* error = sd_bus_message_get_error(message)) {
      reply.error = true;
      reply.name = error->name;
      reply.text = error->message ? error->message : "";
    }
    reply.message.reset(sd_bus_message_ref(message));
    return 0;
  }

  Reply send(const bus::MessagePtr& message) {
    Reply reply;
    sd_bus_slot* slot = nullptr;
    EXPECT_GE(sd_bus_call_async(client_.get(), &slot, message.get(), on_reply, &reply, kAnswerUs),
              0);
    const bus::SlotPtr owned(slot);
    EXPECT_TRUE(until([&] { return reply.message != nullptr; }));
    return reply;
  }

  template <class... Args>
  Reply call(const char* member, const char* types, Args... args) {
    auto message = method(bus::kPath, bus::kName, member);
    if (*types) sd_bus_message_append(message.get(), types, args...);
    return send(message);
  }

  static std::string own_name() {
    return geteuid() == 0 ? "root" : "uid " + std::to_string(geteuid());
  }

  static std::string text_of(const Reply& reply) {
    const char* text = "";
    EXPECT_FALSE(reply.error) << reply.name << ": " << reply.text;
    EXPECT_GE(sd_bus_message_read(reply.message.get(), "s", &text), 0);
    return text;
  }

  bus::EventPtr event_;
  FakeControl control_;
  uint64_t stuck_us_ = 60'000'000;
  PrivateBus bus_;
  std::vector<std::string> log_;
  std::vector<bool> starts_;  // reported by the boot watch
  std::vector<std::string> away_;
  std::map<std::string, UnitState> units_told_;
  std::unique_ptr<BusServer> server_;
  bus::BusPtr client_;
};

}  // namespace fmd::test
