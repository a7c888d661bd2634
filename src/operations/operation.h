// Operation: one thing notesdb can do, defined once.
//
//   const Operation db_get_row{
//       .name = "db_get_row", .command = "get", .title = "Get a row", .effect = Effect::reads,
//       .arguments = {database_argument(), row_argument()}, .result = {...}, .run = get_row};
//
// Tool, command, JSON Schema, help and docs follow from it; every interface reaches it through dispatch,
// which has judged workspace, database, permission and the arguments' shapes before `run` sees a
// call. A new one is a file here, a line in the catalog and a folder of cases.
//
// `run` may be called from several threads at once.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/error.h"
#include "core/progress.h"
#include "core/result.h"
#include "database/workspace.h"
#include "operations/arguments.h"

namespace notesdb {

// What a call may change.
enum class Effect { reads, inserts, updates, deletes, creates };

constexpr bool writes(Effect effect) {
  return effect != Effect::reads;
}

// What one answer may hold for a page that somebody scrolls, and for scripts over HTTP.
constexpr std::int64_t max_rows_of_page = 1000;
constexpr std::size_t max_bytes_of_page = std::size_t{4} << 20;

// Whether answers are kept short: for those who pay for every byte, less for pages, not for
// commands.
enum class Caps { apply, page, none };

// Who asks, and what surrounds a call.
struct Context {
  Workspace& workspace;
  Door door = Door::tools;
  Caps caps = Caps::apply;
  const std::atomic<bool>* cancelled = nullptr;  // null: nobody can cancel
  ProgressReport progress = {};                  // empty: nobody waits to hear of it
  // A writer makes its plan and every check of it, and writes nothing.
  bool rehearses = false;
  // Gathers what is to be done once the caller has the answer. Null: at once, since nobody says
  // when that is.
  std::vector<std::function<void()>>* once_told = nullptr;

  bool is_cancelled() const { return cancelled != nullptr && cancelled->load(); }
  void when_told(std::function<void()> work) const {
    once_told != nullptr ? once_told->push_back(std::move(work)) : work();
  }
  // The most rows of one answer, and bytes of their JSON, where it is capped.
  std::optional<std::int64_t> row_cap() const;
  std::optional<std::size_t> max_bytes() const;
};

struct Call {
  const Context& context;
  Database* database;  // of the database argument; null where the operation has none
  const Arguments& arguments;

  // dry_run, as the database takes it.
  WriteMode write_mode() const;
  // None where the caller gave none. What cannot be an etag matches no row.
  std::optional<Etag> etag() const;
};

// What a member of a result is; the JSON Schema of answers says no more than this.
enum class ResultKind { text, integer, boolean, map, maps, texts, rows };

enum class Presence { always, sometimes };

struct ResultMember {
  std::string name = {};
  ResultKind kind = ResultKind::text;
  Presence presence = Presence::always;
};

// A call that destroys much: what a person should say yes to first, and how many rows change, which
// a caller says as expect_count where nobody can be asked.
struct Destruction {
  std::string question;
  std::int64_t rows = 0;
};

// What a call would answer, were it carried out, or the error that it would end with.
using Rehearsal = std::function<Result<Value>()>;

// An answer that is written already: all of it as JSON, or its records a line of JSON each.
struct WrittenAnswer {
  std::string text;
  Value rest;                    // its members other than the records, as they stand
  std::vector<Issue> of_rows{};  // issues of rows that are among the records
};

struct Operation {
  std::string name = {};     // of the tool: db_query
  std::string command = {};  // of the command line: query
  std::string title = {};
  std::string description = {};  // the point in the first sentence
  Effect effect = Effect::reads;
  Map meta = {};            // `_meta` of the tool: what hosts make of it
  bool idempotent = false;  // of a writer: a second identical call changes nothing more
  std::vector<Argument> arguments = {};
  std::vector<ResultMember> result = {};
  std::string shown = {};  // the member that a table shows: a list of records, or one record
  std::vector<std::string> also_shown = {};  // members that a table shows below it
  Result<Value> (*run)(const Call& call) = nullptr;
  // The same answer as to_json writes it, of an operation that can do without the Value. Null:
  // there is no such way.
  Result<WrittenAnswer> (*run_as_json)(const Call& call) = nullptr;
  // The same with the records of `shown` as lines, which to_json writes without their ends.
  Result<WrittenAnswer> (*run_as_lines)(const Call& call) = nullptr;
  // What is wrong beyond the shapes of arguments, for a call that is refused already: so that all
  // of it is said at once. Null where only running can tell.
  std::vector<Error> (*check)(const Call& call) = nullptr;

  // Whether an answer says that something is broken, which a command ends with. Null: none does.
  bool (*is_bad_news)(const Value& answer) = nullptr;

  // Whether a call, its arguments still undecoded, destroys much, with what was destroyed in the
  // workspace not long ago; the error of its rehearsal where it would not be carried out at all.
  // Null where none can.
  Result<std::optional<Destruction>> (*destroys)(const Value& arguments,
                                                 Workspace& workspace,
                                                 const Rehearsal& rehearsal) = nullptr;

  const Argument* find_argument(ArgumentKind kind) const;
};

// Arguments that mean the same wherever they stand.
Argument database_argument();
Argument row_argument();
Argument as_of_argument();
Argument filters_argument();
// Filters of a tool that stands beside db_query, which shows their shape.
Argument outlined_filters_argument();
Argument etag_argument(Doors required);
Argument dry_run_argument();

}  // namespace notesdb
