#include "database/vault.h"

#include <algorithm>
#include <mutex>

#include "core/budget.h"
#include "core/link.h"
#include "core/schema.h"
#include "core/text.h"
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
  return fold_case(expression::parts_of(name).ending) == "md";
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

}  // namespace

Date VaultFile::modified() const {
  return date_of(key_.mtime_ns);
}

// No file system tells of all files when they were made: the earlier of its two times is the
// nearest to it.
Date VaultFile::created() const {
  return date_of(std::min(key_.mtime_ns, key_.ctime_ns));
}

expression::Value VaultFile::tags() const {
  return expression::Value::list_of({tags_.begin(), tags_.end()});
}

expression::Value VaultFile::property(std::string_view name) const {
  return properties_.member(name);
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

void VaultFile::add_tag(std::string_view tag) {
  if (tag.starts_with('#')) tag.remove_prefix(1);
  if (!tag.empty() && std::ranges::find(tags_, tag) == tags_.end()) tags_.emplace_back(tag);
}

// A list, or texts apart with commas or spaces.
void VaultFile::add_tags_of(const expression::Value& field) {
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

void VaultFile::read(std::string_view bytes, bool with_body, const expression::TimeZone& zone) {
  const auto note = Note::parse(std::string(bytes), NoteFormat::markdown);
  if (!note) {
    is_readable_ = false;
    return;
  }
  std::vector<std::pair<std::string, expression::Value>> members;
  Values links;
  Values embeds;
  for (const NoteField& field : note->fields()) {
    if (!field.readable) continue;
    const Value value = read_untyped(field.node);
    if (with_body) add_field_links(value, path_, links);
    members.emplace_back(field.key, expression::value_of_field(value, path_, zone));
  }
  properties_ = expression::Value::object_of(std::move(members));
  add_tags_of(property("tags"));
  add_tags_of(property("tag"));
  if (!with_body) return;
  scan_body(note->body(),
            {.link =
                 [&](const BodyLink& found) {
                   expression::Link link{
                       .target = target_of(found), .display = shown(found), .source = path_};
                   (found.is_embed ? embeds : links).emplace_back(std::move(link));
                 },
             .tag = [&](std::string_view tag) { add_tag(tag); }});
  embeds_ = expression::Value::list_of(embeds);
  std::ranges::move(embeds, std::back_inserter(links));
  links_ = expression::Value::list_of(std::move(links));
}

Vault::Vault(const FileSystem& files, Bodies bodies, const expression::TimeZone& zone) {
  walk(files, ".", bodies, zone);
  std::ranges::sort(files_, [](const auto& a, const auto& b) {
    return compare_natural(a->path(), b->path()) < 0;
  });
  names_.set_rules(".", {.flavour = LinkFlavour::obsidian});
  for (std::size_t i = 0; i < files_.size(); ++i) {
    by_path_.emplace(files_[i]->path(), i);
    names_.add(files_[i]->path());
  }
}

void Vault::walk(const FileSystem& files,
                 const std::string& folder,
                 Bodies bodies,
                 const expression::TimeZone& zone) {
  Budget::look();
  const auto entries = files.list(folder);
  if (!entries) return;
  std::vector<const char*> notes;
  std::vector<const char*> others;
  for (const Entry& entry : *entries) {
    if (entry.name.starts_with('.') || entry.name == "node_modules" || !is_utf8(entry.name))
      continue;
    if (entry.kind == FileKind::regular)
      (is_markdown(entry.name) ? notes : others).push_back(entry.name.c_str());
  }
  const auto add = [&](const char* name, const StatKey& key) {
    auto file = std::make_shared<VaultFile>(*this);
    file->path_ = folder == "." ? name : join_path(folder, name);
    file->key_ = key;
    return file;
  };
  std::vector<FileStat> stats(others.size());
  if (files.stat_all(folder, others, stats))
    for (std::size_t i = 0; i < others.size(); ++i)
      if (stats[i].kind == FileKind::regular) files_.push_back(add(others[i], stats[i].key));
  std::mutex mutex;
  const auto read = files.read_all(folder, notes, [&](const FileView& view) {
    if (view.state == ReadState::missing || view.state == ReadState::not_regular) return;
    auto file = add(notes[view.index], view.key);
    file->is_readable_ = view.state == ReadState::whole || view.state == ReadState::being_written;
    if (file->is_readable_) file->read(view.bytes, bodies == Bodies::read, zone);
    const std::lock_guard lock(mutex);
    files_.push_back(std::move(file));
  });
  (void)read.ok();  // a folder that has gone meanwhile has no notes
  for (const Entry& entry : *entries) {
    const bool is_passed = entry.name.starts_with('.') || entry.name == "node_modules";
    const std::string inner = folder == "." ? entry.name : join_path(folder, entry.name);
    if (entry.kind == FileKind::folder && !is_passed && !is_too_deep(inner))
      walk(files, inner, bodies, zone);
  }
}

std::shared_ptr<VaultFile> Vault::at(std::string_view path) const {
  const auto found = by_path_.find(std::string(path));
  return found == by_path_.end() ? nullptr : files_[found->second];
}

FilePointer Vault::find(std::string_view target, std::string_view source) const {
  target = expression::without_anchor(target);
  if (target.empty()) return at(source);
  const std::string_view folder = expression::parts_of(source).folder;
  const std::string key = std::string(target) + '\n' + std::string(folder);
  const auto known = found_.find(key);
  if (known != found_.end()) return known->second;
  const LinkNames::Meaning meaning = names_.resolve(target, LinkForm::wiki, source);
  auto file = meaning.is_found() ? at(names_.path(meaning.file)) : nullptr;
  return found_.emplace(key, std::move(file)).first->second;
}

const std::vector<const VaultFile*>& Vault::sources_of(const VaultFile& file) const {
  if (!knows_sources_) {
    knows_sources_ = true;
    for (const auto& source : files_) {
      Budget::look();
      for (const expression::Value& link : source->links_.list()) {
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
