#include "database/workspace.h"

#include <algorithm>
#include <utility>

#include "core/text.h"
#include "database/cache_place.h"
#include "database/database_search.h"
#include "database/link_cache.h"
#include "database/new_schema.h"
#include "database/past.h"
#include "database/row_id.h"
#include "database/schema_check.h"
#include "files/disk.h"
#include "files/etag.h"
#include "files/names.h"
#include "files/watch.h"
#include "index/database_folder.h"
#include "index/follower.h"
#include "index/paths.h"
#include "index/rescan.h"

namespace notesdb {
namespace {

// Every name on the way to a database must be one that the search would enter.
bool is_reached(std::string_view id) {
  if (id == ".") return true;
  for (std::size_t start = 0; start <= id.size();) {
    const std::size_t end = std::min(id.find('/', start), id.size());
    if (is_skipped_folder(id.substr(start, end - start))) return false;
    start = end + 1;
  }
  return true;
}

Result<void> check_reached(std::string_view id) {
  if (auto allowed = check_database_id(id); !allowed) return allowed;
  if (is_reached(id)) return {};
  return Error{ErrorCode::path_not_allowed,
               "the database id '" + escape_controls(id) +
                   "' leads through a folder that is never looked into",
               Map{}};
}

// A folder whose name differs only in case or composition would be the same on other systems.
Result<void> check_free(const FileSystem& files, const std::string& id) {
  const auto entries = files.list(folder_of(id));
  if (!entries) return {};  // the folder above is made with it
  const std::string wanted = folded_name(name_in(id));
  for (const Entry& entry : *entries) {
    if (folded_name(entry.name) != wanted) continue;
    return Error{ErrorCode::already_exists,
                 "'" + join_path(folder_of(id), to_utf8(entry.name)) +
                     "' exists already; choose another database_id",
                 Map{}}
        .with("database_id", id);
  }
  return {};
}

// A folder of notes is one command away from being a database.
Error no_database(const Workspace& workspace, std::string_view database_id, FileKind kind) {
  const auto found = workspace.database_ids();
  Error error = unknown_name(ErrorCode::unknown_database,
                             "database",
                             database_id,
                             found ? found->ids : std::vector<std::string>{});
  if (kind == FileKind::folder) {
    const std::string id = escape_controls(database_id);
    error.message = "unknown database '" + id +
                    "': its folder holds neither _schema.md nor _schema.yaml; `notesdb infer " +
                    id + " --write` writes one for its notes";
  }
  return error;
}

TrashLimits trash_limits(const Settings& settings) {
  constexpr std::int64_t day_us = std::int64_t{24} * 60 * 60 * 1'000'000;
  constexpr std::int64_t max_days = 36'500;
  return {std::min(settings.trash_days.value, max_days) * day_us,
          static_cast<std::uint64_t>(settings.trash_bytes.value)};
}

// How long the one thread of a server that tidies is at it before it lets others go on.
constexpr std::chrono::milliseconds tidy_slice(10);

}  // namespace

Result<std::unique_ptr<Workspace>> Workspace::open(const Settings& settings) {
  auto disk = Disk::open(settings.root.value);
  if (!disk) return disk.error();
  (*disk)->limit_trash(trash_limits(settings));
  Disk* ours = disk->get();
  auto workspace = std::make_unique<Workspace>(std::move(*disk), settings);
  workspace->disk_ = ours;
  return workspace;
}

Workspace::Workspace(std::unique_ptr<FileSystem> files, const Settings& settings)
    : settings_(settings),
      files_(std::move(files)),
      search_(std::make_unique<DatabaseSearch>()),
      link_cache_(std::make_unique<LinkCache>(*files_, nullptr, link_settings(settings))) {}

Workspace::~Workspace() = default;

void Workspace::stay() {
  if (disk_ == nullptr || rescan_thread_) return;
  if (settings_.cache.value) {
    watch_ = std::make_unique<Watch>(disk_->root());
    follower_ = std::make_unique<Follower>(*watch_);
    link_cache_ = std::make_unique<LinkCache>(*files_, follower_.get(), link_settings(settings_));
  }
  rescan_thread_ = std::make_unique<RescanThread>([this] { rescan(); });
}

void Workspace::tidy(std::chrono::milliseconds budget) {
  if (disk_ != nullptr && !settings_.read_only.value) disk_->tidy(budget);
}

void Workspace::rescan() {
  tidy(tidy_slice);
  if (!follower_) return;
  std::vector<const Database*> databases;
  {
    const std::lock_guard guard(mutex_);
    for (const auto& [id, database] : databases_)
      databases.push_back(database.get());
  }
  for (const Database* database : databases)
    database->rescan();
  link_cache_->rescan();
}

std::string Workspace::root_name() const {
  std::string_view root = settings_.root.value;
  while (root.size() > 1 && root.ends_with('/'))
    root.remove_suffix(1);
  return to_utf8(root.substr(root.rfind('/') + 1));
}

Result<DatabaseIds> Workspace::database_ids() const {
  return search_->find(*files_);
}

Result<WorkspaceSummary> Workspace::summary() {
  auto found = database_ids();
  if (!found) return found.error();
  WorkspaceSummary summary;
  summary.root_name = root_name();
  summary.read_only = settings_.read_only.value;
  summary.max_rows = settings_.max_rows.value;
  summary.issues = std::move(found->issues);
  for (const std::string& id : found->ids) {
    const auto database = get(id);
    auto one = database ? (*database)->summary() : Result<DatabaseSummary>(database.error());
    if (one) {
      summary.databases.push_back(std::move(*one));
    } else {
      Issue& issue = summary.issues.emplace_back();
      issue.path = to_utf8(DatabaseFolder::find_schema_file(*files_, id).value_or(id));
      issue.rule = "schema";
      issue.message = one.error().message;
    }
  }
  return summary;
}

Database::WriteOptions Workspace::manner_of(const std::string& database_id) {
  Database::WriteOptions manner;
  manner.remember = settings_.cache.value;
  manner.follower = follower_.get();
  manner.neighbour = [this](std::string_view other) { return get(other); };
  manner.links = [this]() -> LinkCache& { return *link_cache_; };
  if (const std::string place = cache_place(settings_); !place.empty()) {
    manner.root_key = settings_.root.value;
    const Etag name = etag_of(manner.root_key + '\0' + database_id);
    manner.index_path = place + "/" + to_text(name) + ".index";
  }
  return manner;
}

// One that is known tells by itself whether it is still there, in a process that stays without a
// look at its files.
Result<Database*> Workspace::get(std::string_view database_id) {
  Database* const known = find_known(database_id);
  return known != nullptr && known->folder() ? known : find_database(database_id);
}

Result<Workspace::OpenDatabase> Workspace::open_database(std::string_view database_id) {
  if (Database* const known = find_known(database_id)) {
    if (auto folder = known->folder()) return OpenDatabase{known, *std::move(folder)};
  }
  const auto found = find_database(database_id);
  if (!found) return found.error();
  auto folder = (*found)->folder();
  if (!folder) return folder.error();
  return OpenDatabase{*found, *std::move(folder)};
}

Database* Workspace::find_known(std::string_view database_id) {
  if (rescan_thread_) rescan_thread_->wake();
  const std::lock_guard guard(mutex_);
  const auto found = databases_.find(database_id);
  return found == databases_.end() ? nullptr : found->second.get();
}

Result<Database*> Workspace::find_database(std::string_view database_id) {
  if (auto allowed = check_reached(database_id); !allowed) return allowed.error();
  const auto place = files_->stat(database_id);
  if (!place) return place.error();
  if (place->kind == FileKind::link) {
    return Error{ErrorCode::path_not_allowed,
                 "'" + escape_controls(database_id) + "' is a symbolic link, not followed",
                 Map{}};
  }
  if (!DatabaseFolder::find_schema_file(*files_, database_id)) {
    return no_database(*this, database_id, place->kind);
  }
  const std::lock_guard guard(mutex_);
  auto known = databases_.find(database_id);
  if (known == databases_.end()) {
    std::string id(database_id);
    known = databases_.emplace(id, std::make_unique<Database>(*files_, id, manner_of(id))).first;
  }
  return known->second.get();
}

std::shared_ptr<void> Workspace::search_state(const std::function<std::shared_ptr<void>()>& make) {
  const std::lock_guard guard(mutex_);
  if (!search_state_) search_state_ = make();
  return search_state_;
}

Result<void> Workspace::check_writable() const {
  if (!settings_.read_only.value) return {};
  return Error{ErrorCode::read_only, "the workspace is read-only here; nothing was changed", Map{}};
}

Result<Workspace::SchemaFile> Workspace::plan_database(const NewDatabase& database) const {
  const auto schema = parse_new_schema(database.schema);
  if (!schema) return schema.error();
  std::string id = database.database_id.empty() ? slug(schema->name) : database.database_id;
  if (id.empty()) {
    return Error{ErrorCode::invalid_argument,
                 "the name '" + escape_controls(schema->name) +
                     "' has no letter or digit to make an id of; give a database_id",
                 Map{}};
  }
  if (auto allowed = check_reached(id); !allowed) return allowed.error();
  if (auto allowed = check_new_path(id); !allowed) return allowed.error();
  if (auto free = check_free(*files_, id); !free) return free.error();
  const auto ids = database_ids();
  if (!ids) return ids.error();
  const auto known = std::make_shared<std::vector<std::string>>(ids->ids);
  const auto problems = check_relations(*schema, other_schemas(*files_, known, id, *schema));
  if (!problems.empty()) {
    std::vector<Error> errors;
    for (const ColumnProblem& problem : problems)
      errors.push_back({ErrorCode::invalid_value, problem.message, Map{}});
    return join(errors);
  }
  auto bytes = write_schema(*schema, "", NoteFormat::markdown);
  if (!bytes) return bytes.error();
  return SchemaFile{id, join_path(id, "_schema.md"), *std::move(bytes)};
}

Result<Workspace::Created> Workspace::create_database(const NewDatabase& database, WriteMode mode) {
  if (auto writable = check_writable(); !writable) return writable.error();
  Created created;
  const auto make = [&](Stage stage) -> Result<Plan> {
    auto file = plan_database(database);
    if (!file) return file.error();
    created.database_id = file->database_id;
    Plan plan(stage);
    plan.create(file->path, std::move(file->bytes));
    plan.what = "creation of the database " + file->database_id;
    return plan;
  };
  const auto written = commit(*files_, mode, make, created);
  if (!written) return written.error();
  return created;
}

Result<Workspace::Undone> Workspace::undo(std::string_view change) {
  if (auto writable = check_writable(); !writable) return writable.error();
  Undone undone;
  const auto make = [&](Stage stage) -> Result<Plan> {
    auto steps = files_->undo_steps(change);
    if (!steps) return steps.error();
    Plan plan(stage);
    plan.steps = without_counters(*files_, *std::move(steps));
    undone.paths.clear();
    for (const Step& step : plan.steps)
      undone.paths.push_back(step.kind == StepKind::rename ? step.new_path : step.path);
    plan.what = words_of_undo(*files_, change);
    plan.is_fixed = true;
    return plan;
  };
  const auto written = commit(*files_, WriteMode::write, make, undone);
  if (!written) return written.error();
  return undone;
}

}  // namespace notesdb
