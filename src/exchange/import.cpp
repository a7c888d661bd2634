#include "exchange/import.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "database/new_schema.h"
#include "exchange/import_columns.h"
#include "exchange/import_plan.h"
#include "files/names.h"
#include "files/pending_files.h"
#include "files/untold_notes.h"
#include "note/schema_document.h"

namespace notesdb {
namespace {

constexpr int most_attempts = 100;

// The schema file of a database that is about to be made.
struct NewSchemaFile {
  std::string path;
  std::string bytes;
  std::string diff;
};

Result<NewSchemaFile> new_schema_file(Workspace& workspace,
                                      const Source& source,
                                      const ImportRequest& request) {
  const auto map = schema_of_source(source, request);
  if (!map) return map.error();
  const auto made = workspace.create_database({*map, request.database_id}, WriteMode::dry_run);
  if (!made) return made.error();
  const auto schema = parse_new_schema(*map);
  if (!schema) return schema.error();
  auto bytes = write_schema(*schema, "", NoteFormat::markdown);
  if (!bytes) return bytes.error();
  return NewSchemaFile{join_path(made->database_id, "_schema.md"), *std::move(bytes), made->diff};
}

// What a plan rests on: if all of it is as it was, so is the plan.
struct Ground {
  struct State {
    std::string database_id;
    Etag schema;
    std::vector<RowStamp> rows;
  };
  std::vector<State> states;

  friend bool operator==(const Ground& a, const Ground& b) {
    return std::ranges::equal(a.states, b.states, [](const State& x, const State& y) {
      return x.database_id == y.database_id && x.schema == y.schema &&
             std::ranges::equal(x.rows, y.rows, [](const RowStamp& r, const RowStamp& s) {
               return r.id == s.id && r.etag == s.etag;
             });
    });
  }
};

void add_state(Workspace& workspace, const std::string& id, Ground& ground) {
  const auto database = workspace.get(id);
  if (!database) return;
  const auto schema = (*database)->schema();
  auto rows = (*database)->stamps();
  if (schema && rows) ground.states.push_back({id, schema->etag, *std::move(rows)});
}

// The database itself and those that its relations name.
Ground ground_of(Workspace& workspace, const std::string& id) {
  Ground ground;
  add_state(workspace, id, ground);
  const auto database = workspace.get(id);
  if (!database) return ground;
  const auto schema = (*database)->schema();
  if (!schema) return ground;
  for (const Column& column : schema->schema.columns)
    if (column.type == ColumnType::relation && column.target != id)
      add_state(workspace, column.target, ground);
  return ground;
}

class Import {
 public:
  Import(Workspace& workspace, const Source& source, const ImportRequest& request, WriteMode mode)
      : workspace_(workspace), source_(source), request_(request), mode_(mode) {}

  Result<ImportAnswer> run() {
    if (auto writable = workspace_.check_writable(); !writable) return writable.error();
    // Before the lock, so that a refusal leaves no trace.
    const Ground before = ground_of(workspace_, request_.database_id);
    if (auto done = plan(); !done) return done.error();
    if (!answer_.issues.empty() || mode_ == WriteMode::dry_run || steps_.empty()) return answer_;
    return tell_all([&](UntoldNotes& untold) -> Result<ImportAnswer> {
      for (int attempt = 0;; ++attempt) {
        const auto lock = workspace_.files().lock();
        if (!lock) return lock.error();
        if (attempt > 0 || ground_of(workspace_, request_.database_id) != before) {
          if (auto done = plan(); !done) return done.error();
          if (!answer_.issues.empty() || steps_.empty()) return answer_;
        }
        const auto written = workspace_.files().apply(steps_);
        if (written) return finished(*written);
        if (attempt == most_attempts || written.error().code != ErrorCode::conflict)
          return written.error();
        untold.keep(written.error());
      }
    });
  }

 private:
  Result<void> plan() {
    const auto existing = workspace_.get(request_.database_id);
    if (existing) return plan_on(workspace_.files(), *existing, std::nullopt);
    const bool is_missing = existing.error().code == ErrorCode::unknown_database;
    if (!is_missing || !request_.create) return missing(existing.error());
    auto schema = new_schema_file(workspace_, source_, request_);
    if (!schema) return schema.error();
    PendingFiles pending(workspace_.files());
    if (auto made = pending.create(schema->path, schema->bytes); !made) return made.error();
    return plan_on(pending, nullptr, *std::move(schema));
  }

  static Error missing(Error error) {
    if (error.code == ErrorCode::unknown_database)
      error.message += std::string(error.message.ends_with('?') ? "" : ";") +
                       " --create makes it, with columns as the file has them";
    return error;
  }

  Result<void> plan_on(FileSystem& files,
                       const Database* existing,
                       std::optional<NewSchemaFile> schema) {
    ImportPlan made(files, existing, source_, request_, mode_);
    if (auto done = made.make(); !done) return done;
    answer_ = made.answer();
    steps_ = made.steps();
    answer_.created = schema.has_value();
    if (!schema) return {};
    steps_.insert(steps_.begin(), Step::create(schema->path, std::move(schema->bytes)));
    if (mode_ == WriteMode::dry_run) answer_.diff.insert(0, schema->diff);
    return {};
  }

  ImportAnswer finished(const Written& written) {
    answer_.change = written.change;
    answer_.notes.insert(answer_.notes.end(), written.notes.begin(), written.notes.end());
    answer_.durable = written.durable;
    return answer_;
  }

  Workspace& workspace_;
  const Source& source_;
  const ImportRequest& request_;
  WriteMode mode_;
  ImportAnswer answer_;
  std::vector<Step> steps_;
};

}  // namespace

Result<ImportAnswer> import_rows(Workspace& workspace,
                                 const Source& source,
                                 const ImportRequest& request,
                                 WriteMode mode) {
  return Import(workspace, source, request, mode).run();
}

}  // namespace notesdb
