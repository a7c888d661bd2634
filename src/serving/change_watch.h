// ChangeWatch: tells a server's listeners which databases and rows have changed, whoever changed
// them: a tool, an editor, git.
//
// While somebody listens it looks at every row's etag once a second, or less often where looking
// takes long, so that it never uses more than a twentieth of a core. What changes after want(true)
// has returned is told.
#pragma once

#include <condition_variable>
#include <map>
#include <mutex>
#include <string>
#include <thread>

#include "core/etag.h"
#include "database/workspace.h"
#include "mcp/server.h"

namespace notesdb {

class ChangeWatch {
 public:
  ChangeWatch(mcp::Server& server, Workspace& workspace) : server_(server), workspace_(workspace) {}
  ChangeWatch(const ChangeWatch&) = delete;
  ChangeWatch& operator=(const ChangeWatch&) = delete;
  ~ChangeWatch() { want(false); }

  // Starts and stops looking; one caller at a time.
  void want(bool wanted);

 private:
  // What a database was when it was last looked at.
  struct Seen {
    Etag schema;
    std::map<std::string, Etag, std::less<>> rows;
  };
  using Databases = std::map<std::string, Seen, std::less<>>;

  void run(Databases before);
  Databases look() const;
  void tell(const Databases& before, const Databases& now);
  void tell_database(const std::string& id, const Seen& before, const Seen& now);

  mcp::Server& server_;
  Workspace& workspace_;
  std::mutex mutex_;
  std::condition_variable stopping_;
  bool wanted_ = false;
  std::thread thread_;
};

}  // namespace notesdb
