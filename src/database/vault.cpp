#include "database/vault.h"

#include <algorithm>
#include <iterator>
#include <mutex>

#include "core/budget.h"
#include "core/link.h"
#include "core/schema.h"
#include "core/text.h"
#include "database/snapshot.h"
#include "expression/evaluation.h"
#include "files/names.h"
#include "note/body_text.h"
#include "note/note.h"
#include "yaml/scalar.h"

namespace notesdb {

using expression::Date;
using expression::FilePointer;
using expression::Kind;

namespace {

using Values = std::vector<expression::Value>;

Date date_of(std::int64_t nanoseconds) {
  return {nanoseconds / 1'000'000, true};
}

bool is_markdown(std::string_view name) {
  return name.ends_with(".md") || fold_case(expression::parts_of(name).ending) == "md";
}

// As decodeURI does it, and so the app: what would stand for a part of an address stays an escape.
std::string decoded(std::string_view text) {
  constexpr std::string_view reserved = ";/?:@&=+$,#";
  std::string plain;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const std::string_view escape = text.substr(at, 3);
    const std::string letter = escape.starts_with('%') ? percent_decoded(escape) : std::string();
    const bool is_decoded =
        letter.size() == 1 && reserved.find(letter[0]) == std::string_view::npos;
    plain += is_decoded ? letter[0] : text[at];
    at += is_decoded ? 2 : 0;
  }
  return plain;
}

// The target with its place within the note: "Other#Section".
std::string target_of(const BodyLink& link) {
  std::string target = link.form == LinkForm::wiki ? path_meant(link) : decoded(link.path);
  if (!link.subpath.empty()) target += "#" + std::string(link.subpath);
  return target;
}

// What a reader sees of a link: its text, else "Other > Section".
std::string shown(const BodyLink& link) {
  if (!link.text.empty()) return std::string(link.text);
  std::string shown;
  for (const char c : target_of(link))
    shown += c == '#' ? " > " : std::string(1, c);
  return shown;
}

// The links that texts of front matter are from end to end; a markdown link counts too.
void add_field_links(const Value& field, const std::string& path, Values& links) {
  if (field.is_list()) {
    for (const Value& item : field.list())
      add_field_links(item, path, links);
  } else if (field.is_map()) {
    for (const Member& member : field.map())
      add_field_links(member.value, path, links);
  } else if (field.is_text()) {
    BodyLink found;
    if (!scan_whole_link(field.text(), found)) return;
    expression::Link link{.target = target_of(found), .source = path};
    if (!found.text.empty()) link.display = found.text;
    links.emplace_back(std::move(link));
  }
}

bool is_passed_over(std::string_view name) {
  return name.starts_with('.') || name == "node_modules" || !is_utf8(name);
}

// Whether what a field means depends on the file in which it stands.
bool has_link(const expression::Value& value) {
  if (value.is(Kind::link)) return true;
  if (value.is(Kind::list)) return std::ranges::any_of(value.list(), has_link);
  if (!value.is(Kind::object)) return false;
  return std::ranges::any_of(value.object(), [](const auto& one) { return has_link(one.second); });
}

}  // namespace

// VaultRows: the fields of a database's rows as the index has them, each different value made once.
class VaultRows {
 public:
  VaultRows(std::unique_ptr<Snapshot> snapshot, const expression::TimeZone& zone)
      : snapshot_(std::move(snapshot)), zone_(zone), values_(snapshot_->schema().columns.size()) {
    const Schema& schema = snapshot_->schema();
    for (std::size_t column = 0; column < values_.size(); ++column)
      columns_.emplace(schema.columns[column].id, column);
    for (std::uint32_t row = 0; row < table().row_count(); ++row)
      by_path_.emplace(table().relative_path(row), row);
  }

  const RowTable& table() const { return snapshot_->rows(); }
  const std::string& database_id() const { return snapshot_->folder().id(); }
  // Whether a file of the database's folder, or of one below it, is a row.
  bool has_file(const std::string& folder, const std::string& name) const {
    const std::string& id = database_id();
    if (folder == id) return by_path_.contains(name);
    return by_path_.contains(join_path(id == "." ? folder : folder.substr(id.size() + 1), name));
  }

  // Nothing where the file has to be asked.
  std::optional<expression::Value> field(std::uint32_t row,
                                         std::string_view name,
                                         const std::string& path) {
    if (table().facts(row).broken > 0) return std::nullopt;
    const auto found = columns_.find(name);
    const bool is_stored =
        found != columns_.end() && !snapshot_->schema().columns[found->second].is_computed();
    if (!is_stored) {
      if (has_key(row, name)) return std::nullopt;
      return expression::Value();
    }
    const std::uint32_t code = table().codes(found->second)[row];
    if (code == 0) return expression::Value();
    std::vector<Made>& values = values_[found->second];
    values.resize(table().value_count(found->second) + std::size_t{1});
    Made& made = values[code];
    if (made.is_known) return made.value;
    expression::Value value =
        expression::value_of_field(table().untyped(found->second, code), path, zone_);
    if (!has_link(value)) made = {value, true};
    return value;
  }

 private:
  struct Made {
    expression::Value value{};
    bool is_known = false;
  };

  bool has_key(std::uint32_t row, std::string_view name) const {
    const auto& keys = table().key_lists().keys(table().facts(row).keys);
    return std::ranges::find(keys, name) != keys.end();
  }

  std::unique_ptr<Snapshot> snapshot_;
  const expression::TimeZone& zone_;
  std::unordered_map<std::string_view, std::size_t> columns_;
  std::unordered_map<std::string_view, std::uint32_t> by_path_;
  std::vector<std::vector<Made>> values_;  // by column and code
};

Date VaultFile::modified() const {
  return date_of(key_.mtime_ns);
}

// No file system tells of all files when they were made: the earlier of its two times is the
// nearest to it.
Date VaultFile::created() const {
  return date_of(std::min(key_.mtime_ns, key_.ctime_ns));
}

expression::Value VaultFile::tags() const {
  const auto& tags = text().tags;
  return expression::Value::list_of({tags.begin(), tags.end()});
}

expression::Value VaultFile::property(std::string_view name) const {
  if (rows_ != nullptr)
    if (auto known = rows_->field(row_, name, path_)) return *std::move(known);
  return text().properties.member(name);
}

expression::Value VaultFile::backlinks() const {
  Values links;
  for (const VaultFile* source : vault_.sources_of(*this)) {
    expression::Link link{.target = source->path(), .source = path_};
    link.display = std::string(expression::parts_of(source->path()).stem);
    links.emplace_back(std::move(link));
  }
  return expression::Value::list_of(std::move(links));
}

std::optional<VaultFile::RowName> VaultFile::row() const {
  if (rows_ == nullptr) return std::nullopt;
  const RowTable& table = rows_->table();
  return RowName{rows_->database_id(), std::string(table.row_id(row_)), table.facts(row_).etag};
}

// A row is read when its file is asked; of what is no note nothing is.
const VaultFile::Text& VaultFile::text() const {
  static const Text none;
  if (text_ == nullptr && rows_ != nullptr) {
    auto text = std::make_shared<Text>();
    const auto read = vault_.file_system_.read(path_);
    if (read) text->read(read->bytes, path_, vault_);
    text_ = std::move(text);
  }
  return text_ == nullptr ? none : *text_;
}

void VaultFile::Text::add_tag(std::string_view tag) {
  if (tag.starts_with('#')) tag.remove_prefix(1);
  if (!tag.empty() && std::ranges::find(tags, tag) == tags.end()) tags.emplace_back(tag);
}

// A list, or texts apart with commas or spaces.
void VaultFile::Text::add_tags_of(const expression::Value& field) {
  if (field.is(Kind::list)) {
    for (const expression::Value& item : field.list())
      if (item.is(Kind::string)) add_tag(item.string());
  } else if (field.is(Kind::string)) {
    std::string_view rest = field.string();
    while (!rest.empty()) {
      const std::size_t end = std::min(rest.find_first_of(", \t"), rest.size());
      add_tag(rest.substr(0, end));
      rest.remove_prefix(std::min(end + 1, rest.size()));
    }
  }
}

void VaultFile::Text::read(std::string_view bytes, const std::string& path, const Vault& vault) {
  const auto note = Note::parse(std::string(bytes), NoteFormat::markdown);
  if (!note) {
    is_readable = false;
    return;
  }
  const bool with_body = vault.bodies_ == Bodies::read;
  std::vector<std::pair<std::string, expression::Value>> members;
  Values found_links;
  Values found_embeds;
  for (const NoteField& field : note->fields()) {
    if (!field.readable) continue;
    const Value value = read_untyped(field.node);
    if (with_body) add_field_links(value, path, found_links);
    members.emplace_back(field.key, expression::value_of_field(value, path, vault.zone_));
  }
  properties = expression::Value::object_of(std::move(members));
  add_tags_of(properties.member("tags"));
  add_tags_of(properties.member("tag"));
  if (!with_body) return;
  scan_body(note->body(),
            {.link =
                 [&](const BodyLink& found) {
                   expression::Link link{
                       .target = target_of(found), .display = shown(found), .source = path};
                   (found.is_embed ? found_embeds : found_links).emplace_back(std::move(link));
                 },
             .tag = [&](std::string_view tag) { add_tag(tag); }});
  embeds = expression::Value::list_of(found_embeds);
  std::ranges::move(found_embeds, std::back_inserter(found_links));
  links = expression::Value::list_of(std::move(found_links));
}

Vault::Vault(const FileSystem& files, Bodies bodies, const expression::TimeZone& zone)
    : Vault(files, bodies, zone, {}) {}

Vault::Vault(const FileSystem& files,
             Bodies bodies,
             const expression::TimeZone& zone,
             std::vector<std::unique_ptr<Snapshot>> rows)
    : file_system_(files), bodies_(bodies), zone_(zone) {
  for (auto& snapshot : rows) {
    std::string id = snapshot->folder().id();
    rows_.emplace(std::move(id), std::make_unique<VaultRows>(std::move(snapshot), zone));
  }
  std::vector<std::size_t> begins;
  for (const auto& [id, known] : rows_) {
    begins.push_back(files_.size());
    add_rows(*known);
  }
  begins.push_back(files_.size());
  walk(".", nullptr);
  begins.push_back(files_.size());
  put_in_order(std::move(begins));
}

// The files from each of these places to the next are nearly in order: rows have that of their ids.
void Vault::put_in_order(std::vector<std::size_t> begins) {
  const auto before = [](const auto& a, const auto& b) {
    return compare_natural(a->path(), b->path()) < 0;
  };
  const auto at = [&](std::size_t place) {
    return files_.begin() + static_cast<std::ptrdiff_t>(place);
  };
  for (std::size_t i = 0; i + 1 < begins.size(); ++i)
    if (!std::is_sorted(at(begins[i]), at(begins[i + 1]), before))
      std::sort(at(begins[i]), at(begins[i + 1]), before);
  while (begins.size() > 2) {
    std::vector<std::size_t> joined{0};
    for (std::size_t i = 0; i + 1 < begins.size(); i += 2) {
      const std::size_t end = begins[std::min(i + 2, begins.size() - 1)];
      std::inplace_merge(at(begins[i]), at(begins[i + 1]), at(end), before);
      joined.push_back(end);
    }
    begins = std::move(joined);
  }
}

Vault::~Vault() = default;

void Vault::add_rows(VaultRows& rows) {
  const RowTable& table = rows.table();
  for (std::uint32_t row = 0; row < table.row_count(); ++row) {
    if (!is_markdown(table.relative_path(row))) continue;
    auto file = std::make_shared<VaultFile>(*this);
    file->path_ = table.path(row);
    file->key_ = table.facts(row).key;
    file->rows_ = &rows;
    file->row_ = row;
    files_.push_back(std::move(file));
  }
}

// `rows` are those of the database in which the folder lies.
void Vault::walk(const std::string& folder, VaultRows* rows) {
  Budget::look();
  const auto own = rows_.find(folder);
  if (own != rows_.end()) rows = own->second.get();
  const auto entries = file_system_.list(folder);
  if (!entries) return;
  const auto path_of = [&](const std::string& name) {
    return folder == "." ? name : join_path(folder, name);
  };
  std::vector<const char*> notes;
  std::vector<const char*> others;
  for (const Entry& entry : *entries) {
    if (is_passed_over(entry.name) || entry.kind != FileKind::regular) continue;
    if (!is_markdown(entry.name))
      others.push_back(entry.name.c_str());
    else if (rows == nullptr || !rows->has_file(folder, entry.name))
      notes.push_back(entry.name.c_str());
  }
  std::vector<FileStat> stats(others.size());
  if (file_system_.stat_all(folder, others, stats)) {
    for (std::size_t i = 0; i < others.size(); ++i) {
      if (stats[i].kind != FileKind::regular) continue;
      files_.push_back(std::make_shared<VaultFile>(*this));
      files_.back()->path_ = path_of(others[i]);
      files_.back()->key_ = stats[i].key;
    }
  }
  read_notes(folder, notes);
  for (const Entry& entry : *entries) {
    if (entry.kind != FileKind::folder || is_passed_over(entry.name)) continue;
    const std::string inner = path_of(entry.name);
    if (!is_too_deep(inner)) walk(inner, rows);
  }
}

void Vault::read_notes(const std::string& folder, const std::vector<const char*>& names) {
  std::mutex mutex;
  const auto read = file_system_.read_all(folder, names, [&](const FileView& view) {
    if (view.state == ReadState::missing || view.state == ReadState::not_regular) return;
    auto file = std::make_shared<VaultFile>(*this);
    const std::string name = names[view.index];
    file->path_ = folder == "." ? name : join_path(folder, name);
    file->key_ = view.key;
    auto text = std::make_shared<VaultFile::Text>();
    text->is_readable = view.state == ReadState::whole || view.state == ReadState::being_written;
    if (text->is_readable) text->read(view.bytes, file->path_, *this);
    file->text_ = std::move(text);
    const std::lock_guard lock(mutex);
    files_.push_back(std::move(file));
  });
  (void)read.ok();  // a folder that has gone meanwhile has no notes
}

std::shared_ptr<VaultFile> Vault::at(std::string_view path) const {
  const auto before = [](const auto& file, std::string_view wanted) {
    return compare_natural(file->path(), wanted) < 0;
  };
  const auto found = std::lower_bound(files_.begin(), files_.end(), path, before);
  return found == files_.end() || (*found)->path() != path ? nullptr : *found;
}

const LinkNames& Vault::names() const {
  if (names_) return *names_;
  names_.emplace().set_rules(".", {.flavour = LinkFlavour::obsidian});
  for (const auto& file : files_)
    names_->add(file->path());
  return *names_;
}

FilePointer Vault::find(std::string_view target, std::string_view source) const {
  target = expression::without_anchor(target);
  if (target.empty()) return at(source);
  const std::string_view folder = expression::parts_of(source).folder;
  const std::string key = std::string(target) + '\n' + std::string(folder);
  const auto known = found_.find(key);
  if (known != found_.end()) return known->second;
  const LinkNames::Meaning meaning = names().resolve(target, LinkForm::wiki, source);
  auto file = meaning.is_found() ? at(names().path(meaning.file)) : nullptr;
  return found_.emplace(key, std::move(file)).first->second;
}

const std::vector<const VaultFile*>& Vault::sources_of(const VaultFile& file) const {
  if (!knows_sources_) {
    knows_sources_ = true;
    for (const auto& source : files_) {
      Budget::look();
      for (const expression::Value& link : source->text().links.list()) {
        const FilePointer target = find(link.link().target, source->path());
        if (target == nullptr || target.get() == source.get()) continue;
        auto& sources = sources_[target.get()];
        if (sources.empty() || sources.back() != source.get()) sources.push_back(source.get());
      }
    }
  }
  return sources_[&file];
}

}  // namespace notesdb
