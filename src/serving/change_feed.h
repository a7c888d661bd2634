// ChangeFeed: which rows have changed, whoever changed them, as server-sent events for pages.
//
//   event: change
//   data: {"database_id":"stories","rows":[{"id":"story-001","etag":"..."},{"id":"story-002"}]}
//
// A row without an etag is gone; "schema": true says that the schema changed, "all": true that more
// rows did than are worth naming. No contents: who wants them asks. The first event is `ready`: what
// changes after it is told.
//
// It looks at every row's etag while somebody listens, twice a second, less often where looking
// takes long, and at once after wake().
#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "database/workspace.h"
#include "mcp/streamable_http.h"

namespace notesdb {

class ChangeFeed {
 public:
  explicit ChangeFeed(Workspace& workspace) : workspace_(workspace) {}
  ChangeFeed(const ChangeFeed&) = delete;
  ChangeFeed& operator=(const ChangeFeed&) = delete;
  ~ChangeFeed();

  // Writes what changes until the client has left, or stop().
  void follow(mcp::EventSink& sink);
  // Looks now: something has just been written.
  void wake();
  // Ends every stream, and those that come later at once.
  void stop();

 private:
  // What a database was when it was last looked at.
  struct Seen {
    Etag schema;
    std::vector<RowStamp> rows;
  };
  using Databases = std::map<std::string, Seen, std::less<>>;

  void join();
  void leave();
  void run();
  void look_once(Databases& before, bool tells);
  Databases look() const;
  void tell(const Databases& before, const Databases& now);
  void add(std::string event);
  // The events that a listener at `next` has not had; one that fell behind is told to read again.
  std::string take(std::uint64_t& next) const;

  Workspace& workspace_;
  mutable std::mutex mutex_;
  std::condition_variable looking_;
  std::condition_variable told_;
  std::deque<std::string> events_;  // the last ones
  std::uint64_t end_ = 0;           // the number of the event that comes next
  unsigned listeners_ = 0;
  bool has_looked_ = false;  // since the first of the listeners came
  bool awake_ = false;
  bool stopping_ = false;
  std::thread thread_;
};

}  // namespace notesdb
