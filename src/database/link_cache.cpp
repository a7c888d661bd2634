#include "database/link_cache.h"

#include <algorithm>
#include <functional>
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

std::size_t hash_of(std::string_view text) {
  return std::hash<std::string_view>()(text);
}

// Numbers of things, from 0, by the hashes of what they are found by.
class HashSlots {
 public:
  HashSlots() { clear(); }

  void clear() {
    slots_.assign(first_size, {});
    count_ = 0;
  }

  // The number of the one that `is_it`, or of a new one, which is how many there were.
  template <typename Is>
  std::uint32_t find_or_add(std::size_t hash, const Is& is_it) {
    const auto mark = static_cast<std::uint32_t>(hash);
    std::size_t at = mark & (slots_.size() - 1);
    for (; slots_[at].next != 0; at = (at + 1) & (slots_.size() - 1))
      if (slots_[at].mark == mark && is_it(slots_[at].next - 1)) return slots_[at].next - 1;
    slots_[at] = {mark, ++count_};
    const std::uint32_t added = count_ - 1;
    if (2 * std::size_t{count_} > slots_.size()) grow();
    return added;
  }

 private:
  struct Slot {
    std::uint32_t mark = 0;
    std::uint32_t next = 0;  // the number and 1; 0: free
  };
  static constexpr std::size_t first_size = 64;  // a power of two, as all sizes

  void grow() {
    std::vector<Slot> old(2 * slots_.size());
    old.swap(slots_);
    for (const Slot& slot : old) {
      if (slot.next == 0) continue;
      std::size_t at = slot.mark & (slots_.size() - 1);
      while (slots_[at].next != 0)
        at = (at + 1) & (slots_.size() - 1);
      slots_[at] = slot;
    }
  }

  std::vector<Slot> slots_;
  std::uint32_t count_ = 0;
};

// What links meant that were looked up before: notes of one folder name the same files, and finding
// a name among all files waits for memory several times.
class KnownMeanings {
 public:
  explicit KnownMeanings(const LinkNames& names) : names_(names) {}

  // For the next note.
  void enter(const LinkNames::Source& source) {
    const std::pair<std::string_view, std::string_view> place(source.folder, source.database);
    place_ = places_.try_emplace(place, places_.size()).first->second;
  }

  const LinkNames::Meaning& of(std::string_view path,
                               LinkForm form,
                               const LinkNames::Source& source) {
    const std::size_t hash = hash_of(path) + place_ + static_cast<std::size_t>(form);
    const std::uint32_t number = slots_.find_or_add(hash, [&](std::uint32_t one) {
      return known_[one].place == place_ && known_[one].form == form && known_[one].path == path;
    });
    if (number == known_.size())
      known_.push_back({path, place_, form, names_.resolve(path, form, source)});
    return known_[number].meaning;
  }

 private:
  struct Known {
    std::string_view path;
    std::size_t place;
    LinkForm form;
    LinkNames::Meaning meaning;
  };
  const LinkNames& names_;
  std::map<std::pair<std::string_view, std::string_view>, std::size_t> places_;
  std::size_t place_ = 0;
  HashSlots slots_;
  std::vector<Known> known_;
};

}  // namespace

LinkCache::~LinkCache() {
  if (follower_ != nullptr) follower_->leave(this);
}

// The links of one note after another, into the same memory; each text once.
class LinkCache::LinkCollector {
 public:
  LinkCollector(const LinkRules& rules, const Keys* wanted) : rules_(rules), wanted_(wanted) {
    auto& [text, links, slots] = memory();
    text.clear();
    links.clear();
    slots.clear();
  }

  void add(const BodyLink& link, std::string_view field) {
    const std::string meant = path_meant(as_written_by(rules_.flavour, link));
    if (wanted_ != nullptr && !wanted_->contains(LinkNames::key_of(meant))) return;
    auto& [text, links, slots] = memory();
    const std::uint32_t place = slots.find_or_add(hash_of(meant), [&](std::uint32_t known) {
      const Found& one = links[known];
      const std::string_view all = text;
      return one.form == link.form && all.substr(one.path, one.path_size) == meant &&
             all.substr(one.path + one.path_size, one.field_size) == field;
    });
    if (place == links.size()) {
      links.push_back({text.size(), meant.size(), field.size(), link.form, 0});
      text += meant;
      text += field;
    }
    ++links[place].count;
  }

  bool empty() const { return memory().links.empty(); }

  void store(NoteTexts& texts) const {
    const auto& [text, links, slots] = memory();
    auto bytes = std::make_unique_for_overwrite<char[]>(text.size());
    std::ranges::copy(text, bytes.get());
    texts.links.reserve(links.size());
    for (const Found& found : links) {
      const char* const path = bytes.get() + found.path;
      const char* const field = path + found.path_size;
      texts.links.push_back(
          {{path, found.path_size}, {field, found.field_size}, found.form, found.count});
    }
    texts.text = std::move(bytes);
  }

 private:
  struct Found {
    std::size_t path;  // where it begins in the text; its field stands behind it
    std::size_t path_size;
    std::size_t field_size;
    LinkForm form;
    std::uint32_t count;
  };
  struct Memory {
    std::string text;
    std::vector<Found> links;
    HashSlots slots;
  };

  static Memory& memory() {
    static thread_local Memory memory;
    return memory;
  }

  const LinkRules& rules_;
  const Keys* wanted_;
};

LinkCache::KeptTexts LinkCache::texts_of(std::string_view path,
                                         std::string_view bytes,
                                         const LinkRules& rules,
                                         const Keys* wanted) {
  static const auto none = std::make_shared<const NoteTexts>();
  // A page of Logseq is also meant by its aliases, which nobody knows yet.
  if (rules.flavour == LinkFlavour::logseq) wanted = nullptr;
  std::vector<std::string> aliases;
  LinkCollector links(rules, wanted);
  const auto texts = [&]() -> KeptTexts {
    if (links.empty() && aliases.empty()) return none;
    auto found = std::make_shared<NoteTexts>();
    links.store(*found);
    found->aliases = std::move(aliases);
    return found;
  };
  if (is_canvas(path)) {
    for_each_canvas_link(bytes, [&](const BodyLink& link) { links.add(link, {}); });
    return texts();
  }
  const auto front = split_front_matter(bytes, note_format_of(path));
  if (!front) return none;
  // Most notes have neither, and are read fast.
  const std::string_view fields = bytes.substr(0, front->body_begin);
  const bool has_links = fields.find("[[") != std::string_view::npos;
  if (has_links || fields.find("alias") != std::string_view::npos) {
    if (const auto note = notesdb::Note::parse(std::string(fields), note_format_of(path))) {
      for_each_field_link(*note, [&](const FieldLink& field) {
        BodyLink link;
        if (scan_whole_link(field.text, link)) links.add(link, field.key);
      });
      aliases = aliases_of(*note);
    }
  }
  const bool has_tag_links = is_link_of(rules.flavour, LinkForm::tag);
  if (rules.flavour == LinkFlavour::logseq)
    add_page_names(bytes.substr(front->body_begin), aliases);
  for_each_link(
      bytes.substr(front->body_begin),
      [&](const BodyLink& link) {
        if (is_link_of(rules.flavour, link.form)) links.add(link, {});
      },
      has_tag_links ? TagLinks::yes : TagLinks::no);
  return texts();
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
  for (std::size_t i = 0; i < folder.entries.size(); ++i) {
    const Entry& entry = folder.entries[i];
    if (!is_named(entry)) continue;
    names.add(join_path(folder.path, entry.name), folder.rows[i] ? folder.owner->id() : "");
  }
}

LinkCache::RowName LinkCache::row_of(LinkNames::File file) const {
  const std::string& database = names_.database(file);
  if (database.empty()) return {};
  const std::string& path = names_.path(file);
  const auto folder = folders_.find(folder_of(path));
  if (folder == folders_.end() || !folder->second.owner) return {};
  return {database, std::string(id_of_row_at(*folder->second.owner, path))};
}

struct LinkCache::Place {
  const std::string& path;
  const NoteTexts& texts;
  const Owner& owner;
  RowIdText row_id;
  LinkNames::Source source;
  const LinkNames& names;

  Linking linking(const StoredLink& link, const LinkNames::Meaning& meaning) const {
    return {link, path, source.file, row_id, owner, names, meaning};
  }
};

LinkCache::Place LinkCache::place_of(Notes::const_iterator note) const {
  const std::string& path = note->first;
  const Owner& owner = folders_.find(folder_of(path))->second.owner;
  const LinkNames::Source source = names_.source(path);
  // What no link can mean may be a row all the same: its name begins with a dot.
  RowIdText row_id =
      source.database.empty() ? RowIdText(std::string_view()) : id_of_row_at(*owner, path);
  if (source.file == LinkNames::no_file) row_id = row_id_at(owner.get(), path);
  return {path, *note->second.texts, owner, std::move(row_id), source, names_};
}

LinkNames::Meaning LinkCache::meaning_of(const Place& place, const StoredLink& link) const {
  const std::string_view target = relation_target(place.owner.get(), place.row_id, link.field);
  return names_.resolve(link.path, link.form, place.source, target);
}

LinkCache::Keys LinkCache::keys_of(std::span<const std::string> paths) const {
  Keys keys;
  for (const std::string& path : paths) {
    for (const LinkNames::Key key : LinkNames::keys_for(path))
      keys.insert(key);
    const auto note = notes_.find(path);
    if (note == notes_.end()) continue;
    for (const std::string& alias : note->second.texts->aliases)
      keys.insert(LinkNames::key_of(alias));
  }
  return keys;
}

void LinkCache::find_links(std::span<const std::string> paths, const Visit& visit) {
  const ForgettingLock guard(*this);
  const Keys by_path = keys_of(paths);
  catch_up(&by_path);
  std::unordered_set<LinkNames::File> wanted;
  for (const std::string& path : paths)
    wanted.insert(names_.find(path));
  if (!knows_keys_) {
    knows_keys_ = true;
    for (auto note = notes_.cbegin(); note != notes_.cend(); ++note)
      add_sources(note);
  }
  for (const LinkNames::Key key : keys_of(paths)) {
    const auto found = by_key_.find(key);
    if (found == by_key_.end()) continue;
    for (const auto& [note, link] : found->second) {
      const Place place = place_of(note);
      const LinkNames::Meaning meaning = meaning_of(place, place.texts.links[link]);
      if (meaning.is_found() && wanted.contains(meaning.file))
        visit(place.linking(place.texts.links[link], meaning));
    }
  }
}

void LinkCache::each_link(const Visit& visit,
                          const VisitAlias& visit_alias,
                          const VisitNote& visit_note) {
  const ForgettingLock guard(*this);
  catch_up(nullptr, visit_note);
  if (visit_alias)
    for (const auto& [path, note] : notes_)
      for (const std::string& alias : note.texts->aliases)
        visit_alias(path, alias);
  Progress::begin(notes_.size(), "looking links up");
  KnownMeanings meanings(names_);
  for (auto note = notes_.cbegin(); note != notes_.cend(); ++note) {
    Progress::step();
    const Place place = place_of(note);
    meanings.enter(place.source);
    for (const StoredLink& link : place.texts.links) {
      // A link without a path means the note itself, one of a relation the rows of its target.
      const bool is_of_place = link.field.empty() && !link.path.empty();
      if (is_of_place) {
        visit(place.linking(link, meanings.of(link.path, link.form, place.source)));
      } else {
        visit(place.linking(link, meaning_of(place, link)));
      }
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

void LinkCache::catch_up(const Keys* wanted, const VisitNote& visit_note) {
  const bool is_recent = is_following_ && Clock::now() - last_look_ <= longest_trust;
  if (!is_recent || !take_noted()) look(wanted, visit_note);
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
  const auto known = notes_.emplace(path, std::move(note)).first;
  add_aliases(known);
  if (knows_keys_) add_sources(known);
}

void LinkCache::forget() {
  is_following_ = false;
  forget_sources();
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

void LinkCache::add_aliases(Notes::const_iterator note) {
  const std::string& path = note->first;
  if (note->second.texts->aliases.empty()) return;
  if (names_.rules_of(path).flavour != LinkFlavour::logseq) return;
  for (const std::string& alias : note->second.texts->aliases)
    names_.add_alias(path, alias);
}

void LinkCache::add_sources(Notes::const_iterator note) {
  const auto& links = note->second.texts->links;
  for (std::size_t link = 0; link < links.size(); ++link)
    by_key_[LinkNames::key_of(links[link].path)].push_back({note, link});
}

void LinkCache::drop_sources(Notes::const_iterator note) {
  names_.remove_aliases(note->first);
  if (!knows_keys_) return;
  for (const StoredLink& link : note->second.texts->links) {
    const auto sources = by_key_.find(LinkNames::key_of(link.path));
    if (sources == by_key_.end()) continue;  // another link of this name took both
    std::erase_if(sources->second, [&](const Source& source) { return source.note == note; });
    if (sources->second.empty()) by_key_.erase(sources);
  }
}

void LinkCache::forget_sources() {
  by_key_.clear();
  knows_keys_ = false;
}

void LinkCache::look(const Keys* wanted, const VisitNote& visit_note) {
  if (follower_ != nullptr) wanted = nullptr;
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
      if (visit_note) visit_note(walked);
      note.texts = texts_of(walked.path, walked.file.bytes, names.rules_of(walked.path), wanted);
      note.sure = walked.file.state == ReadState::whole && is_sure(walked.file.key, begun_at);
    }
    // What nobody asks for again need not be known again.
    const bool is_blank = note.texts->links.empty() && note.texts->aliases.empty();
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
    look(wanted);
    return;
  }
  folders_ = std::move(entered);
  forget_sources();
  for (auto note = notes_.cbegin(); note != notes_.cend(); ++note)
    add_aliases(note);
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
