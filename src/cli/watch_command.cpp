#include <algorithm>
#include <chrono>
#include <limits>
#include <map>
#include <thread>

#include <poll.h>
#include <unistd.h>

#include "cli/commands.h"
#include "cli/output.h"
#include "json/json_value.h"

namespace notesdb::cli {

namespace {

using Etags = std::map<std::string, Etag, std::less<>>;  // of the rows of a database
using Databases = std::map<std::string, Etags, std::less<>>;

constexpr std::chrono::milliseconds shortest_pause{500};
constexpr int share = 20;  // of the time, one part at most is spent looking

Result<Etags> rows_of(Workspace& workspace, const std::string& id) {
  Result<Database*> database = workspace.get(id);
  if (!database) return database.error();
  Etags rows;
  if (Result<SchemaAnswer> schema = (*database)->schema()) rows.emplace("", schema->etag);
  QueryRequest every_row{.select = {"_id"}, .limit = std::numeric_limits<std::int32_t>::max()};
  Result<QueryAnswer> answer = (*database)->query(every_row);
  if (!answer) return answer.error();
  for (Row& row : answer->rows)
    rows.emplace(std::move(row.id), row.etag);
  return rows;
}

// A line of JSON for each difference; the schema is the row without an id.
class Teller {
 public:
  Teller(Console& console, const std::string& database) : console_(console), database_(database) {}

  void tell(const Etags& before, const Etags& now) const {
    for (const auto& [row, etag] : now) {
      const auto known = before.find(row);
      if (known == before.end()) tell_row("inserted", row, &etag);
      if (known != before.end() && known->second != etag) tell_row("updated", row, &etag);
    }
    for (const auto& [row, etag] : before)
      if (!now.contains(row)) tell_row("deleted", row, nullptr);
  }

 private:
  void tell_row(std::string_view what, const std::string& row, const Etag* etag) const {
    Value line = Map{{"change", what}, {"database_id", database_}};
    row.empty() ? line.set("schema", true) : line.set("row_id", row);
    if (etag != nullptr) line.set("etag", to_text(*etag));
    console_.out(to_json(line) + "\n");
  }

  Console& console_;
  const std::string& database_;
};

Databases look(Workspace& workspace, const std::string& only) {
  Databases databases;
  const Result<DatabaseIds> ids = workspace.database_ids();
  if (!ids) return databases;
  for (const std::string& id : ids->ids) {
    if (!only.empty() && id != only) continue;
    if (Result<Etags> rows = rows_of(workspace, id)) databases.emplace(id, *std::move(rows));
  }
  return databases;
}

// Whether the other end of standard output is closed, told without writing to it.
bool nobody_reads() {
  pollfd output{STDOUT_FILENO, 0, 0};
  return ::poll(&output, 1, 0) > 0 && (output.revents & (POLLERR | POLLNVAL)) != 0;
}

// Ends when nobody reads any more, or by a signal.
Exit watch(const Session& session, Workspace& workspace, const std::string& only) {
  using Clock = std::chrono::steady_clock;
  workspace.stay();
  Databases before = look(workspace, only);
  session.console.err(only.empty() ? "watching the workspace" : "watching " + only);
  const Etags none;
  std::chrono::nanoseconds pause = shortest_pause;
  while (true) {
    std::this_thread::sleep_for(pause);
    const auto begun = Clock::now();
    Databases now = look(workspace, only);
    for (const auto& [id, rows] : now) {
      const auto known = before.find(id);
      Teller(session.console, id).tell(known == before.end() ? none : known->second, rows);
    }
    for (const auto& [id, rows] : before)
      if (!now.contains(id)) Teller(session.console, id).tell(rows, none);
    before = std::move(now);
    if (!session.console.flush()) return Exit::failed;
    if (nobody_reads()) return Exit::done;
    pause = std::max<std::chrono::nanoseconds>(shortest_pause, (Clock::now() - begun) * share);
  }
}

Exit run_watch(const Session& session) {
  Result<std::shared_ptr<Workspace>> workspace = session.workspace();
  if (!workspace) return report(session, workspace.error(), Exit::failed);
  const std::string only = session.words.last("DB").value_or("");
  if (!only.empty()) {
    Result<Database*> database = (*workspace)->get(only);
    if (!database) return report(session, database.error(), Exit::failed);
  }
  return watch(session, **workspace, only);
}

}  // namespace

Command watch_command() {
  return {
      .name = "watch",
      .summary = "Print changes as they happen, a line of JSON each",
      .positionals = {{.name = "DB", .description = "only this database", .required = false}},
      .notes =
          {"{\"change\": \"inserted\" | \"updated\" | \"deleted\", \"database_id\", \"row_id\", "
           "\"etag\"}, whoever made the change; of a schema \"schema\": true stands in place of "
           "the row. It ends with Ctrl-C."},
      .run = run_watch};
}

}  // namespace notesdb::cli
