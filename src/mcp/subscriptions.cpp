#include "mcp/subscriptions.h"

#include <algorithm>

namespace notesdb::mcp {

bool Subscriptions::expect_one() {
  {
    const std::lock_guard lock(mutex_);
    if (list_.size() + coming_ >= most) return false;
    ++coming_;
  }
  follow();
  return true;
}

void Subscriptions::follow() {
  if (!watch_) return;
  const std::lock_guard turn(watch_turn_);
  bool wanted = false;
  {
    const std::lock_guard lock(mutex_);
    wanted = coming_ > 0 || !list_.empty();
  }
  if (wanted == watched_) return;
  watched_ = wanted;
  watch_(wanted);
}

bool Subscriptions::open(const std::shared_ptr<Subscription>& subscription,
                         const std::string& first) {
  if (!expect_one()) return false;
  const std::lock_guard lock(mutex_);
  --coming_;
  // Under the lock, so that no change can be told before the first message.
  subscription->outbox->send(first);
  list_.push_back(subscription);
  return true;
}

void Subscriptions::erase(const std::function<bool(const Subscription&)>& which) {
  {
    const std::lock_guard lock(mutex_);
    std::erase_if(list_, [&](const auto& listener) { return which(*listener); });
  }
  follow();
}

void Subscriptions::end(const Subscription& subscription) {
  erase([&](const Subscription& other) { return &other == &subscription; });
}

void Subscriptions::end(const Session& session, const Json& id) {
  erase([&](const Subscription& other) {
    return other.session.get() == &session && !other.id.is_null() && other.id == id;
  });
}

void Subscriptions::end(const Session& session) {
  erase([&](const Subscription& other) { return other.session.get() == &session; });
}

void Subscriptions::end_all(const std::function<ResultMembers(const Json& id)>& result) {
  List ended;
  {
    const std::lock_guard lock(mutex_);
    ended.swap(list_);
  }
  follow();
  for (const auto& listener : ended) {
    if (!listener->id.is_null()) {
      listener->outbox->send(result_text(listener->id, result(listener->id)));
    }
  }
}

void Subscriptions::with_legacy(const std::shared_ptr<Session>& session,
                                const std::shared_ptr<Outbox>& outbox,
                                const std::function<void(Subscription&)>& change) {
  if (!expect_one()) return;
  const std::lock_guard lock(mutex_);
  --coming_;
  auto it = std::find_if(list_.begin(), list_.end(), [&](const auto& listener) {
    return listener->session == session && listener->id.is_null();
  });
  if (it == list_.end()) {
    list_.push_back(std::make_shared<Subscription>(
        Subscription{session, outbox, nullptr, /*list_changes=*/false, {}}));
    it = std::prev(list_.end());
  }
  change(**it);
}

void Subscriptions::add_uri(const std::shared_ptr<Session>& session,
                            const std::shared_ptr<Outbox>& outbox,
                            const std::string& uri) {
  with_legacy(session, outbox, [&](Subscription& listener) { listener.uris.insert(uri); });
}

void Subscriptions::add_list(const std::shared_ptr<Session>& session,
                             const std::shared_ptr<Outbox>& outbox) {
  with_legacy(session, outbox, [](Subscription& listener) { listener.list_changes = true; });
}

void Subscriptions::remove_uri(const Session& session, const std::string& uri) {
  const std::lock_guard lock(mutex_);
  for (const auto& listener : list_) {
    if (listener->session.get() == &session && listener->id.is_null()) listener->uris.erase(uri);
  }
}

bool Subscriptions::has(const Subscription& subscription) const {
  const std::lock_guard lock(mutex_);
  return std::any_of(list_.begin(), list_.end(), [&](const auto& listener) {
    return listener.get() == &subscription;
  });
}

void Subscriptions::resource_changed(const std::string& uri) {
  const std::lock_guard lock(mutex_);
  for (const auto& listener : list_) {
    if (listener->uris.contains(uri)) {
      tell(*listener, "notifications/resources/updated", {{"uri", uri}});
    }
  }
}

void Subscriptions::resource_list_changed() {
  const std::lock_guard lock(mutex_);
  for (const auto& listener : list_) {
    if (listener->list_changes) {
      tell(*listener, "notifications/resources/list_changed", Json::object());
    }
  }
}

void Subscriptions::tell(const Subscription& listener, const std::string& method, Json params) {
  if (!listener.id.is_null()) {
    params["_meta"] = {{"io.modelcontextprotocol/subscriptionId", listener.id}};
  }
  listener.outbox->send(notification_text(method, params));
}

}  // namespace notesdb::mcp
