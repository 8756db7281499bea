// Cases and resources as bus objects, and their signals.
#include "fmd/bus/tests/bus_rig.h"

namespace fmd::test {
namespace {

// ---- objects -----------------------------------------------------------------------------------

struct Heard {
  std::vector<std::string> signals;  // "InterfacesAdded /path", "CaseChanged uuid event"
};

int on_signal(sd_bus_message* message, void* userdata, sd_bus_error*) {
  const char *first = "", *second = "";
  std::string line = sd_bus_message_get_member(message);
  const std::string signature = sd_bus_message_get_signature(message, 1);
  if (line == "PropertiesChanged") line += std::string(" ") + sd_bus_message_get_path(message);
  if (signature.starts_with('o') && sd_bus_message_read(message, "o", &first) > 0)
    line += std::string(" ") + first;
  if (signature == "ss" && sd_bus_message_read(message, "ss", &first, &second) > 0)
    line += std::string(" ") + first + " " + second;
  static_cast<Heard*>(userdata)->signals.push_back(line);
  return 0;
}

class BusObjectsTest : public BusServerTest {
 protected:
  void listen() {
    bool ready = false;
    auto on_ready = [](sd_bus_message*, void* done, sd_bus_error*) {
      *static_cast<bool*>(done) = true;
      return 0;
    };
    sd_bus_slot* slot = nullptr;
    sd_bus_add_match_async(client_.get(), &slot,
                           "type='signal',path_namespace='/org/fmd/FaultManager1'", on_signal,
                           nullptr, &heard_);
    match_.reset(slot);
    // The bus answers in order: after this answer the match is in force.
    sd_bus_call_method_async(client_.get(), nullptr, "org.freedesktop.DBus",
                             "/org/freedesktop/DBus", "org.freedesktop.DBus.Peer", "Ping", on_ready,
                             &ready, "");
    ASSERT_TRUE(until([&] { return ready; }));
  }
  bool hears(const std::string& line) {
    return until([&] {
      return std::find(heard_.signals.begin(), heard_.signals.end(), line) != heard_.signals.end();
    });
  }
  Reply get(const std::string& path, const char* interface, const char* property) {
    auto message = method(path.c_str(), "org.freedesktop.DBus.Properties", "Get");
    sd_bus_message_append(message.get(), "ss", interface, property);
    return send(message);
  }
  Heard heard_;
  bus::SlotPtr match_;
};

TEST_F(BusObjectsTest, ManagedObjectsAreTheCasesAndResources) {
  serve();
  const Reply reply =
      send(method(bus::kPath, "org.freedesktop.DBus.ObjectManager", "GetManagedObjects"));
  ASSERT_FALSE(reply.error) << reply.text;
  std::set<std::string> paths;
  sd_bus_message* m = reply.message.get();
  ASSERT_GE(sd_bus_message_enter_container(m, 'a', "{oa{sa{sv}}}"), 0);
  while (sd_bus_message_enter_container(m, 'e', "oa{sa{sv}}") > 0) {
    const char* path = nullptr;
    sd_bus_message_read(m, "o", &path);
    paths.insert(path);
    sd_bus_message_skip(m, "a{sa{sv}}");
    sd_bus_message_exit_container(m);
  }
  EXPECT_TRUE(paths.contains("/org/fmd/FaultManager1/case/d482f935_5c8f_4b9a_9f25_d0aaafec1e6c"));
  EXPECT_TRUE(paths.contains(bus::resource_path("hc://chassis=5/bay=6")));
}

TEST_F(BusObjectsTest, MoreObjectsThanAMessageHoldsAreAnErrorAndNotADisconnection) {
  for (int i = 0; i < 4001; ++i)
    control_.put_resource({{"fmri", "hc://chassis=5/bay=" + std::to_string(i)}, {"type", "bay"}});
  serve();
  const Reply reply =
      send(method(bus::kPath, "org.freedesktop.DBus.ObjectManager", "GetManagedObjects"));
  EXPECT_EQ(reply.name, SD_BUS_ERROR_LIMITS_EXCEEDED);
  EXPECT_NE(reply.text.find("ListPage"), std::string::npos) << reply.text;
  EXPECT_EQ(text_of(call("ListSerd", "")), "[]");
}

TEST_F(BusObjectsTest, BytesThatAreNoTextCannotBreakAnObject) {
  // The engine may hold any bytes. JSON cannot carry them, so they are set as a property.
  InventoryUpdate update;
  update.source = "hostile";
  Resource disk{"dev://serial=x", "disk", {}, {}, true, {}};
  disk.properties["serial"] = std::string("\xff\x00\x1b[31m", 7);
  update.resources.push_back(disk);
  const_cast<Engine&>(control_.engine()).on_inventory(update, 1);
  serve();
  const Reply reply =
      get(bus::resource_path("dev://serial=x"), bus::kResourceInterface, "Properties");
  ASSERT_FALSE(reply.error) << reply.text;
  const char *name = nullptr, *value = nullptr;
  sd_bus_message* m = reply.message.get();
  sd_bus_message_enter_container(m, 'v', "a{ss}");
  ASSERT_GE(sd_bus_message_read(m, "a{ss}", 1, &name, &value), 0);
  EXPECT_STREQ(value, "\\xff\\x00\\x1b[31m");
}

TEST_F(BusObjectsTest, ValidTextStaysAsItIs) {
  serve();
  EXPECT_EQ(bus::wire_text("Z1\u00e4\U0001F4BE\n"), "Z1\u00e4\U0001F4BE\n");
  EXPECT_EQ(bus::wire_text("a\xC0\xAF"), "a\\xc0\\xaf");         // overlong
  EXPECT_EQ(bus::wire_text("\xED\xA0\x80"), "\\xed\\xa0\\x80");  // a surrogate
  EXPECT_EQ(bus::wire_text("\xF5\x80\x80\x80"), "\\xf5\\x80\\x80\\x80");
  EXPECT_EQ(bus::wire_text("cut\xE2\x82"), "cut\\xe2\\x82");
}

// As when a listener never reads: dbus-daemon then accepts nothing from the sender of its signals.
TEST_F(BusObjectsTest, ABusThatTakesNothingIsLeftAndJoinedAgain) {
  stuck_us_ = 200'000;
  serve();
  bus_.pause();
  json bay = bay_doc();
  for (int i = 0; i < 8000; ++i) {  // the socket alone takes megabytes
    bay["fmri"] = "hc://chassis=5/bay=" + std::to_string(1000 + i);
    control_.put_resource(bay);
  }
  EXPECT_TRUE(until([&] {
    return std::any_of(log_.begin(), log_.end(), [](const std::string& line) {
      return line.find("accepts no messages") != line.npos;
    });
  }));
  bus_.resume();
  EXPECT_TRUE(until([&] { return server_->owns_name(); }));
  client_ = connect();
  EXPECT_FALSE(call("ListCases", "s", "{}").error);
}

TEST_F(BusObjectsTest, NewsOfCasesAndResources) {
  serve();
  listen();
  json second = case_doc();
  second["uuid"] = "11111111-2222-4333-8444-555555555555";
  control_.put_case(second, "diagnosed");
  EXPECT_TRUE(
      hears("InterfacesAdded /org/fmd/FaultManager1/case/11111111_2222_4333_8444_555555555555"));
  EXPECT_TRUE(hears("CaseChanged 11111111-2222-4333-8444-555555555555 diagnosed"));
  EXPECT_TRUE(hears("PropertiesChanged /org/fmd/FaultManager1"));  // OpenCases
  control_.put_case(second, "updated");
  EXPECT_TRUE(
      hears("PropertiesChanged /org/fmd/FaultManager1/case/11111111_2222_4333_8444_555555555555"));
  json bay = bay_doc();
  bay["fmri"] = "hc://chassis=5/bay=7";
  control_.put_resource(bay);
  EXPECT_TRUE(hears("InterfacesAdded " + bus::resource_path("hc://chassis=5/bay=7")));
  EXPECT_TRUE(hears("ResourceChanged hc://chassis=5/bay=7 added"));
  control_.remove_resource("hc://chassis=5/bay=7");
  EXPECT_TRUE(hears("InterfacesRemoved " + bus::resource_path("hc://chassis=5/bay=7")));
  control_.log_event({{"class", "ereport.x"}, {"time", 1}});
  EXPECT_TRUE(hears("EventsLogged"));
}

TEST_F(BusObjectsTest, AStormOfChangesIsToldOnce) {
  serve();
  listen();
  for (int i = 0; i < 1000; ++i) {
    json bay = bay_doc();
    bay["properties"]["count"] = i;
    control_.put_resource(bay);
    control_.log_event({{"class", "ereport.x"}, {"time", i}});
  }
  ASSERT_TRUE(hears("EventsLogged"));
  EXPECT_TRUE(hears("ResourceChanged hc://chassis=5/bay=6 changed"));
  EXPECT_LT(heard_.signals.size(), 20u);
}

}  // namespace
}  // namespace fmd::test
