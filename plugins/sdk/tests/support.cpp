#include "plugins/sdk/tests/support.h"

#include <stdlib.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <stdexcept>

namespace fmd::sdk::testing {

using nlohmann::json;

Loop::Loop() {
  if (sd_event_new(&event_) < 0) throw std::runtime_error("no event loop");
}
Loop::~Loop() {
  sd_event_unref(event_);
}

bool Loop::until(const std::function<bool()>& holds, std::chrono::milliseconds deadline) {
  const auto end = std::chrono::steady_clock::now() + deadline;
  while (!holds()) {
    const auto left = std::chrono::duration_cast<std::chrono::microseconds>(
        end - std::chrono::steady_clock::now());
    if (left.count() <= 0) return false;
    sd_event_run(event_, static_cast<uint64_t>(std::min<int64_t>(left.count(), 100000)));
  }
  return true;
}

void Loop::drain() {
  while (sd_event_run(event_, 0) > 0) {
  }
}

TempTree::TempTree() {
  char name[] = "/tmp/fmd-test-XXXXXX";
  if (!mkdtemp(name)) throw std::runtime_error("no temporary folder");
  root_ = name;
}
TempTree::~TempTree() {
  std::error_code ignored;
  std::filesystem::remove_all(root_, ignored);
}

void TempTree::file(const std::string& path, std::string_view text, mode_t mode) const {
  const std::string full = root_ + path;
  std::filesystem::create_directories(std::filesystem::path(full).parent_path());
  std::ofstream(full, std::ios::binary) << text;
  chmod(full.c_str(), mode);
}

void TempTree::link(const std::string& path, const std::string& target) const {
  const std::string full = root_ + path;
  std::filesystem::create_directories(std::filesystem::path(full).parent_path());
  std::filesystem::remove(full);
  std::filesystem::create_symlink(target, full);
}

void TempTree::folder(const std::string& path) const {
  std::filesystem::create_directories(root_ + path);
}

void TempTree::remove(const std::string& path) const {
  std::filesystem::remove_all(root_ + path);
}

std::string TempTree::read(const std::string& path) const {
  std::ifstream in(root_ + path, std::ios::binary);
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

FakeCore::FakeCore(sd_event* loop, std::string path) : loop_(loop), path_(std::move(path)) {
  listen();
}
FakeCore::~FakeCore() {
  stop();
}

void FakeCore::listen() {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path_.size() >= sizeof address.sun_path) throw std::runtime_error("path too long");
  memcpy(address.sun_path, path_.data(), path_.size());
  unlink(path_.c_str());
  listener_ = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (bind(listener_, reinterpret_cast<sockaddr*>(&address), sizeof address) < 0 ||
      ::listen(listener_, 8) < 0)
    throw std::runtime_error("cannot listen");
  sd_event_source* source = nullptr;
  sd_event_add_io(loop_, &source, listener_, EPOLLIN, &FakeCore::on_accept, this);
  accept_.reset(source);
}

void FakeCore::stop() {
  disconnect();
  accept_.reset();
  if (listener_ >= 0) close(listener_);
  listener_ = -1;
  unlink(path_.c_str());
}

void FakeCore::disconnect() {
  data_.reset();
  if (fd_ >= 0) close(fd_);
  fd_ = -1;
  out_.clear();
}

int FakeCore::on_accept(sd_event_source*, int fd, uint32_t, void* self) {
  auto* core = static_cast<FakeCore*>(self);
  const int peer = accept4(fd, nullptr, nullptr, SOCK_CLOEXEC);
  if (peer < 0) return 0;
  core->disconnect();
  core->fd_ = peer;
  core->in_ = std::make_unique<wire::LineBuffer>();
  ++core->connections;
  sd_event_source* source = nullptr;
  sd_event_add_io(core->loop_, &source, peer, EPOLLIN, &FakeCore::on_data, self);
  core->data_.reset(source);
  return 0;
}

int FakeCore::on_data(sd_event_source*, int fd, uint32_t revents, void* self) {
  auto* core = static_cast<FakeCore*>(self);
  if (revents & EPOLLOUT) core->flush();
  if (!(revents & ~static_cast<uint32_t>(EPOLLOUT))) return 0;
  char bytes[65536];
  const ssize_t n = recv(fd, bytes, sizeof bytes, 0);
  if (n <= 0 || !core->in_->append({bytes, static_cast<size_t>(n)})) {
    core->disconnect();
    return 0;
  }
  while (core->fd_ == fd) {
    const auto line = core->in_->next();
    if (!line) break;
    core->on_message(json::parse(std::string(*line)));
  }
  return 0;
}

void FakeCore::on_message(const json& message) {
  messages.push_back(message);
  const uint64_t id = message.value("id", uint64_t{0});
  if (!message.contains("method")) {
    answers[id] = message.value("result", message.value("error", json::object()));
    return;
  }
  const std::string method = message["method"];
  const json params = message.value("params", json::object());
  if (method == "hello") {
    json welcome{{"cursor", cursor}, {"protocol", 1}, {"boot", true}};
    if (!in_memory.empty()) welcome["kept"] = in_memory;
    send(refuse_hello ? wire::error(id, -32000, "not you") : wire::result(id, welcome));
  } else if (method == "inventory") {
    on_inventory(params);
    send(wire::result(id, json::object()));
  } else if (method == "events" && commit) {
    for (const auto& event : params["events"]) events.push_back(event);
    cursor = params.value("cursor", cursor);
    held_acks_.push_back(wire::result(id, {{"cursor", cursor}, {"rejected", json::array()}}));
    if (ack) ack_held();
  }
}

void FakeCore::ack_held() {
  ack = true;
  for (const std::string& line : std::exchange(held_acks_, {})) send(line);
}

void FakeCore::on_inventory(const json& params) {
  if (params.value("complete", false)) {
    const auto kept = params.value("kept", std::set<std::string>());
    for (const auto& [fmri, resource] : resources)
      if (!kept.contains(fmri)) gone[fmri] = "removed";
    std::erase_if(resources, [&](const auto& one) { return !kept.contains(one.first); });
  }
  for (const auto& resource : params["resources"]) {
    resources[resource["fmri"]] = resource;
    gone.erase(resource["fmri"].get<std::string>());
  }
  for (const auto& one : params["gone"]) {
    gone[one["fmri"]] = one["reason"];
    resources.erase(one["fmri"].get<std::string>());
  }
}

std::vector<json> FakeCore::of(std::string_view method) const {
  std::vector<json> result;
  for (const auto& message : messages)
    if (message.value("method", "") == method) result.push_back(message["params"]);
  return result;
}

json FakeCore::property(const std::string& fmri, const std::string& name) const {
  const auto found = resources.find(fmri);
  if (found == resources.end()) return nullptr;
  return found->second["properties"].value(name, json());
}

uint64_t FakeCore::command(std::string_view name, const std::string& key,
                           const std::string& resource, json args) {
  const uint64_t id = ++next_id_;
  send(wire::request(id, "command",
                     {{"name", name},
                      {"key", key},
                      {"deadline_ms", 60000},
                      {"resource", resource},
                      {"args", std::move(args)}}));
  return id;
}

void FakeCore::send(std::string_view text) {
  out_.append(text);
  flush();
}

// Peer and core share one thread: output that the socket does not accept waits until the loop lets
// the peer read.
void FakeCore::flush() {
  while (fd_ >= 0 && !out_.empty()) {
    const ssize_t n = ::send(fd_, out_.data(), out_.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    if (n <= 0) break;
    out_.erase(0, static_cast<size_t>(n));
  }
  if (data_) sd_event_source_set_io_events(data_.get(), EPOLLIN | (out_.empty() ? 0u : EPOLLOUT));
}

}  // namespace fmd::sdk::testing
