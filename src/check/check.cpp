#include "check/check.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <unordered_map>
#include <utility>

#include "bases/base_files.h"
#include "check/link_check.h"
#include "core/budget.h"
#include "core/progress.h"
#include "core/text.h"
#include "database/health.h"
#include "database/note_walk.h"
#include "database/schema_check.h"
#include "files/file_system.h"
#include "files/names.h"
#include "files/store.h"
#include "index/database_folder.h"
#include "index/row_files.h"
#include "note/conflict_markers.h"
#include "note/front_matter.h"
#include "yaml/field_split.h"

namespace notesdb {

namespace {

// File check: what is wrong with the files of a database whatever its schema says.
//
//   conflict    markers of a merge left in a body        (those in fields are issues of the row)
//   invisible   letters nobody sees in the front matter: zero width, soft hyphens, text that runs
//               the other way, a space that is none around a value
//   yaml        lines of a quoted value at column 0, which some readers of YAML refuse
//   fence       fields below a line that is nearly one of `---`, or that blank lines stand above
//   id          two rows whose names are one on systems that ignore case or composition

// A letter nobody sees, by its bytes.
struct Unseen {
  std::string_view bytes;
  std::string_view name;
};

// Joiners (U+200C, U+200D) are left out: scripts and emoji need them.
constexpr std::array<Unseen, 14> unseen = {{
    {"\xE2\x80\x8B", "U+200B, a zero-width space"},
    {"\xE2\x80\x8E", "U+200E, a mark of direction"},
    {"\xE2\x80\x8F", "U+200F, a mark of direction"},
    {"\xE2\x80\xAA", "U+202A, which turns the direction of text"},
    {"\xE2\x80\xAB", "U+202B, which turns the direction of text"},
    {"\xE2\x80\xAC", "U+202C, which turns the direction of text"},
    {"\xE2\x80\xAD", "U+202D, which turns the direction of text"},
    {"\xE2\x80\xAE", "U+202E, which turns the direction of text"},
    {"\xE2\x81\xA0", "U+2060, a zero-width space (word joiner)"},
    {"\xE2\x81\xA6", "U+2066, which turns the direction of text"},
    {"\xE2\x81\xA7", "U+2067, which turns the direction of text"},
    {"\xE2\x81\xA8", "U+2068, which turns the direction of text"},
    {"\xC2\xAD", "U+00AD, a hyphen that is not shown"},
    {"\xEF\xBB\xBF", "U+FEFF, a byte order mark within the text"},
}};

constexpr std::size_t max_named = 100;  // markers of one body; nobody resolves more at once

Issue warning(std::string rule, std::string message) {
  Issue issue;
  issue.severity = Severity::warning;
  issue.rule = std::move(rule);
  issue.message = std::move(message);
  return issue;
}

std::uint32_t lines_in(std::string_view bytes) {
  return static_cast<std::uint32_t>(std::count(bytes.begin(), bytes.end(), '\n'));
}

void place(std::string_view bytes, std::size_t position, Issue& issue) {
  const std::size_t line_start = bytes.rfind('\n', position) + 1;  // npos + 1 is the beginning
  issue.line = lines_in(bytes.substr(0, position)) + 1;
  issue.column = static_cast<std::uint32_t>(position - std::min(line_start, position)) + 1;
}

void find_unseen(std::string_view bytes, const FrontMatter& front, std::vector<Issue>& issues) {
  const std::string_view fields = bytes.substr(front.begin, front.end - front.begin);
  const bool is_ascii = std::none_of(
      fields.begin(), fields.end(), [](char c) { return static_cast<unsigned char>(c) >= 0x80; });
  if (is_ascii) return;
  for (const auto& [letter, name] : unseen) {
    const std::size_t at = fields.find(letter);
    if (at == std::string_view::npos) continue;
    Issue issue = warning("invisible", "the field holds " + std::string(name) + "; remove it");
    place(bytes, front.begin + at, issue);
    issues.push_back(std::move(issue));
  }
}

// Tells of positions, asked from the first to the last, whether they lie in a fenced block of code,
// where markers are an example.
class CodeBlocks {
 public:
  explicit CodeBlocks(std::string_view body) : body_(body), fence_(body.find("```")) {}

  bool hold(std::size_t position) {
    for (; fence_ < position; fence_ = body_.find("```", fence_ + 3))
      if (fence_ == 0 || body_[fence_ - 1] == '\n') is_open_ = !is_open_;
    return is_open_;
  }

 private:
  std::string_view body_;
  std::size_t fence_;  // the next one
  bool is_open_ = false;
};

void find_markers(std::string_view bytes, const FrontMatter& front, std::vector<Issue>& issues) {
  const std::string_view body = bytes.substr(front.body_begin);
  if (body.find("<<<<<<<") == std::string_view::npos) return;
  const std::uint32_t first_line = lines_in(bytes.substr(0, front.body_begin)) + 1;
  CodeBlocks code(body);
  std::size_t named = 0;
  for (const ConflictBlock& block : find_conflicts(body)) {
    if (code.hold(block.whole.begin)) continue;
    if (named++ == max_named) break;
    Issue issue;
    issue.rule = "conflict";
    issue.message = "a merge left its markers in the text; keep one side and remove the markers";
    issue.field = "_body";
    issue.line = first_line + block.line;
    issue.column = 1;
    issues.push_back(std::move(issue));
  }
}

// Whether a text begins as front matter does: a word, a colon and a space.
bool begins_with_field(std::string_view text) {
  const std::size_t colon = text.find_first_of(" \t\r\n:*#[(`<>");
  if (colon == 0 || colon >= text.size() || text[colon] != ':') return false;
  return colon + 1 == text.size() ||
         std::string_view(" \r\n").find(text[colon + 1]) != std::string_view::npos;
}

// A fence that is none, below blank lines or of another number of dashes: all fields are missing.
void find_missed_fence(std::string_view bytes,
                       const FrontMatter& front,
                       std::vector<Issue>& issues) {
  if (front.kind != FrontMatterKind::none) return;
  const std::size_t begin = bytes.find_first_not_of(" \t\r\n", front.begin);
  const std::size_t end = bytes.find_first_not_of('-', begin);
  if (end == std::string_view::npos || end - begin < 2) return;
  const std::size_t below = bytes.find_first_not_of(" \t\r", end);
  if (below == std::string_view::npos || bytes[below] != '\n') return;
  if (!begins_with_field(bytes.substr(below + 1))) return;
  Issue issue = warning("fence",
                        "the fields below are read as text, since the file does not begin with a "
                        "line of '---'");
  place(bytes, begin, issue);
  issues.push_back(std::move(issue));
}

// Whether a value in quotes or brackets may go on below its line. Each note is asked, so that most
// are told by four looks for a letter.
bool may_leave_open(std::string_view fields) {
  constexpr std::array<std::pair<char, char>, 4> pairs{
      {{'"', '"'}, {'\'', '\''}, {'[', ']'}, {'{', '}'}}};
  for (const auto& [opener, closer] : pairs) {
    for (std::size_t at = fields.find(opener); at != std::string_view::npos;) {
      const std::size_t end = std::min(fields.find('\n', at), fields.size());
      const std::size_t last = fields.find_last_not_of(" \t\r", end - 1);
      const bool begins_value = at > 0 && fields[at - 1] == ' ';
      if (begins_value && (last == at || fields[last] != closer)) return true;
      at = fields.find(opener, end);
    }
  }
  return false;
}

void find_unindented(std::string_view bytes, const FrontMatter& front, std::vector<Issue>& issues) {
  if (front.kind != FrontMatterKind::yaml) return;
  const std::string_view fields = bytes.substr(front.begin, front.end - front.begin);
  if (!may_leave_open(fields)) return;
  for (const FieldText& field : split_fields(fields)) {
    if (field.stray || field.unindented == 0) continue;
    Issue issue = warning("yaml",
                          "this line continues the value above, which some readers of YAML see "
                          "only where it is indented");
    issue.field = field.key;
    place(bytes, front.begin + field.unindented, issue);
    issues.push_back(std::move(issue));
  }
}

// Two names that are one name elsewhere: the second is the one to rename.
void find_twins(const DatabaseFolder& folder,
                const RowListing& listing,
                std::vector<Issue>& issues) {
  std::map<std::string, const std::string*> seen;
  for (const std::string& path : listing.paths) {
    const auto [found, is_new] = seen.emplace(folded_name(path), &path);
    if (is_new) continue;
    Issue issue = warning(
        "id", "'" + *found->second + "' is the same name on systems that ignore case; rename one");
    issue.path = folder.full_path(path);
    issues.push_back(std::move(issue));
  }
}

// The issues of one file's text; the path is the caller's to fill in.
std::vector<Issue> check_text(std::string_view bytes, NoteFormat format) {
  std::vector<Issue> issues;
  const auto front = split_front_matter(bytes, format);
  if (!front) return issues;  // an issue of the row already
  find_unseen(bytes, *front, issues);
  find_markers(bytes, *front, issues);
  find_missed_fence(bytes, *front, issues);
  find_unindented(bytes, *front, issues);
  return issues;
}

// The texts of all rows of some databases, read together with their links where these are read.
class TextCheck {
 public:
  // Lists the rows of a database, which is then one of these.
  void add(const FileSystem& files, const std::string& id) {
    OfDatabase& database = databases_[id];
    const auto folder = DatabaseFolder::read(files, id);
    database.listing = folder ? (*folder)->list_rows(files) : Result<RowListing>(folder.error());
    if (!database.listing) return;
    database.folder = *folder;
    find_twins(**folder, *database.listing, database.issues);
    for (const std::string& path : database.listing->paths)
      rows_.emplace((*folder)->full_path(path), &database);
  }

  // A file as somebody reads it, from several threads at once.
  void take(const std::string& path, const FileView& file) {
    if (file.state != ReadState::whole) return;
    const auto row = rows_.find(path);
    if (row == rows_.end()) return;
    auto found = check_text(file.bytes, note_format_of(path));
    const std::lock_guard guard(mutex_);
    row->second.is_read = true;
    for (Issue& issue : found) {
      issue.path = path;
      row->second.database->issues.push_back(std::move(issue));
    }
  }

  // The issues of a database, after its other rows are read: those whose links are known, and those
  // in folders where no links are looked for.
  Result<std::vector<Issue>> finish(const FileSystem& files, const std::string& id) {
    OfDatabase& database = databases_[id];
    if (!database.listing) return database.listing.error();
    std::vector<const char*> unread;
    for (const std::string& path : database.listing->paths)
      if (!rows_.at(database.folder->full_path(path)).is_read) unread.push_back(path.c_str());
    const auto done = read_row_files(files, id, unread, [&](const FileView& file) {
      take(database.folder->full_path(unread[file.index]), file);
    });
    if (!done) return done.error();
    return std::move(database.issues);
  }

 private:
  struct OfDatabase {
    std::shared_ptr<const DatabaseFolder> folder;
    Result<RowListing> listing = RowListing{};
    std::vector<Issue> issues;
  };
  struct Row {
    explicit Row(OfDatabase* of) : database(of) {}
    OfDatabase* database;
    bool is_read = false;
  };
  std::map<std::string, OfDatabase> databases_;
  std::unordered_map<std::string, Row> rows_;  // by path
  std::mutex mutex_;
};

bool is_wanted(const CheckRequest& request, const std::string& path) {
  return !request.paths || request.paths->contains(path);
}

// Whether a database holds any of the files that are asked for.
bool is_asked_for(const CheckRequest& request, const std::string& id) {
  if (!request.paths || id == ".") return !request.paths || !request.paths->empty();
  const auto first = request.paths->lower_bound(id + "/");
  return first != request.paths->end() && first->starts_with(id + "/");
}

// The databases to look at, and what stands in the way of finding more.
Result<DatabaseIds> databases_of(Workspace& workspace, const CheckRequest& request) {
  if (request.database_id.empty()) {
    auto all = workspace.database_ids();
    if (all) std::erase_if(all->ids, [&](const auto& id) { return !is_asked_for(request, id); });
    return all;
  }
  const auto database = workspace.get(request.database_id);
  if (!database) return database.error();
  return DatabaseIds{{request.database_id}, {}, {}};
}

Issue unreadable_schema(const FileSystem& files, const std::string& id, const Error& error) {
  Issue issue;
  issue.path = DatabaseFolder::find_schema_file(files, id).value_or(id);
  issue.rule = "schema";
  issue.message = error.message;
  const std::string prefix = issue.path + ": ";
  if (issue.message.starts_with(prefix)) issue.message.erase(0, prefix.size());
  return issue;
}

using KnownIds = std::shared_ptr<const std::vector<std::string>>;

// `ids` are those of all databases.
Result<std::vector<Issue>> issues_of(Workspace& workspace,
                                     const std::string& id,
                                     const KnownIds& ids,
                                     TextCheck& texts) {
  const ProgressStage stage("checking " + id);
  const auto database = workspace.get(id);
  if (!database) return database.error();
  auto issues = (*database)->issues();
  if (!issues) return issues.error();
  const auto folder = DatabaseFolder::read(workspace.files(), id);
  if (!folder) return folder.error();
  const SchemaDocument& document = (*folder)->document();
  const auto others = other_schemas(workspace.files(), ids, id, document.schema);
  auto problems = check_values(document.schema);
  for (ColumnProblem& problem : check_relations(document.schema, others))
    problems.push_back(std::move(problem));
  for (const ColumnProblem& problem : problems) {
    issues->push_back(to_issue(problem, document));
    issues->back().path = (*folder)->schema_path();
  }
  auto more = texts.finish(workspace.files(), id);
  if (!more) return more.error();
  issues->insert(issues->end(), more->begin(), more->end());
  return std::move(*issues);
}

void sort_issues(std::vector<Issue>& issues) {
  std::stable_sort(issues.begin(), issues.end(), [](const Issue& a, const Issue& b) {
    if (const int order = compare_natural(a.path, b.path); order != 0) return order < 0;
    return std::pair(a.line, a.column) < std::pair(b.line, b.column);
  });
}

struct Fixing {
  std::vector<FixedFile> files;
  Plan plan;
  LinkProblems links;
};

Result<void> fix_file(const FileSystem& files,
                      const DatabaseFolder& folder,
                      const std::string& path,
                      Fixing& fixing) {
  auto bytes = files.read(path);
  if (!bytes) {
    if (bytes.error().code == ErrorCode::unknown_row) return {};
    return bytes.error();
  }
  auto note = Note::parse(bytes->bytes, note_format_of(path));
  if (!note) return {};  // unreadable: for a person to look at
  auto fields = fix_note(folder.schema(), *note);
  if (const auto links = fixing.links.find(path); links != fixing.links.end()) {
    auto fixed = fix_links(folder.schema(), links->second, *note);
    std::ranges::move(fixed, std::back_inserter(fields));
  }
  if (fields.empty()) return {};
  fixing.files.push_back({path, std::move(fields)});
  fixing.plan.replace(path, bytes->etag, bytes->bytes, note->bytes());
  return {};
}

Result<void> fix_database(Workspace& workspace,
                          const std::string& id,
                          const CheckRequest& request,
                          Fixing& fixing) {
  const ProgressStage stage("looking for fixes in " + id);
  const auto folder = DatabaseFolder::read(workspace.files(), id);
  if (!folder) return {};
  const auto database = workspace.get(id);
  if (!database) return database.error();
  const auto issues = (*database)->issues();
  if (!issues) return issues.error();
  TextCheck texts;
  texts.add(workspace.files(), id);
  fixing.links = find_link_problems(
      workspace, {id}, [&](const WalkedNote& note) { texts.take(note.path, note.file); });
  const auto of_files = texts.finish(workspace.files(), id);
  if (!of_files) return of_files.error();
  std::vector<std::string> paths;
  const auto take = [&](const std::vector<Issue>& some) {
    for (const Issue& issue : some)
      if (issue.line != 0 && issue.path != (*folder)->schema_path()) paths.push_back(issue.path);
  };
  take(*issues);
  take(*of_files);
  for (const auto& [path, problems] : fixing.links)
    paths.push_back(path);
  std::erase_if(paths, [&](const std::string& path) { return !is_wanted(request, path); });
  std::ranges::sort(paths, [](const auto& a, const auto& b) { return compare_natural(a, b) < 0; });
  const auto repeated = std::ranges::unique(paths);
  paths.erase(repeated.begin(), repeated.end());
  Progress::begin(paths.size(), "fixing files");
  for (const std::string& path : paths) {
    Budget::look();
    if (auto done = fix_file(workspace.files(), **folder, path, fixing); !done) return done;
    Progress::step();
  }
  return {};
}

}  // namespace

Result<CheckAnswer> check(Workspace& workspace, const CheckRequest& request) {
  auto found = databases_of(workspace, request);
  if (!found) return found.error();
  CheckAnswer answer;
  answer.issues = std::move(found->issues);
  answer.databases = static_cast<std::int64_t>(found->ids.size());
  const auto all = workspace.database_ids();
  if (!all) return all.error();
  const auto ids = std::make_shared<std::vector<std::string>>(all->ids);
  TextCheck texts;
  for (const std::string& id : found->ids)
    texts.add(workspace.files(), id);
  const std::set<std::string, std::less<>> checked(found->ids.begin(), found->ids.end());
  const auto problems = find_link_problems(
      workspace, checked, [&](const WalkedNote& note) { texts.take(note.path, note.file); });
  for (const std::string& id : found->ids) {
    auto issues = issues_of(workspace, id, ids, texts);
    if (issues) {
      answer.issues.insert(answer.issues.end(), issues->begin(), issues->end());
    } else {
      answer.issues.push_back(unreadable_schema(workspace.files(), id, issues.error()));
    }
  }
  auto links = link_issues(workspace.files(), problems);
  std::ranges::move(links, std::back_inserter(answer.issues));
  const std::string& only = request.database_id;
  auto of_bases = bases::issues_of_base_files(workspace, only.empty() ? "." : only);
  std::ranges::move(of_bases, std::back_inserter(answer.issues));
  if (std::string warning = store_warning(workspace.settings()); !warning.empty()) {
    Issue& issue = answer.issues.emplace_back();
    issue.path = store_name;
    issue.severity = Severity::warning;
    issue.rule = "store";
    issue.message = std::move(warning);
  }
  std::erase_if(answer.issues, [&](const Issue& issue) { return !is_wanted(request, issue.path); });
  for (Issue& issue : answer.issues) {  // what is about a whole file is about its first line
    issue.line = std::max(issue.line, std::uint32_t{1});
    issue.column = std::max(issue.column, std::uint32_t{1});
  }
  sort_issues(answer.issues);
  return answer;
}

Result<FixAnswer> fix(Workspace& workspace, const CheckRequest& request, WriteMode mode) {
  if (auto writable = workspace.check_writable(); !writable) return writable.error();
  if (mode == WriteMode::write) (void)workspace.files().recover();
  FixAnswer answer;
  const auto make = [&](Stage stage) -> Result<Plan> {
    Fixing fixing{{}, Plan(stage), {}};
    const auto found = databases_of(workspace, request);
    if (!found) return found.error();
    for (const std::string& id : found->ids) {
      if (auto done = fix_database(workspace, id, request, fixing); !done) return done.error();
    }
    answer.files = std::move(fixing.files);
    fixing.plan.what = "fixes of check";
    return std::move(fixing.plan);
  };
  const auto written = commit(workspace.files(), mode, make, answer);
  if (!written) return written.error();
  return answer;
}

}  // namespace notesdb
