// fake-fmd --bus ADDRESS [--polkit ANSWER] [--polkit-for-all] FIXTURE.json: the real bus server
// over a FakeControl, for tests of the command lines. Prints "ready" once it owns its name. Then
// reads one JSON object per line from standard input, executes it and answers with a line:
// {"case":…,"event":…}, {"resource":…}, {"log":…}, {"changes":true}, {"asked":true}, {"held":true},
// {"leds_obey":…}, {"disk_note":…}, {"actions":…}, {"order_text":…}, {"orders_answer":…},
// {"knows_around_cases":…}, {"around_cases_is_late":…}, {"finds_prefixes":…}, {"cases_sent":true}.
// Exits at the end of standard input.
#include <sys/epoll.h>
#include <unistd.h>

#include <fstream>
#include <iostream>
#include <map>
#include <utility>

#include "fmd/bus/bus_server.h"
#include "fmd/bus/sd_handles.h"
#include "fmd/bus/tests/fake_control.h"
#include "fmd/bus/tests/mock_polkit.h"

namespace {

using namespace fmd;
using nlohmann::json;

struct Fake {
  test::FakeControl control;
  std::string input;
};

void say(const std::string& line) {
  std::cout << line << std::endl;
}

void load(test::FakeControl& control, const std::string& file) {
  std::ifstream in(file);
  const json doc = json::parse(in);
  control.config = doc.value("config", json::object());
  control.plugins = doc.value("plugins", json::array());
  control.serd = doc.value("serd", json::array());
  control.outbox = doc.value("outbox", json::array());
  control.happenings = doc.value("happenings", json::array());
  control.actions = doc.value("actions", json::array());
  control.maintenance = doc.value("maintenance", json::array());
  control.status = doc.value("status", json::object());
  control.notices = doc.value("notices", json::array());
  control.bay_history = doc.value("bay_history", json::array());
  control.readings = doc.value("readings", json::object());
  control.held = doc.value("held", std::map<std::string, std::string>{});
  control.reload_errors = doc.value("reload_errors", std::vector<std::string>{});
  for (const json& resource : doc.value("resources", json::array())) control.put_resource(resource);
  for (const json& c : doc.value("cases", json::array())) control.put_case(c, "diagnosed");
  for (const json& event : doc.value("events", json::array())) control.log_event(event);
}

void obey(test::FakeControl& control, const json& order) {
  if (order.contains("case")) control.put_case(order["case"], order.value("event", "changed"));
  if (order.contains("resource")) control.put_resource(order["resource"]);
  if (order.contains("log")) control.log_event(order["log"]);
  if (order.contains("disk_note")) control.disk_note = order["disk_note"];
  if (order.contains("actions")) control.actions = order["actions"];
  if (order.contains("happenings")) control.happenings = order["happenings"];
  if (order.contains("config")) control.config = order["config"];
  if (order.contains("plugins")) control.plugins = order["plugins"];
  if (order.contains("maintenance")) control.maintenance = order["maintenance"];
  if (order.contains("status")) control.status = order["status"];
  if (order.contains("explanations")) control.explanations = order["explanations"];
  if (order.contains("notices")) control.notices = order["notices"];
  if (order.contains("happenings")) control.happenings = order["happenings"];
  if (order.contains("judge_error")) {
    control.judge_error = order["judge_error"];
    control.verdicts = 0;
  }
  if (order.contains("order_text")) control.order_text = order["order_text"];
  if (order.contains("orders_answer")) {
    control.orders_answer = order["orders_answer"];
    if (control.orders_answer) control.answer_orders();
  }
  if (order.contains("knows_around_cases"))
    control.knows_around_cases = order["knows_around_cases"];
  if (order.contains("finds_prefixes")) control.finds_prefixes = order["finds_prefixes"];
  if (order.contains("around_cases_is_late"))
    control.around_cases_is_late = order["around_cases_is_late"];
  if (order.contains("leds_obey")) control.leds_obey = order["leds_obey"];
  if (order.contains("asked"))
    say(json(control.asked).dump());
  else if (order.contains("cases_sent"))
    say(json(std::exchange(control.cases_sent, {})).dump());
  else if (order.contains("held"))
    say(json(control.held).dump());
  else
    say(order.contains("changes") ? json(control.changes).dump() : "done");
}

int on_input(sd_event_source* source, int fd, uint32_t, void* userdata) {
  auto& fake = *static_cast<Fake*>(userdata);
  char bytes[65536];
  const ssize_t got = read(fd, bytes, sizeof bytes);
  if (got <= 0) return sd_event_exit(sd_event_source_get_event(source), 0);
  fake.input.append(bytes, static_cast<size_t>(got));
  for (size_t end; (end = fake.input.find('\n')) != std::string::npos;) {
    obey(fake.control, json::parse(fake.input.substr(0, end)));
    fake.input.erase(0, end + 1);
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  using Answer = test::MockPolkit::Answer;
  const std::map<std::string, Answer> answers{{"allow", Answer::allow},
                                              {"refuse", Answer::refuse},
                                              {"challenge", Answer::challenge},
                                              {"error", Answer::error}};
  sd_event* raw = nullptr;
  if (sd_event_new(&raw) < 0) return 1;
  const bus::EventPtr event(raw);
  Fake fake;
  BusOptions options;
  std::unique_ptr<test::MockPolkit> polkit;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    if (word == "--bus")
      options.address = argv[++i];
    else if (word == "--polkit")
      polkit = std::make_unique<test::MockPolkit>(raw, options.address, answers.at(argv[++i]));
    else if (word == "--polkit-for-all")
      options.privileged_uids.emplace();
    else
      load(fake.control, word);
  }
  options.log = [](int, std::string_view text) { std::cerr << "fake-fmd: " << text << std::endl; };
  const auto server = BusServer::create(raw, fake.control, options);
  if (!server) return 1;
  while (!(*server)->owns_name())
    if (sd_event_run(raw, 10'000'000) <= 0) return 1;
  sd_event_add_io(raw, nullptr, STDIN_FILENO, EPOLLIN, on_input, &fake);
  say("ready");
  return sd_event_loop(raw);
}
