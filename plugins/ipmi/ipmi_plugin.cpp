#include "plugins/ipmi/ipmi_plugin.h"

#include <syslog.h>
#include <time.h>

#include <algorithm>
#include <functional>
#include <utility>

#include "fmd/model/fmri.h"
#include "plugins/hardware/description_files.h"
#include "plugins/hardware/system_id.h"
#include "plugins/sdk/messages.h"

namespace fmd::ipmi {
namespace {

using nlohmann::json;

constexpr size_t kSilentAfter = 2;  // consecutive polls without an answer
constexpr size_t kKnownAfter = 2;   // polls until a sensor can have two equal readings
constexpr size_t kFixed = 5;        // requests of each poll that are not for a sensor
constexpr size_t kEventsAtMost = 8000;
constexpr size_t kEventsAtOnce = 2000;          // from the log, per poll
constexpr std::chrono::seconds kLogAtOnce{60};  // of reading the log, per poll
constexpr int kRestlessAfter = 3;               // consecutive looks with other sensor records
constexpr const char* kHangs = "ipmitool hangs still";

int64_t clock_ns(clockid_t clock) {
  timespec now{};
  clock_gettime(clock, &now);
  return now.tv_sec * 1'000'000'000LL + now.tv_nsec;
}

int64_t now_ns() {
  return clock_ns(CLOCK_REALTIME);
}

std::string last_line(const std::string& text) {
  size_t end = text.find_last_not_of('\n');
  if (end == text.npos) return {};
  const size_t start = text.rfind('\n', end);
  return text.substr(start == text.npos ? 0 : start + 1,
                     start == text.npos ? end + 1 : end - start);
}

std::string why_none(const sdk::CommandOutput& output) {
  const std::string said = last_line(output.err);
  return output.end == sdk::CommandOutput::End::deadline ? "it did not answer in time"
         : said.empty()                                  ? output.explain("ipmitool")
                                                         : said;
}

json number_json(double value) {
  const auto whole = static_cast<int64_t>(value);
  return static_cast<double>(whole) == value ? json(whole) : json(value);
}

}  // namespace

IpmiPlugin::IpmiPlugin(sd_event* loop, sdk::Host& host, const std::string& socket, Options options)
    : host_(host),
      options_(std::move(options)),
      plugin_(loop,
              {"ipmi",
               {"ereport.ipmi.*", "sysevent.ipmi.*"},
               {"refresh", "set_led"},
               {"hc://system=", "ipmi://"}},
              socket),
      inventory_(plugin_),
      link_(host, options_),
      watcher_(
          sdk::Watcher::Clock::of(loop), {options_.interval, {}, sdk::kNeverCalm, 0, true},
          {[this](bool) { look(); }, [this] { return std::string(link_.stuck() ? kHangs : ""); }}),
      system_(hardware::system_id(host)),
      remembered_{hardware::FmriMemory(options_.state_file), {}} {
  if (auto known = remembered_.parts.load(); !known)
    sdk::log(LOG_WARNING, known.error().text() + ": starting without it");
  owners_.system = system_;
  owners_.descriptions = chassis::Library::load(hardware::read_descriptions(options_.descriptions))
                             .first.host(hardware::machine_facts(host_));
  if (const auto table = host_.read("/sys/firmware/dmi/tables/DMI")) {
    const hardware::Smbios smbios = hardware::parse_smbios(*table);
    owners_.dimms = hardware::DimmNames(smbios.modules);
    owners_.processors = smbios.processors;
  }
  plugin_.on_connected([this](const std::string& cursor) { connected(cursor); });
  plugin_.on_command([this](const sdk::CommandRequest& request, const sdk::Plugin::Reply& reply) {
    if (request.name == "set_led") return set_led(request, reply);
    watcher_.refresh([reply](const std::string& trouble) {
      reply({trouble.empty() ? "done" : "failed", trouble, json::object()});
    });
  });
}

void IpmiPlugin::connected(const std::string& cursor) {
  if (!std::exchange(started_, true)) restore(cursor);
  watcher_.connected();
  publish();
}

void IpmiPlugin::restore(const std::string& cursor) {
  const json doc = json::parse(cursor, nullptr, false);
  if (!doc.is_object()) return;
  if (const auto sel = doc.find("sel"); sel != doc.end() && sel->is_string())
    sel_.restore(sel->get<std::string>());
  const auto asserted = doc.find("asserted");
  if (asserted == doc.end() || !asserted->is_array()) return;
  // [OWNER, SENSOR, OFFSET]; older files omit the owner, which was always the BMC.
  for (const json& one : *asserted) {
    std::vector<int> numbers;
    for (const json& number : one.is_array() ? one : json::array())
      if (number.is_number_integer()) numbers.push_back(number.get<int>());
    if (numbers.size() == 2) numbers.insert(numbers.begin(), owner::kBmc);
    if (numbers.size() == 3) news_.asserted[{numbers[0], numbers[1]}].insert(numbers[2]);
  }
}

std::string IpmiPlugin::cursor() {
  json asserted = json::array();
  for (const auto& [whose, offsets] : news_.asserted)
    for (const int offset : offsets)
      asserted.push_back(json::array({whose.first, whose.second, offset}));
  return json{{"sel", sel_.cursor()}, {"asserted", asserted}}.dump();
}

// While an order or the FRU query uses the link, its end calls poll().
void IpmiPlugin::look() {
  sensors_loaded_ = false;
  if (!link_.busy()) poll();
}

void IpmiPlugin::poll() {
  if (link_.stuck()) return watcher_.over(kHangs);
  blind_ = link_.cannot();
  tell_status();
  if (!blind_.empty()) {
    if (seen_) return not_answered(blind_);  // there was a BMC
    return watcher_.over(blind_);
  }
  std::vector<Request> requests{request::device_id(), request::sel_info(), request::sel_time(),
                                request::sdr_info(), request::chassis_status()};
  asked_.clear();
  for (const Sensor& sensor : sdr_.sensors)
    if (sensor.ours && !sensor.event_only) asked_.push_back(sensor.number);
  for (const int number : asked_) requests.push_back(request::sensor_reading(number));
  for (const Request& one : identify_.renewal()) requests.push_back(one);
  link_.ask(requests, [this](const std::vector<Answer>& answers, const sdk::CommandOutput& output) {
    polled(answers, output);
  });
}

void IpmiPlugin::polled(const std::vector<Answer>& answers, const sdk::CommandOutput& output) {
  const bool any = std::any_of(answers.begin(), answers.end(),
                               [](const Answer& one) { return one.data || one.completion != 0; });
  if (!any || !answers[0].data) return not_answered(why_none(output));
  seen_ = true;
  failures_ = 0;
  bmc_.state = "observed";
  bmc_.reason.clear();
  load_meaning(*answers[0].data);
  identify_.seen(answers[4]);
  const std::optional<uint32_t> before = bmc_now_;
  if (answers[2].data && answers[2].data->size() >= 4) {
    const Bytes& time = *answers[2].data;
    bmc_now_ = static_cast<uint32_t>(time[0] | time[1] << 8 | time[2] << 16) |
               static_cast<uint32_t>(time[3]) << 24;
  }
  // Once per look: a BMC may report another time of change with each answer.
  const bool other = other_sensors(answers[3].data.value_or(Bytes{}));
  if (other && !std::exchange(sensors_loaded_, true)) return load_sensors();
  restless_ = sensors_loaded_ ? restless_ + 1 : 0;
  tell_status();
  take_readings(answers);
  bmc_.log = answers[1].data ? SelInfo::parse(*answers[1].data) : std::nullopt;
  // Wait until the readable sensors are known: these are judged by their readings.
  const bool reads = bmc_.log && polls_ >= kKnownAfter && plugin_.unacked_events() < kEventsAtMost;
  if (reads) {
    const bool first = sel_.first_look();
    sel_.begin(*bmc_.log, before);
    if (first) {
      sdk::OutEvent known;
      known.event_class = "sysevent.ipmi.known";
      known.resource = bmc_fmri(system_);
      known.time_ns = now_ns();
      known.payload = {{"entries", bmc_.log->entries}};
      events_.push_back(std::move(known));
    }
  }
  if (polls_ >= kKnownAfter)
    for (auto& event : news_.of_readable_again(around())) events_.push_back(std::move(event));
  log_until_ = std::chrono::steady_clock::now() + kLogAtOnce;
  reads ? read_log() : poll_over();
}

News::Around IpmiPlugin::around() const {
  const int64_t now = now_ns(), booted = now - clock_ns(CLOCK_BOOTTIME);
  const int64_t too_old = booted - std::chrono::nanoseconds(options_.old_entries).count();
  return {system_, sdr_, watch_, meaning_, owners_, bmc_now_, now, too_old, !log_was_read_};
}

void IpmiPlugin::not_answered(const std::string& why) {
  bmc_.reason = why;
  if (++failures_ >= kSilentAfter) {
    if (bmc_.state != "silent") sdk::log(LOG_WARNING, "the BMC is silent: " + bmc_.reason);
    bmc_.state = "silent";
    watch_.nothing_known();
    polls_ = 0;
    publish();
  }
  const auto factor =
      1LL << std::min<size_t>(failures_ > kSilentAfter ? failures_ - kSilentAfter : 0, 20);
  watcher_.over(bmc_.reason, failures_ < kSilentAfter
                                 ? options_.confirm
                                 : std::min<std::chrono::milliseconds>(options_.interval * factor,
                                                                       options_.at_most));
  carry_out();
}

// Whether the sensor records changed, by the times of the last addition and deletion (section
// 33.9).
bool IpmiPlugin::other_sensors(const Bytes& sdr_info) {
  Bytes stamp(sdr_info.begin() + static_cast<long>(std::min<size_t>(sdr_info.size(), 1)),
              sdr_info.begin() + static_cast<long>(std::min<size_t>(sdr_info.size(), 13)));
  const bool other = !sensors_known_ || stamp != sdr_stamp_;
  sdr_stamp_ = std::move(stamp);
  return other;
}

void IpmiPlugin::load_sensors() {
  link_.dump_sdr([this](const Result<std::string>& dump) {
    if (!dump) {
      sensors_known_ = false;
      sdk::log(LOG_WARNING, dump.error().text());
      bmc_.reason = sensors_wrong_ = dump.error().text();
      tell_status();
      watcher_.over(bmc_.reason);
      return carry_out();
    }
    const bool same = sensors_known_ && std::hash<std::string>()(*dump) == sdr_digest_;
    sdr_digest_ = std::hash<std::string>()(*dump);
    sdr_ = parse_sdr(*dump);
    sensors_known_ = true;
    sensors_wrong_ = sdr_.too_many
                         ? "the BMC describes more than " + std::to_string(Sdr::kMostSensors) +
                               " sensors; the rest was not read"
                         : "";
    tell_status();
    if (!same) {
      watch_.forget();
      polls_ = 0;
    }
    load_parts();
  });
}

// Some BMCs have no FRU data or are slow: the parts then have no serial numbers.
void IpmiPlugin::load_parts() {
  parts_due_ = std::chrono::steady_clock::now() + options_.parts;
  link_.print_frus([this](const sdk::CommandOutput& output) {
    if (output.end == sdk::CommandOutput::End::exited) frus_ = parse_frus(output.out);
    if (watcher_.looking()) return poll();
    watcher_.look();
  });
}

void IpmiPlugin::load_meaning(const Bytes& device_id) {
  Bmc who;
  if (device_id.size() >= 11) {
    who.manufacturer = device_id[6] | device_id[7] << 8 | (device_id[8] & 0x0F) << 16;
    who.product = device_id[9] | device_id[10] << 8;
    char version[16];
    snprintf(version, sizeof version, "%d.%02x", device_id[2] & 0x7F, device_id[3]);
    bmc_.firmware = version;
  }
  if (meaning_loaded_ && who == bmc_.who) return;
  meaning_loaded_ = true;
  bmc_.who = who;
  auto meaning = Meaning::parse(hardware::read_descriptions(options_.meanings), who);
  meaning_wrong_ = meaning ? "" : meaning.error().text();
  if (!meaning && !options_.meanings.empty())  // use only the shipped table
    meaning = Meaning::parse(hardware::read_descriptions({options_.meanings.front()}), who);
  if (meaning) meaning_ = std::move(*meaning);
  if (!meaning_wrong_.empty()) sdk::log(LOG_WARNING, meaning_wrong_);
  tell_status();
}

void IpmiPlugin::take_readings(const std::vector<Answer>& answers) {
  ++polls_;
  unconfirmed_ = false;
  for (size_t i = 0; i < asked_.size() && i + kFixed < answers.size(); ++i)
    if (const Sensor* sensor = sdr_.find(asked_[i]))
      if (watch_.take(asked_[i], parse_reading(*sensor, answers[i + kFixed]))) unconfirmed_ = true;
}

void IpmiPlugin::read_log() {
  const auto requests = sel_.ask();
  if (requests.empty()) {
    log_was_read_ = log_was_read_ || sel_.complete();
    return poll_over();
  }
  link_.ask(requests, [this](const std::vector<Answer>& answers, const sdk::CommandOutput&) {
    log_answered(answers);
  });
}

void IpmiPlugin::log_answered(const std::vector<Answer>& answers) {
  for (const SelEntry& entry : sel_.take(answers))
    for (auto& event : news_.of(entry, around())) {
      // A log entry may also show in a reading: look again.
      unconfirmed_ = true;
      events_.push_back(std::move(event));
    }
  // The next poll continues: a long log of a slow BMC must not delay the sensors by hours.
  const bool long_enough =
      std::chrono::steady_clock::now() > log_until_ || events_.size() >= kEventsAtOnce;
  unconfirmed_ = unconfirmed_ || long_enough;
  if (link_.busy() || long_enough) return poll_over();
  read_log();
}

void IpmiPlugin::poll_over() {
  publish();
  watcher_.over("", unconfirmed_ ? std::optional(std::min(options_.confirm, options_.interval))
                                 : std::nullopt);
  carry_out();
  if (parts_due_ && std::chrono::steady_clock::now() >= *parts_due_ && !link_.busy()) load_parts();
}

// Inventory first: rules read a part's properties when its events arrive.
void IpmiPlugin::publish() {
  if (!started_) return;
  const bool whole = sensors_known_ && polls_ >= kKnownAfter;
  if (whole || bmc_.state == "silent") {
    const bool complete = watcher_.complete_due() && whole && plugin_.connected();
    inventory_.send(describe({system_, bmc_, sdr_, watch_, meaning_, frus_, owners_, identify_,
                              std::chrono::steady_clock::now()},
                             remembered_),
                    complete);
    remembered_.parts.save();
    if (complete) watcher_.complete_sent();
    send_readings();
  }
  if (!events_.empty()) plugin_.send_events(std::exchange(events_, {}), cursor());
}

// fmd drops a resource's readings when its inventory changes, so send them afterwards.
void IpmiPlugin::send_readings() {
  json readings = json::array();
  const int64_t now = now_ns();
  for (const Sensor& sensor : sdr_.sensors) {
    const auto raw = sensor.ours ? watch_.raw(sensor.number) : std::nullopt;
    const auto value =
        raw && sensor.reading_type == code::kThreshold ? sensor.value(*raw) : std::nullopt;
    if (value)
      readings.push_back({{"resource", sensor_fmri(system_, sensor.number)},
                          {"name", "value"},
                          {"unit", sensor.unit},
                          {"value", number_json(*value)},
                          {"time", now}});
  }
  if (!readings.empty()) plugin_.send_readings(std::move(readings));
}

void IpmiPlugin::tell_status() {
  if (!blind_.empty())
    return plugin_.send_status(link_.is_there() ? "degraded" : "not-observed", blind_);
  if (!sensors_wrong_.empty()) return plugin_.send_status("degraded", sensors_wrong_);
  if (!meaning_wrong_.empty()) return plugin_.send_status("degraded", meaning_wrong_);
  if (restless_ >= kRestlessAfter)
    return plugin_.send_status("degraded", "the BMC's sensor records change with each look");
  plugin_.send_status("ok", "");
}

// The machine's own locate LED. Carried out between two polls; a newer order replaces a waiting
// one.
void IpmiPlugin::set_led(const sdk::CommandRequest& request, const sdk::Plugin::Reply& reply) {
  const json indication = request.args.value("indication", json()),
             on = request.args.value("on", json());
  if (request.resource != make_fmri("hc", {{"system", system_}}))
    return reply({"failed", request.resource + " is not this machine", json::object()});
  if (indication != "locate" || !on.is_boolean())
    return reply({"refused", "a machine has a locate light only: on or off", json::object()});
  if (order_) order_->reply({"failed", "a newer order came", json::object()});
  order_ = Order{on.get<bool>(), reply};
  if (link_.stuck()) {
    order_.reset();
    return reply({"failed", kHangs, json::object()});
  }
  carry_out();
}

void IpmiPlugin::carry_out() {
  if (!order_ || link_.busy()) return;
  if (const std::string cannot = link_.cannot(); !cannot.empty())
    return std::exchange(order_, {})->reply({"failed", cannot, json::object()});
  const Order order = *std::exchange(order_, {});
  link_.ask(identify_.order(order.on),
            [this, order](const std::vector<Answer>& answers, const sdk::CommandOutput&) {
              carried_out(order, answers);
              carry_out();
              // A poll may have waited for the link.
              if (watcher_.looking() && (!link_.busy() || link_.stuck())) poll();
            });
}

void IpmiPlugin::carried_out(const Order& order, const std::vector<Answer>& answers) {
  bool again = false;
  const std::string wrong = identify_.take(order.on, answers, again);
  if (again && order_) return order.reply({"failed", "a newer order came", json::object()});
  if (again) {
    order_ = order;
    return;
  }
  publish();
  order.reply({wrong.empty() ? "done" : "failed", wrong, json::object()});
}

}  // namespace fmd::ipmi
