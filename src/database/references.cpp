#include "database/references.h"

#include <algorithm>
#include <cctype>
#include <mutex>
#include <optional>
#include <utility>

#include "database/note_walk.h"
#include "files/names.h"
#include "note/note.h"
#include "schema/edit.h"

namespace notesdb {
namespace {

std::string_view without_md(std::string_view path) {
  if (path.ends_with(".md")) path.remove_suffix(3);
  return path;
}

// What the path of a row's file adds to its id: "" or, of a folder, "/index".
std::string tail_of(const RowRenaming& renaming) {
  const std::string row =
      renaming.database == "." ? renaming.old_id : join_path(renaming.database, renaming.old_id);
  const std::string_view stem = without_md(renaming.path);
  return stem.starts_with(row) && stem.size() > row.size() && stem[row.size()] == '/'
             ? std::string(stem.substr(row.size()))
             : std::string();
}

// Letters that a link or YAML may spell as an escape.
bool is_plain(std::string_view name) {
  return std::all_of(name.begin(), name.end(), [](unsigned char c) {
    return std::isalnum(c) != 0 || c == '-' || c == '_' || c == '.';
  });
}

class Relinking {
 public:
  Relinking(const FileSystem& files, const RowRenaming& renaming)
      : files_(files),
        renaming_(renaming),
        tail_(tail_of(renaming)),
        name_(name_in(renaming_.old_id)),
        may_be_escaped_(!is_plain(name_)) {}

  void take(const WalkedNote& walked);
  Result<References> finish();

 private:
  bool may_refer(std::string_view bytes) const;
  bool is_near(const DatabaseFolder* owner);

  const FileSystem& files_;
  const RowRenaming& renaming_;
  std::string tail_;
  std::string_view name_;
  bool may_be_escaped_;
  std::mutex mutex_;
  References found_;
  std::optional<Error> failure_;
};

bool Relinking::may_refer(std::string_view bytes) const {
  if (bytes.find(name_) != std::string_view::npos) return true;
  return may_be_escaped_ && bytes.find_first_of("%\\") != std::string_view::npos;
}

// Another database that has a row of the same name means that one.
bool Relinking::is_near(const DatabaseFolder* owner) {
  if (owner == nullptr || owner->id() == renaming_.database) return true;
  const std::lock_guard guard(mutex_);  // files that are only collected are for one thread
  const auto own = owner->find_row(files_, renaming_.old_id);
  return !own || !own->has_value();
}

void Relinking::take(const WalkedNote& walked) {
  if (walked.path == renaming_.path || !may_refer(walked.file.bytes)) return;
  static const Schema no_schema;
  auto note = Note::parse(std::string(walked.file.bytes), note_format_of(walked.path));
  const Relink how{std::string(walked.folder),
                   renaming_.database,
                   renaming_.old_id,
                   renaming_.new_id,
                   tail_,
                   is_near(walked.owner.get())};
  const Schema& schema = walked.row_id.empty() ? no_schema : walked.owner->schema();
  const bool is_schema = walked.owner != nullptr && walked.path == walked.owner->schema_path();
  const auto edit = !note       ? Result<Edit>(Edit::unchanged)
                    : is_schema ? relink_schema(walked.owner->schema(), how, *note)
                                : relink(schema, how, *note);
  if (edit && note && *edit == Edit::unchanged) return;

  const std::lock_guard guard(mutex_);
  if (!note) {
    found_.unread.push_back(walked.path);
  } else if (!edit) {
    failure_ = edit.error();
    failure_->message = walked.path + " names the row and cannot follow it: " + failure_->message;
  } else {
    found_.notes.push_back(
        {walked.path, walked.file.etag, std::string(walked.file.bytes), note->bytes()});
  }
}

Result<References> Relinking::finish() {
  if (failure_) return *std::move(failure_);
  std::sort(found_.notes.begin(), found_.notes.end(), [](const auto& a, const auto& b) {
    return a.path < b.path;
  });
  std::sort(found_.unread.begin(), found_.unread.end());
  return std::move(found_);
}

}  // namespace

Result<References> relink_references(const FileSystem& files, const RowRenaming& renaming) {
  Relinking relinking(files, renaming);
  walk_notes(files, {.visit = [&](const WalkedNote& note) { relinking.take(note); }});
  return relinking.finish();
}

Relink relink_of_itself(const RowRenaming& renaming) {
  return {std::string(folder_of(renaming.path)),
          renaming.database,
          renaming.old_id,
          renaming.new_id,
          tail_of(renaming),
          true};
}

}  // namespace notesdb
