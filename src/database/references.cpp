#include "database/references.h"

#include <algorithm>
#include <cctype>
#include <mutex>
#include <optional>
#include <set>
#include <utility>

#include "database/link_cache.h"
#include "database/note_walk.h"
#include "files/names.h"
#include "note/link_names.h"
#include "note/note.h"
#include "schema/edit.h"

namespace notesdb {
namespace {

// Letters that a link or YAML may spell as an escape.
bool is_plain(std::string_view name) {
  return std::all_of(name.begin(), name.end(), [](unsigned char c) {
    return std::isalnum(c) != 0 || c == '-' || c == '_' || c == '.';
  });
}

class Relinking {
 public:
  Relinking(const FileSystem& files, const LinkSettings& settings, const RowRenaming& renaming)
      : files_(files),
        settings_(settings),
        renaming_(renaming),
        name_(name_in(renaming_.old_id)),
        may_be_escaped_(!is_plain(name_)) {
    for (const std::string& path : {renaming.path, renaming.new_path})
      for (const LinkNames::Key key : LinkNames::keys_for(path))
        keys_.insert(key);
  }

  void look();
  Result<References> finish(const Schema& schema, Note& own);

 private:
  // A note that may refer to the row, until all files are known.
  struct Candidate {
    std::string path;
    std::shared_ptr<const DatabaseFolder> owner;
    std::string row_id;
    std::string bytes;
    Etag etag;
  };

  bool may_refer(std::string_view bytes) const;
  void take(const WalkedNote& walked);
  Relink relink_for(const std::string& source, const std::string& source_after);
  std::optional<std::string> rewritten(const BodyLink& link,
                                       std::string_view target,
                                       const std::string& source,
                                       const std::string& source_after);
  Result<void> relink_note(const Candidate& candidate);
  void relink_canvas_file(const Candidate& candidate);

  const FileSystem& files_;
  const LinkSettings& settings_;
  const RowRenaming& renaming_;
  std::string_view name_;
  bool may_be_escaped_;
  std::set<LinkNames::Key> keys_;  // of links that may mean the old path or the new one
  LinkNames before_;
  LinkNames after_;
  std::mutex mutex_;  // of candidates_
  std::vector<Candidate> candidates_;
  References found_;
};

// Whether it holds the id, as a relation does, or a link whose meaning may change.
bool Relinking::may_refer(std::string_view bytes) const {
  if (bytes.find(name_) != std::string_view::npos) return true;
  if (may_be_escaped_ && bytes.find_first_of("%\\") != std::string_view::npos) return true;
  const auto front = split_front_matter(bytes, NoteFormat::markdown);
  const std::size_t body = front ? front->body_begin : 0;
  bool found = false;
  const auto look = [&](const BodyLink& link) {
    found = found || keys_.contains(LinkNames::key_of(path_meant(link))) ||
            (link.form == LinkForm::wiki && keys_.contains(LinkNames::key_of(link.text)));
  };
  for_each_link(bytes.substr(0, body), look);
  for_each_link(bytes.substr(body), look, TagLinks::yes);
  return found;
}

void Relinking::take(const WalkedNote& walked) {
  if (walked.path == renaming_.path) return;
  if (!is_canvas(walked.path) && !may_refer(walked.file.bytes)) return;
  const std::lock_guard guard(mutex_);
  candidates_.push_back({walked.path,
                         walked.owner,
                         std::string(walked.row_id),
                         std::string(walked.file.bytes),
                         walked.file.etag});
}

void Relinking::look() {
  walk_notes(files_,
             {.visit = [&](const WalkedNote& note) { take(note); },
              .entered =
                  [&](const EnteredFolder& folder) {
                    LinkCache::add_folder(files_, folder, settings_, before_);
                  },
              .with_attachments = true});
  before_.add(renaming_.path, renaming_.database);
  after_ = before_;
  after_.remove(renaming_.path);
  after_.add(renaming_.new_path, renaming_.database);
}

// What a link must be so that it means what it meant, where the row is concerned as the row.
std::optional<std::string> Relinking::rewritten(const BodyLink& written,
                                                std::string_view target,
                                                const std::string& source,
                                                const std::string& source_after) {
  const LinkFlavour flavour = before_.rules_of(source).flavour;
  const BodyLink link = as_written_by(flavour, written);
  const std::string path = path_meant(link);
  const LinkNames::Meaning meant = before_.resolve(path, link.form, source, target);
  if (!meant.is_found()) return std::nullopt;
  const bool is_row = before_.path(meant.file) == renaming_.path;
  const std::string& wanted = is_row ? renaming_.new_path : before_.path(meant.file);
  const LinkNames::Meaning now = after_.resolve(path, link.form, source_after, target);
  // A path from the note is not replaced by a name that happens to lead there too.
  const bool is_of_folder = meant.way == LinkNames::Way::beside && now.way != meant.way;
  if (now.is_found() && after_.path(now.file) == wanted && !is_of_folder) return std::nullopt;
  if (!is_row && source == source_after) ++found_.kept;
  std::optional<std::string> text;
  const std::string_view old_name = stem_of(name_in(renaming_.path));
  if (is_row && link.text == old_name) text = stem_of(name_in(renaming_.new_path));
  return with_path(
      link, after_.path_for(wanted, meant, path, link.form, source_after, target), text);
}

Relink Relinking::relink_for(const std::string& source, const std::string& source_after) {
  return {renaming_.database,
          renaming_.old_id,
          renaming_.new_id,
          [=, this](const BodyLink& link, std::string_view target) {
            return rewritten(link, target, source, source_after);
          }};
}

void Relinking::relink_canvas_file(const Candidate& candidate) {
  const auto rewrite = [&](const BodyLink& link) {
    return rewritten(link, "", candidate.path, candidate.path);
  };
  std::string after = relink_canvas(candidate.bytes, rewrite);
  if (after != candidate.bytes)
    found_.notes.push_back({candidate.path, candidate.etag, candidate.bytes, after});
  bool is_left = false;
  for_each_canvas_link(
      after, [&](const BodyLink& link) { is_left = is_left || rewrite(link).has_value(); });
  if (is_left) found_.left.push_back(candidate.path);
}

Result<void> Relinking::relink_note(const Candidate& candidate) {
  if (is_canvas(candidate.path)) {
    relink_canvas_file(candidate);
    return {};
  }
  static const Schema no_schema;
  const DatabaseFolder* owner = candidate.owner.get();
  auto note = Note::parse(candidate.bytes, note_format_of(candidate.path));
  if (!note) {
    if (candidate.bytes.find(name_) != std::string::npos) found_.unread.push_back(candidate.path);
    return {};
  }
  const Relink how = relink_for(candidate.path, candidate.path);
  const Schema& schema = candidate.row_id.empty() ? no_schema : owner->schema();
  const bool is_schema = owner != nullptr && candidate.path == owner->schema_path();
  auto edit = is_schema ? relink_schema(owner->schema(), how, *note) : relink(schema, how, *note);
  if (!edit) {
    Error error = edit.error();
    error.message = candidate.path + " names the row and cannot follow it: " + error.message;
    return error;
  }
  if (*edit == Edit::unchanged) return {};
  found_.notes.push_back({candidate.path, candidate.etag, candidate.bytes, note->bytes()});
  return {};
}

Result<References> Relinking::finish(const Schema& schema, Note& own) {
  auto done = relink(schema, relink_for(renaming_.path, renaming_.new_path), own);
  if (!done) return done.error();
  std::ranges::sort(candidates_, {}, &Candidate::path);
  for (const Candidate& candidate : candidates_)
    if (auto note = relink_note(candidate); !note) return note.error();
  return std::move(found_);
}

}  // namespace

Result<References> relink_references(const FileSystem& files,
                                     const LinkSettings& settings,
                                     const RowRenaming& renaming,
                                     const Schema& schema,
                                     Note& own) {
  Relinking relinking(files, settings, renaming);
  relinking.look();
  return relinking.finish(schema, own);
}

}  // namespace notesdb
