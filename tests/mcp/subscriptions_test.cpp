// Who listens for changes, and what is told while listeners come and go.
#include "mcp/subscriptions.h"

#include <atomic>
#include <thread>

#include <catch2/catch.hpp>

#include "mcp/conversation.h"

namespace notesdb::mcp {
namespace {

std::shared_ptr<Subscription> listener(const Json& id, std::set<std::string> uris = {}) {
  auto subscription = std::make_shared<Subscription>();
  subscription->session = std::make_shared<Session>();
  subscription->outbox = std::make_shared<Kept>();
  subscription->id = id;
  subscription->uris = std::move(uris);
  return subscription;
}

std::deque<std::string>& heard(const Subscription& subscription) {
  return dynamic_cast<Kept&>(*subscription.outbox).messages;
}

TEST_CASE("watching begins with the first listener and ends with the last", "[mcp]") {
  std::string told;
  Subscriptions subscriptions([&](bool wanted) { told += wanted ? '+' : '-'; });
  const auto first = listener(1);
  const auto second = listener(2);
  REQUIRE(subscriptions.open(first, "first"));
  REQUIRE(subscriptions.open(second, "second"));
  subscriptions.end(*first);
  CHECK(told == "+");
  subscriptions.end(*second);
  subscriptions.end(*second);
  CHECK(told == "+-");
  subscriptions.add_uri(first->session, first->outbox, "a");
  CHECK(told == "+-+");
  subscriptions.end(*first->session);
  CHECK(told == "+-+-");
}

TEST_CASE("whoever watches does so before a listener is told that it listens", "[mcp]") {
  const auto only = listener(1);
  Subscriptions subscriptions([&](bool wanted) { CHECK(heard(*only).empty() == wanted); });
  REQUIRE(subscriptions.open(only, "first"));
  CHECK(heard(*only).front() == "first");
  subscriptions.end(*only);
}

TEST_CASE("the last listener may go in the middle of a change being told", "[mcp]") {
  Subscriptions* telling = nullptr;
  std::atomic<bool> watching = false;
  std::thread watcher;
  Subscriptions subscriptions([&](bool wanted) {
    watching = wanted;
    if (!wanted) return watcher.join();
    watcher = std::thread([&] {
      for (; watching; std::this_thread::yield())
        telling->resource_changed("a");
    });
  });
  telling = &subscriptions;
  for (int i = 0; i < 50; ++i) {
    const auto only = listener(i, {"a"});
    REQUIRE(subscriptions.open(only, "first"));
    std::this_thread::yield();
    subscriptions.end(*only);
    CHECK(heard(*only).front() == "first");
  }
}

TEST_CASE("no more listeners come in than there is room for", "[mcp]") {
  Subscriptions subscriptions;
  for (std::size_t i = 0; i < Subscriptions::most; ++i)
    REQUIRE(subscriptions.open(listener(i), "first"));
  const auto late = listener("late");
  CHECK_FALSE(subscriptions.open(late, "first"));
  CHECK(heard(*late).empty());
}

TEST_CASE("a listener hears of what it named and carries its id", "[mcp]") {
  Subscriptions subscriptions;
  const auto one = listener("one", {"a"});
  const auto other = listener(2, {"b"});
  REQUIRE(subscriptions.open(one, "first"));
  REQUIRE(subscriptions.open(other, "first"));
  subscriptions.resource_changed("a");
  subscriptions.resource_list_changed();
  REQUIRE(heard(*one).size() == 2);
  CHECK(heard(*other).size() == 1);
  const Json told = Json::parse(heard(*one).back());
  CHECK(told["method"] == "notifications/resources/updated");
  CHECK(told["params"]["uri"] == "a");
  CHECK(told["params"]["_meta"]["io.modelcontextprotocol/subscriptionId"] == "one");
}

TEST_CASE("a legacy session that has read the list hears when it changes", "[mcp]") {
  Subscriptions subscriptions;
  const auto session = std::make_shared<Session>();
  const auto outbox = std::make_shared<Kept>();
  subscriptions.resource_list_changed();
  subscriptions.add_list(session, outbox);
  subscriptions.add_list(session, outbox);
  subscriptions.resource_list_changed();
  REQUIRE(outbox->messages.size() == 1);
  const Json told = Json::parse(outbox->messages.front());
  CHECK(told["method"] == "notifications/resources/list_changed");
  CHECK_FALSE(told.contains("id"));
  subscriptions.end(*session);
  subscriptions.resource_list_changed();
  CHECK(outbox->messages.size() == 1);
}

}  // namespace
}  // namespace notesdb::mcp
