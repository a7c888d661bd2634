#include "serving/change_watch.h"

#include <algorithm>
#include <chrono>
#include <limits>
#include <new>

#include "serving/resources.h"

namespace notesdb {

namespace {

using Clock = std::chrono::steady_clock;
constexpr std::chrono::milliseconds shortest_pause{1000};
constexpr int share = 20;  // of the time, one part at most is spent looking

}  // namespace

void ChangeWatch::want(bool wanted) {
  if (wanted == thread_.joinable()) return;
  {
    const std::lock_guard guard(mutex_);
    wanted_ = wanted;
  }
  if (wanted) {
    thread_ = std::thread([this, before = look()]() mutable { run(std::move(before)); });
    return;
  }
  stopping_.notify_all();
  thread_.join();
}

void ChangeWatch::run(Databases before) {
  std::unique_lock guard(mutex_);
  std::chrono::nanoseconds pause = shortest_pause;
  while (!stopping_.wait_for(guard, pause, [this] { return !wanted_; })) {
    guard.unlock();
    auto begun = Clock::now();
    try {
      Databases now = look();
      tell(before, now);
      before = std::move(now);
    } catch (const std::bad_alloc&) {
      // What has changed is told when there is memory again.
    }
    pause = std::max<std::chrono::nanoseconds>(shortest_pause, (Clock::now() - begun) * share);
    guard.lock();
  }
}

ChangeWatch::Databases ChangeWatch::look() const {
  Databases databases;
  Result<DatabaseIds> ids = workspace_.database_ids();
  if (!ids) return databases;
  for (const std::string& id : ids->ids) {
    Result<Database*> database = workspace_.get(id);
    if (!database) continue;
    Seen& seen = databases[id];
    if (Result<SchemaAnswer> schema = (*database)->schema()) seen.schema = schema->etag;
    QueryRequest every_row{.select = {"_id"}, .limit = std::numeric_limits<std::int32_t>::max()};
    Result<QueryAnswer> answer = (*database)->query(every_row);
    if (!answer) continue;
    for (Row& row : answer->rows)
      seen.rows.emplace(std::move(row.id), row.etag);
  }
  return databases;
}

void ChangeWatch::tell(const Databases& before, const Databases& now) {
  bool same_ids = std::ranges::equal(
      before, now, {}, &Databases::value_type::first, &Databases::value_type::first);
  if (!same_ids) server_.resource_list_changed();
  for (const auto& [id, seen] : now) {
    auto known = before.find(id);
    if (known != before.end()) tell_database(id, known->second, seen);
  }
}

void ChangeWatch::tell_database(const std::string& id, const Seen& before, const Seen& now) {
  bool changed = before.schema != now.schema;
  auto tell_row = [&](const std::string& row_id) {
    changed = true;
    server_.resource_changed(row_uri(id, row_id));
  };
  for (const auto& [row_id, etag] : now.rows) {
    auto known = before.rows.find(row_id);
    if (known == before.rows.end() || known->second != etag) tell_row(row_id);
  }
  for (const auto& [row_id, etag] : before.rows) {
    if (!now.rows.contains(row_id)) tell_row(row_id);
  }
  if (changed) server_.resource_changed(database_uri(id));
}

}  // namespace notesdb
