// Subscriptions: who wants to hear that resources changed, and telling them.
//
// A modern client opens a stream with `subscriptions/listen`; everything on it carries the stream's
// id, and the first message says what was granted. A legacy client on stdio subscribes to single
// resources. Safe to use from several threads.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "mcp/rpc.h"
#include "mcp/session.h"

namespace notesdb::mcp {

// One listener. The outbox must stay usable until the subscription has ended.
struct Subscription {
  std::shared_ptr<Session> session;
  std::shared_ptr<Outbox> outbox;
  Json id = nullptr;  // of the listen request; null for a legacy session
  bool list_changes = false;
  std::set<std::string> uris;
};

class Subscriptions {
 public:
  // Streams beyond this are refused.
  static constexpr std::size_t most = 1024;

  // `watch` is told when the first listener comes and the last one goes, one at a time, and may
  // wait for its threads then. What changes after it returned is told to the listener that came.
  explicit Subscriptions(std::function<void(bool wanted)> watch = {}) : watch_(std::move(watch)) {}

  // Sends `first` before anything else. False if there are too many.
  bool open(const std::shared_ptr<Subscription>& subscription, const std::string& first);
  // Ends one without a word to its client.
  void end(const Subscription& subscription);
  void end(const Session& session, const Json& id);
  void end(const Session& session);
  // Ends all, answering each stream with `result`.
  void end_all(const std::function<ResultMembers(const Json& id)>& result);

  // A legacy session's single resources.
  void add_uri(const std::shared_ptr<Session>& session,
               const std::shared_ptr<Outbox>& outbox,
               const std::string& uri);
  // What changes in the list, for a legacy session that has read it.
  void add_list(const std::shared_ptr<Session>& session, const std::shared_ptr<Outbox>& outbox);
  void remove_uri(const Session& session, const std::string& uri);

  // Whether the subscription is still open.
  bool has(const Subscription& subscription) const;

  void resource_changed(const std::string& uri);
  void resource_list_changed();

 private:
  using List = std::vector<std::shared_ptr<Subscription>>;

  // Room for one more, which is watched for when this returns; false if there are too many.
  bool expect_one();
  // Tells `watch` what is wanted now. Never under the lock of the list: whoever watches may be
  // telling a change, and is waited for.
  void follow();
  // Calls `change` with the listener of a legacy session, made if missing, under the lock; not at all
  // where there are too many.
  void with_legacy(const std::shared_ptr<Session>& session,
                   const std::shared_ptr<Outbox>& outbox,
                   const std::function<void(Subscription&)>& change);
  void erase(const std::function<bool(const Subscription&)>& which);
  static void tell(const Subscription& listener, const std::string& method, Json params);

  mutable std::mutex mutex_;
  List list_;
  std::size_t coming_ = 0;  // expected, and not in the list yet

  std::mutex watch_turn_;  // who holds it speaks to `watch`
  bool watched_ = false;   // under watch_turn_
  std::function<void(bool)> watch_;
};

}  // namespace notesdb::mcp
