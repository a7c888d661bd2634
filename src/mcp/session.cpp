#include "mcp/session.h"

#include <chrono>
#include <utility>

namespace notesdb::mcp {

namespace {

// How often a waiting question looks whether its client is still there.
constexpr std::chrono::milliseconds glance{200};

}  // namespace

void Session::negotiate(std::string revision, Json client_capabilities) {
  const std::lock_guard lock(mutex_);
  revision_ = std::move(revision);
  client_capabilities_ = std::move(client_capabilities);
}

std::string Session::revision() const {
  const std::lock_guard lock(mutex_);
  return revision_;
}

Json Session::client_capabilities() const {
  const std::lock_guard lock(mutex_);
  return client_capabilities_;
}

void Session::set_log_level(std::string level) {
  const std::lock_guard lock(mutex_);
  log_level_ = std::move(level);
}

std::string Session::log_level() const {
  const std::lock_guard lock(mutex_);
  return log_level_;
}

CancelFlag Session::begin(const Json& id) {
  auto flag = std::make_shared<std::atomic<bool>>(false);
  const std::lock_guard lock(mutex_);
  calls_.emplace(to_text(id), flag);
  return flag;
}

void Session::end(const CancelFlag& flag) {
  const std::lock_guard lock(mutex_);
  std::erase_if(calls_, [&](const auto& call) { return call.second == flag; });
}

void Session::cancel(const Json& id) {
  const std::lock_guard lock(mutex_);
  const auto [first, last] = calls_.equal_range(to_text(id));
  for (auto it = first; it != last; ++it)
    it->second->store(true);
  changed_.notify_all();
}

std::optional<Json> Session::ask(Outbox& outbox, const Question& question, const CancelFlag& flag) {
  std::unique_lock lock(mutex_);
  const std::string id = "ask-" + std::to_string(++asked_);
  const auto pending = questions_.emplace(id, Pending{}).first;
  lock.unlock();
  const bool sent = outbox.send(request_text(id, question.method, question.params));
  lock.lock();
  while (sent && !closed_ && !flag->load() && !pending->second.settled && !outbox.closed()) {
    changed_.wait_for(lock, glance);
  }
  std::optional<Json> result = std::move(pending->second.result);
  questions_.erase(pending);
  return result;
}

void Session::settle(const Message& response) {
  if (!response.id.is_string()) return;
  const std::lock_guard lock(mutex_);
  const auto pending = questions_.find(response.id.get<std::string>());
  if (pending == questions_.end()) return;
  pending->second.settled = true;
  if (response.result.is_object()) pending->second.result = response.result;
  changed_.notify_all();
}

void Session::close() {
  const std::lock_guard lock(mutex_);
  closed_ = true;
  changed_.notify_all();
}

}  // namespace notesdb::mcp
