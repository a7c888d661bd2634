#include "index/database_folder.h"

#include <algorithm>
#include <utility>

#include "core/file_name.h"
#include "core/text.h"
#include "files/etag.h"
#include "files/names.h"
#include "index/natural_sort.h"

namespace notesdb {
namespace {

constexpr std::string_view schema_names[] = {"_schema.md", "_schema.yaml"};

Error not_listed(std::string_view row_id) {
  return {ErrorCode::path_not_allowed,
          "'" + escape_controls(row_id) +
              "' is not a valid row id: the database does not list such a file",
          Map{}};
}

Error no_database(std::string_view id) {
  return {ErrorCode::unknown_database,
          "unknown database '" + escape_controls(id) +
              "': its folder holds neither _schema.md nor _schema.yaml",
          Map{}};
}

Etag etag_without_counter(const SchemaDocument& document, Etag etag) {
  if (!document.schema.next_row_id) return etag;
  const auto bytes = with_next_row_id(document, 0);
  return bytes ? etag_of(*bytes) : etag;
}

}  // namespace

DatabaseFolder::DatabaseFolder(std::string id, std::string schema_path, SchemaDocument document)
    : id_(std::move(id)),
      schema_path_(std::move(schema_path)),
      document_(std::move(document)),
      formulas_(document_.schema) {}

std::optional<std::string> DatabaseFolder::find_schema_file(const FileSystem& files,
                                                            std::string_view folder) {
  for (const std::string_view name : schema_names) {
    std::string path = join_path(folder, name);
    const auto found = files.stat(path);
    if (found && found->kind == FileKind::regular) return path;
  }
  return std::nullopt;
}

Result<std::shared_ptr<const DatabaseFolder>> DatabaseFolder::read(const FileSystem& files,
                                                                   std::string id) {
  if (auto allowed = check_database_id(id); !allowed) return allowed.error();
  const auto path = find_schema_file(files, id);
  if (!path) return no_database(id);
  auto bytes = files.read(*path);
  if (!bytes) return bytes.error();
  auto document = parse_schema(std::move(bytes->bytes), note_format_of(*path));
  if (!document) {
    Error error = document.error();
    error.message = *path + ": " + error.message;
    return error;
  }
  auto names = RowNames::of(document->schema.rows);
  if (!names) {
    return Error{ErrorCode::malformed_file, *path + ": rows: " + names.error().message, Map{}};
  }
  for (Issue& issue : document->issues)
    issue.path = *path;
  auto folder = std::shared_ptr<DatabaseFolder>(
      new DatabaseFolder(std::move(id), *path, std::move(*document)));
  folder->schema_etag_ = bytes->etag;
  folder->reading_etag_ = etag_without_counter(folder->document_, bytes->etag);
  folder->schema_key_ = bytes->key;
  folder->names_ = std::move(*names);
  return std::shared_ptr<const DatabaseFolder>(std::move(folder));
}

std::string DatabaseFolder::full_path(std::string_view path) const {
  return path.empty() ? id_ : join_path(id_, path);
}

Issue DatabaseFolder::issue_at(std::string_view path, std::string rule, std::string message) const {
  Issue issue;
  issue.path = to_utf8(full_path(path));
  issue.severity = Severity::warning;
  issue.rule = std::move(rule);
  issue.message = std::move(message);
  return issue;
}

void DatabaseFolder::take_entry(const Entry& entry,
                                const std::string& path,
                                RowListing& listing,
                                std::vector<std::string>& folders) const {
  if (entry.kind == FileKind::folder) {
    if (!names_.enters(path)) return;
    if (is_too_deep(full_path(path))) {
      listing.issues.push_back(
          issue_at(path, "folder", "nested deeper than 64 folders, so it is not looked into"));
    } else {
      folders.push_back(path);
    }
    return;
  }
  const FileRole role = names_.role_of(path);
  if (role == FileRole::other) {
    if (!is_utf8(entry.name) && is_markdown_file(entry.name)) {
      listing.issues.push_back(issue_at(
          path, "name", "the file name is not valid UTF-8, so it is not a row; rename the file"));
    }
  } else if (entry.kind == FileKind::link) {
    listing.issues.push_back(issue_at(path, "link", "a symbolic link, not read as a row"));
  } else if (entry.kind != FileKind::regular) {
    listing.issues.push_back(issue_at(path, "file", "no regular file, never opened"));
  } else if (role == FileRole::conflict_copy) {
    listing.issues.push_back(
        issue_at(path, "conflict-copy", "a conflict copy, not a row; merge it and delete it"));
  } else {
    listing.paths.push_back(path);
  }
}

Result<void> DatabaseFolder::list_folder(const FileSystem& files,
                                         const std::string& folder,
                                         RowListing& listing) const {
  const std::string full = full_path(folder);
  const auto found = files.stat(full);
  if (!found) return found.error();
  const auto entries = files.list(full);
  if (!entries) {
    // A folder below that has gone meanwhile has no rows.
    if (!folder.empty() && entries.error().code == ErrorCode::unknown_row) return {};
    return entries.error();
  }
  listing.folders.push_back({folder, found->key});
  const bool is_other_database =
      !folder.empty() && std::any_of(entries->begin(), entries->end(), [](const Entry& entry) {
        return entry.kind == FileKind::regular && is_schema_name(entry.name);
      });
  if (is_other_database) return {};
  std::vector<std::string> folders;
  for (const Entry& entry : *entries) {
    take_entry(entry, folder.empty() ? entry.name : folder + "/" + entry.name, listing, folders);
  }
  for (const std::string& below : folders) {
    if (auto done = list_folder(files, below, listing); !done) return done;
  }
  return {};
}

// row-1.md and row-1.yaml are one id; the first of RowNames::candidates is the row.
void DatabaseFolder::drop_second_files(RowListing& listing) const {
  auto& paths = listing.paths;
  const auto same_id = [&](const std::string& a, const std::string& b) {
    return names_.id_of(a) == names_.id_of(b);
  };
  for (auto at = std::adjacent_find(paths.begin(), paths.end(), same_id); at != paths.end();
       at = std::adjacent_find(at, paths.end(), same_id)) {
    const auto candidates = names_.candidates(names_.id_of(*at));
    const auto rank = [&](const std::string& path) {
      return std::find(candidates.begin(), candidates.end(), path);
    };
    const auto dropped = rank(*at) < rank(*(at + 1)) ? at + 1 : at;
    listing.issues.push_back(issue_at(*dropped,
                                      "id",
                                      "another file has the same row id '" +
                                          std::string(names_.id_of(*dropped)) +
                                          "'; rename this one"));
    at = paths.erase(dropped);
    if (at != paths.begin()) --at;
  }
}

Result<RowListing> DatabaseFolder::list_rows(const FileSystem& files) const {
  RowListing listing;
  if (auto done = list_folder(files, "", listing); !done) return done.error();
  sort_naturally(names_, listing.paths);
  drop_second_files(listing);
  return listing;
}

Result<std::optional<std::string>> DatabaseFolder::find_row(const FileSystem& files,
                                                            std::string_view row_id) const {
  if (auto allowed = check_row_id(row_id); !allowed) return allowed.error();
  const auto candidates = names_.candidates(row_id);
  if (candidates.empty()) return not_listed(row_id);
  for (std::size_t slash = row_id.find('/'); slash != std::string_view::npos;
       slash = row_id.find('/', slash + 1)) {
    if (find_schema_file(files, full_path(row_id.substr(0, slash)))) {
      return Error{ErrorCode::path_not_allowed,
                   "'" + escape_controls(row_id) + "' lies in another database, '" +
                       full_path(row_id.substr(0, slash)) + "'",
                   Map{}};
    }
  }
  for (const std::string& path : candidates) {
    const auto found = files.stat(full_path(path));
    if (!found) return found.error();
    if (found->kind == FileKind::link) {
      return Error{ErrorCode::path_not_allowed,
                   full_path(path) + " is a symbolic link, which is not read as a row",
                   Map{}};
    }
    if (found->kind == FileKind::regular) return std::optional<std::string>(path);
  }
  const std::string usual = std::string(row_id) + ".md";
  if (schema().rows.layout == RowLayout::file && names_.role_of(usual) == FileRole::other) {
    return not_listed(row_id);
  }
  return std::optional<std::string>();
}

}  // namespace notesdb
