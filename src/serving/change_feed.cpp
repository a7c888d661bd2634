#include "serving/change_feed.h"

#include <algorithm>
#include <chrono>
#include <new>
#include <span>

#include "core/etag.h"
#include "json/json_value.h"

namespace notesdb {

namespace {

using Clock = std::chrono::steady_clock;
constexpr std::chrono::milliseconds shortest_pause{500};
constexpr int share = 20;  // of the time, one part at most is spent looking
constexpr std::chrono::seconds heartbeat{15};
constexpr std::chrono::milliseconds glance{1000};  // at whether the client is still there
constexpr std::size_t max_events = 256;
constexpr std::size_t max_rows_named = 500;

std::string event_text(std::string_view name, const Value& data) {
  return "event: " + std::string(name) + "\ndata: " + to_json(data) + "\n\n";
}

using Rows = std::span<const RowStamp>;

void tell_row(List& changed, const RowStamp& row) {
  changed.push_back(Map{{"id", row.id}, {"etag", to_text(row.etag)}});
}

// Cuts off what both begin with, row by row, or end with; where only the etag differs it is told.
void cut_common(Rows& before, Rows& now, List& changed) {
  while (!before.empty() && !now.empty() && before.front().id == now.front().id) {
    if (before.front().etag != now.front().etag) tell_row(changed, now.front());
    before = before.subspan(1);
    now = now.subspan(1);
  }
  while (!before.empty() && !now.empty() && before.back().id == now.back().id) {
    if (before.back().etag != now.back().etag) tell_row(changed, now.back());
    before = before.first(before.size() - 1);
    now = now.first(now.size() - 1);
  }
}

// What became of the rows. Both lists are in the order of ids, so that what came and went lies
// between two pieces that have the same ids.
List changed_rows(Rows before, Rows now) {
  List changed;
  cut_common(before, now, changed);
  std::map<std::string_view, Etag> known;
  for (const RowStamp& row : before)
    known.emplace(row.id, row.etag);
  for (const RowStamp& row : now) {
    const auto found = known.find(row.id);
    if (found == known.end() || found->second != row.etag) tell_row(changed, row);
    if (found != known.end()) known.erase(found);
  }
  for (const auto& [id, etag] : known)
    changed.push_back(Map{{"id", std::string(id)}});
  return changed;
}

}  // namespace

ChangeFeed::~ChangeFeed() {
  stop();
  if (thread_.joinable()) thread_.join();
}

void ChangeFeed::follow(mcp::EventSink& sink) {
  join();
  std::uint64_t next = 0;
  {
    std::unique_lock guard(mutex_);
    told_.wait(guard, [this] { return has_looked_ || stopping_; });
    next = end_;
  }
  bool is_there = sink.write(event_text("ready", Map{}));
  auto last = Clock::now();
  while (is_there) {
    std::string events;
    {
      std::unique_lock guard(mutex_);
      told_.wait_for(guard, glance, [&] { return next != end_ || stopping_; });
      if (stopping_) break;
      events = take(next);
    }
    if (events.empty() && Clock::now() - last >= heartbeat) events = ": still here\n\n";
    if (!events.empty()) last = Clock::now();
    is_there = events.empty() ? !sink.closed() : sink.write(events);
  }
  leave();
}

void ChangeFeed::wake() {
  const std::lock_guard guard(mutex_);
  awake_ = true;
  looking_.notify_all();
}

void ChangeFeed::stop() {
  const std::lock_guard guard(mutex_);
  stopping_ = true;
  looking_.notify_all();
  told_.notify_all();
}

void ChangeFeed::join() {
  const std::lock_guard guard(mutex_);
  ++listeners_;
  awake_ = true;
  if (!thread_.joinable() && !stopping_) thread_ = std::thread([this] { run(); });
  looking_.notify_all();
}

void ChangeFeed::leave() {
  const std::lock_guard guard(mutex_);
  if (--listeners_ == 0) has_looked_ = false;
}

// Between two times of listening nothing is looked at, and what changed meanwhile is told to nobody.
void ChangeFeed::run() {
  Databases before;
  std::unique_lock guard(mutex_);
  while (!stopping_) {
    looking_.wait(guard, [this] { return listeners_ > 0 || stopping_; });
    if (stopping_) break;
    const bool tells = has_looked_;
    awake_ = false;
    guard.unlock();
    const auto begun = Clock::now();
    look_once(before, tells);
    const auto pause =
        std::max<std::chrono::nanoseconds>(shortest_pause, (Clock::now() - begun) * share);
    guard.lock();
    has_looked_ = true;
    told_.notify_all();
    looking_.wait_for(guard, pause, [this] { return awake_ || stopping_; });
  }
}

void ChangeFeed::look_once(Databases& before, bool tells) {
  try {
    Databases now = look();
    if (tells) tell(before, now);
    before = std::move(now);
  } catch (const std::bad_alloc&) {
    // What has changed is told when there is memory again.
  }
}

ChangeFeed::Databases ChangeFeed::look() const {
  Databases databases;
  const Result<DatabaseIds> ids = workspace_.database_ids();
  if (!ids) return databases;
  for (const std::string& id : ids->ids) {
    const Result<Database*> database = workspace_.get(id);
    if (!database) continue;
    Seen& seen = databases[id];
    if (const Result<SchemaAnswer> schema = (*database)->schema()) seen.schema = schema->etag;
    if (Result<std::vector<RowStamp>> rows = (*database)->stamps()) seen.rows = *std::move(rows);
  }
  return databases;
}

void ChangeFeed::tell(const Databases& before, const Databases& now) {
  const bool same_ids = std::ranges::equal(
      before, now, {}, &Databases::value_type::first, &Databases::value_type::first);
  if (!same_ids) add(event_text("databases", Map{}));
  for (const auto& [id, seen] : now) {
    const auto known = before.find(id);
    if (known == before.end()) continue;
    const bool schema = known->second.schema != seen.schema;
    List rows = changed_rows(known->second.rows, seen.rows);
    if (!schema && rows.empty()) continue;
    Value data = Map{{"database_id", id}};
    if (schema) data.set("schema", true);
    if (rows.size() > max_rows_named) {
      data.set("all", true);
    } else {
      data.set("rows", std::move(rows));
    }
    add(event_text("change", data));
  }
}

void ChangeFeed::add(std::string event) {
  const std::lock_guard guard(mutex_);
  events_.push_back(std::move(event));
  if (events_.size() > max_events) events_.pop_front();
  ++end_;
  told_.notify_all();
}

std::string ChangeFeed::take(std::uint64_t& next) const {
  const std::uint64_t first = end_ - events_.size();
  std::string text;
  if (next < first) {
    text = event_text("lost", Map{});
    next = first;
  }
  for (; next < end_; ++next)
    text += events_[static_cast<std::size_t>(next - first)];
  return text;
}

}  // namespace notesdb
