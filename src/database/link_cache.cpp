#include "database/link_cache.h"

#include <algorithm>
#include <set>
#include <tuple>
#include <unordered_set>
#include <utility>

#include "core/progress.h"
#include "core/text.h"
#include "core/threads.h"
#include "files/file_system.h"
#include "files/names.h"
#include "index/row_files.h"
#include "note/front_matter.h"
#include "note/links.h"
#include "yaml/scalar.h"

namespace notesdb {
namespace {

// Below the two seconds within which a store that the kernel does not note must be seen.
constexpr std::chrono::milliseconds longest_trust{1900};
constexpr std::chrono::milliseconds between_rescans{700};
constexpr std::size_t swept_at_once = 512;
// So many calls of rescan() look at all notes, however many these are.
constexpr std::size_t rescans_of_all = 4;

// Whether a link may mean a file of this name.
bool is_named(const Entry& entry) {
  return entry.kind == FileKind::regular && !entry.name.starts_with('.') && is_utf8(entry.name);
}

// Whether a change of this file may change the rules of links.
bool is_marker(std::string_view path) {
  const std::string_view name = name_in(path);
  return flavour_of_marker(name) || name.starts_with("config.") || name == "content";
}

// What the note says that it is called beside its name: a list, or one text.
std::vector<std::string> aliases_of(const Note& note) {
  std::vector<std::string> aliases;
  for (const std::string_view key : {"aliases", "alias"}) {
    const Node* node = note.find(key);
    if (node == nullptr) continue;
    const Value value = read_untyped(*node);
    for (const Value& item : value.is_list() ? value.list() : List{value})
      if (item.is_text() && !item.text().empty()) aliases.push_back(item.text());
  }
  return aliases;
}

// What the properties at the top of a page of Logseq call it: `title:: x`, `alias:: a, b`.
void add_page_names(std::string_view body, std::vector<std::string>& names) {
  while (!body.empty()) {
    const std::size_t end = std::min(body.find('\n'), body.size());
    std::string_view line = trimmed(body.substr(0, end));
    body.remove_prefix(std::min(end + 1, body.size()));
    if (line.starts_with("- ")) line = trimmed(line.substr(2));
    const std::size_t colons = line.find(":: ");
    if (colons == std::string_view::npos) return;
    const std::string key = fold_case(line.substr(0, colons));
    std::string_view values = line.substr(colons + 3);
    while ((key == "title" || key == "alias") && !values.empty()) {
      const std::size_t comma = key == "alias" ? values.find(',') : std::string_view::npos;
      std::string_view name = trimmed(values.substr(0, comma));
      if (name.starts_with("[[") && name.ends_with("]]")) name = name.substr(2, name.size() - 4);
      if (!name.empty()) names.emplace_back(name);
      values = comma == std::string_view::npos ? std::string_view() : values.substr(comma + 1);
    }
  }
}

}  // namespace

LinkCache::~LinkCache() {
  if (follower_ != nullptr) follower_->leave(this);
}

LinkCache::NoteTexts LinkCache::texts_of(std::string_view path,
                                         std::string_view bytes,
                                         const LinkRules& rules) {
  NoteTexts texts;
  std::vector<StoredLink>& links = texts.links;
  std::map<std::tuple<std::string, std::string, LinkForm>, std::size_t> known;
  const auto add = [&](const BodyLink& link, std::string field) {
    std::string meant = path_meant(as_written_by(rules.flavour, link));
    const auto [found, is_new] = known.try_emplace({meant, field, link.form}, links.size());
    if (is_new) {
      links.push_back({std::move(meant), std::move(field), link.form});
    } else {
      ++links[found->second].count;
    }
  };
  if (is_canvas(path)) {
    for_each_canvas_link(bytes, [&](const BodyLink& link) { add(link, {}); });
    return texts;
  }
  const auto front = split_front_matter(bytes, note_format_of(path));
  if (!front) return texts;
  // Most notes have neither, and are read fast.
  const std::string_view fields = bytes.substr(0, front->body_begin);
  const bool has_links = fields.find("[[") != std::string_view::npos;
  if (has_links || fields.find("alias") != std::string_view::npos) {
    if (const auto note = notesdb::Note::parse(std::string(fields), note_format_of(path))) {
      for_each_field_link(*note, [&](const FieldLink& field) {
        BodyLink link;
        if (scan_whole_link(field.text, link)) add(link, field.key);
      });
      texts.aliases = aliases_of(*note);
    }
  }
  const bool has_tag_links = is_link_of(rules.flavour, LinkForm::tag);
  if (rules.flavour == LinkFlavour::logseq)
    add_page_names(bytes.substr(front->body_begin), texts.aliases);
  for_each_link(
      bytes.substr(front->body_begin),
      [&](const BodyLink& link) {
        if (is_link_of(rules.flavour, link.form)) add(link, {});
      },
      has_tag_links ? TagLinks::yes : TagLinks::no);
  return texts;
}

std::string_view LinkCache::relation_target(const DatabaseFolder* owner,
                                            std::string_view row_id,
                                            std::string_view field) {
  if (owner == nullptr || row_id.empty() || field.empty()) return "";
  const Column* column = owner->schema().find(field);
  return column != nullptr && column->type == ColumnType::relation
             ? std::string_view(column->target)
             : "";
}

void LinkCache::add_folder(const FileSystem& files,
                           const EnteredFolder& folder,
                           const LinkSettings& settings,
                           LinkNames& names) {
  if (folder.has_notes) {
    auto rules = find_link_rules(files, folder.path, folder.entries, settings);
    if (rules) names.set_rules(folder.path, *std::move(rules));
  }
  for (const Entry& entry : folder.entries) {
    if (!is_named(entry)) continue;
    const std::string path = join_path(folder.path, entry.name);
    const bool is_row = folder.has_notes && !row_id_at(folder.owner.get(), path).empty();
    names.add(path, is_row ? folder.owner->id() : "");
  }
}

LinkCache::RowName LinkCache::row_at(std::string_view path) const {
  const auto folder = folders_.find(folder_of(path));
  if (folder == folders_.end() || !folder->second.owner || !folder->second.has_notes) return {};
  return {folder->second.owner->id(), std::string(row_id_at(folder->second.owner.get(), path))};
}

LinkNames::Meaning LinkCache::meaning_of(const Source& source) const {
  const auto& [path, note] = *source.note;
  const StoredLink& link = note.texts.links[source.link];
  const DatabaseFolder* owner = folders_.find(folder_of(path))->second.owner.get();
  const std::string_view target = relation_target(owner, row_id_at(owner, path), link.field);
  return names_.resolve(link.path, link.form, path, target);
}

void LinkCache::tell(const Source& source,
                     const LinkNames::Meaning& meaning,
                     const Visit& visit) const {
  const auto& [path, note] = *source.note;
  const Owner& owner = folders_.find(folder_of(path))->second.owner;
  visit(
      {note.texts.links[source.link], path, row_id_at(owner.get(), path), owner, names_, meaning});
}

void LinkCache::find_links(std::span<const std::string> paths, const Visit& visit) {
  const ForgettingLock guard(*this);
  catch_up();
  std::unordered_set<LinkNames::File> wanted;
  std::set<std::string> keys;
  for (const std::string& path : paths) {
    wanted.insert(names_.find(path));
    for (std::string& key : LinkNames::keys_for(path))
      keys.insert(std::move(key));
    const auto note = notes_.find(path);
    if (note == notes_.end()) continue;
    for (const std::string& alias : note->second.texts.aliases)
      keys.insert(LinkNames::key_of(alias));
  }
  for (const std::string& key : keys) {
    const auto found = by_name_.find(key);
    if (found == by_name_.end()) continue;
    for (const Source& source : found->second) {
      const LinkNames::Meaning meaning = meaning_of(source);
      if (meaning.is_found() && wanted.contains(meaning.file)) tell(source, meaning, visit);
    }
  }
}

void LinkCache::each_link(const Visit& visit, const VisitAlias& visit_alias) {
  const ForgettingLock guard(*this);
  catch_up();
  if (visit_alias)
    for (const auto& [path, note] : notes_)
      for (const std::string& alias : note.texts.aliases)
        visit_alias(path, alias);
  Progress::begin(notes_.size(), "looking links up");
  for (auto note = notes_.cbegin(); note != notes_.cend(); ++note) {
    Progress::step();
    for (std::size_t link = 0; link < note->second.texts.links.size(); ++link) {
      const Source source{note, link};
      tell(source, meaning_of(source), visit);
    }
  }
}

std::vector<std::pair<std::string, LinkRules>> LinkCache::rules() {
  const ForgettingLock guard(*this);
  catch_up();
  return {names_.all_rules().begin(), names_.all_rules().end()};
}

std::vector<std::string> LinkCache::database_ids() {
  const ForgettingLock guard(*this);
  std::vector<std::string> ids;
  for (const auto& [path, folder] : folders_) {
    if (folder.owner && folder.owner->id() == path && is_utf8(path)) ids.push_back(path);
  }
  return ids;
}

void LinkCache::catch_up() {
  const bool is_recent = is_following_ && Clock::now() - last_look_ <= longest_trust;
  if (!is_recent || !take_noted()) look();
}

// Whether that was enough: false where only a look at everything can tell.
bool LinkCache::take_noted() {
  const Changes changes = follower_->take(this);
  return !changes.overflow && std::ranges::all_of(changes.names, [&](const ChangedName& touched) {
    return take_touched(touched);
  });
}

bool LinkCache::take_touched(const ChangedName& touched) {
  const auto folder = folders_.find(touched.folder);
  if (touched.name.empty() || folder == folders_.end()) return false;
  const std::string path = join_path(touched.folder, touched.name);
  if (is_schema_name(touched.name)) return reads_the_same(touched.folder, folder->second.owner);
  if (folders_.contains(path)) return false;
  if (is_marker(path)) return false;
  const auto found = files_.stat(path);
  if (!found) return false;
  if (found->kind == FileKind::folder)
    return is_skipped_folder(touched.name) && touched.name != "assets";
  const bool is_file = found->kind == FileKind::regular;
  const Owner& owner = folder->second.owner;
  if (is_file && folder->second.has_notes && is_note(owner.get(), path)) {
    read_again(path);
  } else {
    forget(path);
  }
  if (!is_file || !is_named({touched.name, found->kind})) {
    names_.remove(path);
  } else {
    const bool is_row = folder->second.has_notes && !row_id_at(owner.get(), path).empty();
    names_.add(path, is_row ? owner->id() : "");
  }
  return true;
}

// Whether a schema that was written means the same rows and columns: a new row moves next_row_id.
bool LinkCache::reads_the_same(const std::string& folder, const Owner& owner) const {
  if (!owner || owner->id() != folder) return false;
  const auto now = DatabaseFolder::read(files_, folder);
  return now && (*now)->schema_path() == owner->schema_path() &&
         (*now)->reading_etag() == owner->reading_etag();
}

void LinkCache::read_again(const std::string& path) {
  const std::int64_t begun_at = clock_ns();
  const auto read = files_.read(path);
  forget(path);
  if (!read) return;
  Note note{read->key,
            !read->being_written && is_sure(read->key, begun_at),
            texts_of(path, read->bytes, names_.rules_of(path))};
  add_sources(notes_.emplace(path, std::move(note)).first);
}

void LinkCache::forget() {
  is_following_ = false;
  by_name_.clear();
  notes_.clear();
  names_ = {};
  folders_.clear();
}

void LinkCache::forget(std::string_view path) {
  const auto note = notes_.find(path);
  if (note == notes_.end()) return;
  drop_sources(note);
  notes_.erase(note);
}

void LinkCache::add_sources(Notes::const_iterator note) {
  const std::string& path = note->first;
  if (names_.rules_of(path).flavour == LinkFlavour::logseq)
    for (const std::string& alias : note->second.texts.aliases)
      names_.add_alias(path, alias);
  for (std::size_t link = 0; link < note->second.texts.links.size(); ++link)
    by_name_[LinkNames::key_of(note->second.texts.links[link].path)].push_back({note, link});
}

void LinkCache::drop_sources(Notes::const_iterator note) {
  names_.remove_aliases(note->first);
  for (const StoredLink& link : note->second.texts.links) {
    const auto sources = by_name_.find(LinkNames::key_of(link.path));
    if (sources == by_name_.end()) continue;  // another link of this name took both
    std::erase_if(sources->second, [&](const Source& source) { return source.note == note; });
    if (sources->second.empty()) by_name_.erase(sources);
  }
}

void LinkCache::look() {
  const auto begun = Clock::now();
  const std::int64_t begun_at = clock_ns();
  if (follower_ != nullptr) follower_->take(this);  // all of it is looked at
  bool all_followed = true;
  std::mutex mutex;  // of `now`
  Notes now;
  std::map<std::string, Folder, std::less<>> entered;
  LinkNames names;
  NoteWalker walker;
  walker.enters = [&](const std::string& folder) {
    all_followed = follower_ != nullptr && follower_->follow(this, folder) && all_followed;
  };
  walker.with_attachments = true;
  walker.entered = [&](const EnteredFolder& folder) {
    entered.emplace(folder.path, Folder{folder.owner, folder.has_notes});
    add_folder(files_, folder, settings_, names);
  };
  if (follower_ != nullptr)
    walker.is_known = [&](const std::string& path, const StatKey& key) {
      const auto known = notes_.find(path);
      return known != notes_.end() && known->second.sure && known->second.key == key;
    };
  walker.visit = [&](const WalkedNote& walked) {
    Note note{walked.file.key, walked.is_known, {}};
    if (walked.is_known) {
      note.texts = notes_.find(walked.path)->second.texts;
    } else {
      note.texts = texts_of(walked.path, walked.file.bytes, names.rules_of(walked.path));
      note.sure = walked.file.state == ReadState::whole && is_sure(walked.file.key, begun_at);
    }
    // What nobody asks for again need not be known again.
    const bool is_blank = note.texts.links.empty() && note.texts.aliases.empty();
    if (is_blank && follower_ == nullptr) return;
    const std::lock_guard guard(mutex);
    now.insert_or_assign(walked.path, std::move(note));
  };
  walk_notes(files_, walker);
  // Links were read by the rules of then.
  const bool is_other_tool = !notes_.empty() && names.all_rules() != names_.all_rules();
  names_ = std::move(names);
  notes_ = std::move(now);
  if (is_other_tool) {
    notes_.clear();
    look();
    return;
  }
  folders_ = std::move(entered);
  by_name_.clear();
  for (auto note = notes_.cbegin(); note != notes_.cend(); ++note)
    add_sources(note);
  is_following_ = all_followed;
  last_look_ = begun;
  next_swept_.clear();
  ++rescan_number_;
}

// Notes of one folder that are looked at while questions are answered.
struct LinkCache::SweptNotes {
  std::string folder;
  RowLook look;
  std::string next;  // where the next ones begin; empty after the last
  std::size_t count = 0;
  std::size_t share = 0;  // of one call of rescan()
  std::uint64_t number = 0;
};

void LinkCache::rescan() {
  for (std::size_t done = 0;;) {
    const auto swept = next_swept_notes();
    if (!swept) return;
    const auto stale = swept->look.stale(files_, swept->folder);
    if (!stale || !take_swept(*swept, *stale)) return;
    done += swept->count;
    if (done > swept->share) return;
  }
}

std::optional<LinkCache::SweptNotes> LinkCache::next_swept_notes() {
  const ForgettingLock guard(*this);
  const auto since = Clock::now() - last_look_;
  if (!is_following_ || since > longest_trust) return std::nullopt;
  if (next_swept_.empty()) {
    if (since < between_rescans) return std::nullopt;
    rescan_begun_ = Clock::now();
  }
  auto note = notes_.lower_bound(next_swept_);
  SweptNotes swept;
  swept.folder = note == notes_.end() ? "" : folder_of(note->first);
  for (; note != notes_.end() && swept.count < swept_at_once; ++note, ++swept.count) {
    if (folder_of(note->first) != swept.folder) break;
    const std::string_view name = name_in(note->first);
    if (note->second.sure) {
      swept.look.add(name, note->second.key);
    } else {
      swept.look.add_unsure(name);
    }
  }
  if (note != notes_.end()) swept.next = note->first;
  swept.share = notes_.size() / rescans_of_all;
  swept.number = rescan_number_;
  return swept;
}

// Whether notes are left to look at.
bool LinkCache::take_swept(const SweptNotes& swept, const std::vector<std::string>& stale) {
  const ForgettingLock guard(*this);
  if (!is_following_ || swept.number != rescan_number_) return false;
  for (const std::string& name : stale) {
    const std::string path = join_path(swept.folder, name);
    if (notes_.contains(path)) read_again(path);
  }
  next_swept_ = swept.next;
  if (!next_swept_.empty()) return true;
  last_look_ = rescan_begun_;
  return false;
}

}  // namespace notesdb
