#include "database/note_fields.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <numeric>
#include <unordered_set>
#include <utility>

#include "core/budget.h"
#include "core/file_name.h"
#include "core/text.h"
#include "database/database.h"
#include "database/link_cache.h"
#include "files/names.h"
#include "index/database_folder.h"
#include "index/relation_cache.h"
#include "index/row_files.h"
#include "index/row_table.h"

namespace notesdb {
namespace {

enum class Kind {
  tags,
  open_tasks,
  done_tasks,
  open_count,
  done_count,
  task_count,
  next_due,
  links,
  backlinks,
  unresolved,
  name
};

struct FieldKind {
  std::string_view name;
  Kind kind;
  ColumnType type;
};
constexpr std::array field_kinds{FieldKind{"_tags", Kind::tags, ColumnType::list},
                                 FieldKind{"_links", Kind::links, ColumnType::list},
                                 FieldKind{"_backlinks", Kind::backlinks, ColumnType::list},
                                 FieldKind{"_unresolved", Kind::unresolved, ColumnType::list},
                                 FieldKind{"_tasks", Kind::open_tasks, ColumnType::list},
                                 FieldKind{"_tasks_done", Kind::done_tasks, ColumnType::list},
                                 FieldKind{"_tasks.open", Kind::open_count, ColumnType::number},
                                 FieldKind{"_tasks.done", Kind::done_count, ColumnType::number},
                                 FieldKind{"_tasks.total", Kind::task_count, ColumnType::number},
                                 FieldKind{"_tasks.next_due", Kind::next_due, ColumnType::date},
                                 FieldKind{"_name.date", Kind::name, ColumnType::date},
                                 FieldKind{"_name.slug", Kind::name, ColumnType::text},
                                 FieldKind{"_name.lang", Kind::name, ColumnType::text},
                                 FieldKind{"_name.order", Kind::name, ColumnType::number},
                                 FieldKind{"_name.id", Kind::name, ColumnType::text},
                                 FieldKind{"_name.title", Kind::name, ColumnType::text},
                                 FieldKind{"_name.parent", Kind::name, ColumnType::text}};

constexpr std::string_view inline_prefix = "_inline.";
constexpr std::string_view name_prefix = "_name.";
constexpr std::string_view count_suffix = ".count";

const FieldKind* find_kind(std::string_view name) {
  const auto* found = std::ranges::find(field_kinds, name, &FieldKind::name);
  return found == field_kinds.end() ? nullptr : found;
}

// A name without `.count` behind it, which is only for lists.
std::string_view counted_name(std::string_view name) {
  if (!name.ends_with(count_suffix)) return "";
  name.remove_suffix(count_suffix.size());
  const FieldKind* kind = find_kind(name);
  return kind != nullptr && kind->type == ColumnType::list ? name : std::string_view();
}

bool is_inline(std::string_view name) {
  return name.starts_with(inline_prefix) && name.size() > inline_prefix.size();
}

bool is_of_links(Kind kind) {
  return kind == Kind::links || kind == Kind::backlinks || kind == Kind::unresolved;
}

Value list_of(const std::vector<std::string>& texts) {
  return texts.empty() ? Value() : Value::list_of(texts);
}

Value fact_value(const NoteFacts& facts, Kind kind) {
  const auto count = [](std::size_t size) { return static_cast<std::int64_t>(size); };
  switch (kind) {
    case Kind::open_tasks: return list_of(facts.open_tasks);
    case Kind::done_tasks: return list_of(facts.done_tasks);
    case Kind::open_count: return count(facts.open_tasks.size());
    case Kind::done_count: return count(facts.done_tasks.size());
    case Kind::task_count: return facts.task_count;
    case Kind::next_due: return facts.next_due.empty() ? Value() : Value(facts.next_due);
    case Kind::tags:
    case Kind::links:
    case Kind::backlinks:
    case Kind::unresolved:
    case Kind::name: break;
  }
  return {};
}

// A key is also reached in lower case, with '-' for its spaces.
std::string plain_key(std::string_view key) {
  std::string plain = fold_case(key);
  std::ranges::replace(plain, ' ', '-');
  return plain;
}

Value inline_value(const NoteFacts& facts, std::string_view key) {
  if (const Value* value = find_member(facts.inline_fields, key)) return *value;
  for (const Member& member : facts.inline_fields)
    if (plain_key(member.key) == key) return member.value;
  return {};
}

// What the links of all notes say of one database's rows: lists of texts by row, of the kinds that
// are asked for. Texts are numbers until a list is shown.
class LinkLists {
 public:
  LinkLists(std::string database, std::vector<Kind> kinds)
      : database_(std::move(database)), kinds_(std::move(kinds)) {}

  void take(const LinkCache& cache, const LinkCache::Linking& found) {
    const bool is_ours = found.owner && !found.row_id.empty() && found.owner->id() == database_;
    if (!found.meaning.is_found()) {
      if (is_ours) add(Kind::unresolved, number_of(found.row_id), found.link.path);
      return;
    }
    if (found.meaning.file == found.file) return;
    const File target = file(cache, found.names, found.meaning.file);
    if (!is_ours && !target.is_ours) return;
    const Number source = found.file == LinkNames::no_file
                              ? number_of(shown(row_of(found), found.path))
                              : file(cache, found.names, found.file).shown;
    if (is_ours) add(Kind::links, source, target.shown);
    if (target.is_ours) add(Kind::backlinks, target.shown, source);
  }

  // A relation's plain ids.
  void take(const Database& from, const Column& column, const RowTable& rows, std::size_t place) {
    const bool is_ours = from.id() == database_;
    if (!is_ours && column.target != database_) return;
    const auto codes = rows.codes(place);
    for (std::uint32_t row = 0; row < rows.row_count(); ++row) {
      if (codes[row] == 0) continue;
      const std::string source(rows.row_id(row));
      for (const std::string& id : related_rows(column, rows.value(place, codes[row]))) {
        if (column.target == from.id() && id == source) continue;
        if (is_ours && !id.starts_with("[")) wanted_.push_back({source, {column.target, id}});
        if (column.target == database_)
          add(Kind::backlinks, number_of(id), shown({from.id(), source}, ""));
      }
    }
  }
  // Those of them that exist.
  template <typename Exists>
  void finish(const Exists& exists) {
    for (const auto& [source, target] : wanted_)
      if (exists(target)) add(Kind::links, number_of(source), shown(target, ""));
  }

  // In natural order, each once.
  NoteFieldValues values(Kind kind) {
    const std::vector<Number> order = natural_order();
    std::vector<std::uint32_t> ranks(order.size());
    for (std::uint32_t rank = 0; rank < order.size(); ++rank)
      ranks[order[rank]] = rank;
    // The ranks of what each row shows, one row after another.
    const std::vector<Pair>& pairs = pairs_[kind];
    std::vector<std::size_t> ends(texts_.size() + 1);
    for (const Pair& pair : pairs)
      ++ends[pair.row + 1];
    std::partial_sum(ends.begin(), ends.end(), ends.begin());
    std::vector<std::uint32_t> shown(pairs.size());
    for (const Pair& pair : pairs)
      shown[ends[pair.row]++] = ranks[pair.shown];
    NoteFieldValues values;
    auto begin = shown.begin();
    for (Number row = 0; row < texts_.size(); ++row) {
      const auto end = shown.begin() + static_cast<std::ptrdiff_t>(ends[row]);
      std::sort(begin, end);
      List list;
      list.reserve(static_cast<std::size_t>(end - begin));
      for (auto rank = begin; rank != end; ++rank)
        if (rank == begin || *rank != *(rank - 1)) list.emplace_back(*texts_[order[*rank]]);
      if (!list.empty()) values.emplace(*texts_[row], std::move(list));
      begin = end;
    }
    return values;
  }

 private:
  using Number = std::uint32_t;  // of a text
  struct Pair {
    Number row;
    Number shown;
  };
  struct File {
    Number shown = 0;
    bool is_ours = false;
    bool is_known = false;
  };

  void add(Kind kind, Number row, Number shown) {
    if (std::ranges::find(kinds_, kind) != kinds_.end()) pairs_[kind].push_back({row, shown});
  }
  void add(Kind kind, Number row, std::string_view shown) { add(kind, row, number_of(shown)); }

  Number number_of(std::string_view text) {
    const auto [known, is_new] =
        numbers_.try_emplace(std::string(text), static_cast<Number>(texts_.size()));
    if (is_new) texts_.push_back(&known->first);
    return known->second;
  }

  static LinkCache::RowName row_of(const LinkCache::Linking& found) {
    if (found.row_id.empty()) return {};
    return {found.owner->id(), std::string(found.row_id)};
  }

  File file(const LinkCache& cache, const LinkNames& names, LinkNames::File number) {
    if (number >= files_.size()) files_.resize(number + 1);
    File& known = files_[number];
    if (known.is_known) return known;
    const LinkCache::RowName row = cache.row_of(number);
    const bool is_ours = !row.id.empty() && row.database == database_;
    known = {number_of(shown(row, names.path(number))), is_ours, true};
    return known;
  }

  std::vector<Number> natural_order() const {
    std::vector<Number> order(texts_.size());
    std::iota(order.begin(), order.end(), Number{0});
    std::ranges::sort(
        order, [&](Number a, Number b) { return compare_natural(*texts_[a], *texts_[b]) < 0; });
    return order;
  }

  std::string shown(const LinkCache::RowName& row, const std::string& path) const {
    if (row.id.empty()) return path;
    return row.database == database_ ? row.id : join_path(row.database, row.id);
  }

  std::string database_;
  std::vector<Kind> kinds_;
  std::vector<std::pair<std::string, LinkCache::RowName>> wanted_;
  std::unordered_map<std::string, Number> numbers_;
  std::vector<const std::string*> texts_;
  std::vector<File> files_;  // by LinkNames::File
  std::map<Kind, std::vector<Pair>> pairs_;
};

LinkLists read_links(const Database& database,
                     std::vector<Kind> kinds,
                     LinkCache& links,
                     const NoteFields::Databases& neighbour) {
  LinkLists lists(database.id(), std::move(kinds));
  links.each_link([&](const LinkCache::Linking& found) {
    Budget::look();
    lists.take(links, found);
  });
  const auto is_relation = [](const Column& column) { return column.type == ColumnType::relation; };
  for (const std::string& id : links.database_ids()) {
    const auto other = neighbour(id);
    if (!other) continue;
    const auto schema = (*other)->folder();
    if (!schema || std::ranges::none_of((*schema)->schema().columns, is_relation)) continue;
    (void)(*other)->with_rows([&](const DatabaseFolder& folder, const RowTable& rows) {
      const auto& columns = folder.schema().columns;
      for (std::size_t place = 0; place < columns.size(); ++place)
        if (columns[place].type == ColumnType::relation)
          lists.take(**other, columns[place], rows, place);
    });
  }
  std::map<std::string, std::unordered_set<std::string>> ids;
  lists.finish([&](const LinkCache::RowName& row) {
    const auto [known, is_new] = ids.try_emplace(row.database);
    if (is_new) {
      const auto other = neighbour(row.database);
      if (auto all = other ? (*other)->row_ids() : Result<std::vector<std::string>>(other.error()))
        known->second.insert(all->begin(), all->end());
    }
    return known->second.contains(row.id);
  });
  return lists;
}

// Tags that differ in letter case are one tag, shown as the first row spells it.
class TagSpellings {
 public:
  Value of(const std::vector<std::string>& tags) {
    std::vector<std::string> spelled;
    spelled.reserve(tags.size());
    for (const std::string& tag : tags)
      spelled.push_back(first_.try_emplace(fold_case(tag), tag).first->second);
    return list_of(spelled);
  }

 private:
  std::unordered_map<std::string, std::string> first_;
};

// What the file names of the rows say.
Result<NoteFieldValues> name_values(const Database& database, std::string_view field) {
  NoteFieldValues values;
  auto looked = database.with_rows([&](const DatabaseFolder& folder, const RowTable& table) {
    const RowIdRule& rule = folder.schema().row_id;
    const std::string_view format =
        rule.style == RowIdStyle::date ? rule.format : std::string_view();
    for (std::uint32_t row = 0; row < table.row_count(); ++row) {
      Value value = name_field(field, table.row_id(row), format);
      if (!value.is_null()) values.emplace(table.row_id(row), std::move(value));
    }
  });
  if (!looked) return looked.error();
  return values;
}

void count_values(NoteFieldValues& values) {
  for (auto& [row, value] : values)
    value = static_cast<std::int64_t>(value.is_list() ? value.list().size() : 0);
}

// Of a vault one text with a comma in `tags` is no tag; other tools see several.
TagText tag_text_in(const FileSystem& files, std::string_view folder) {
  for (;; folder = folder_of(folder)) {
    const auto marker = files.stat(join_path(folder, ".obsidian"));
    if (marker && marker->kind == FileKind::folder) return TagText::none;
    if (folder == ".") return TagText::split;
  }
}

}  // namespace

std::optional<Column> note_field_column(std::string_view name) {
  if (!name.starts_with('_')) return std::nullopt;
  Column column;
  column.id = name;
  column.name = name;
  if (const FieldKind* kind = find_kind(name)) {
    column.type = kind->type;
  } else if (!counted_name(name).empty()) {
    column.type = ColumnType::number;
  } else if (is_inline(name)) {
    column.type = ColumnType::json;
  } else {
    return std::nullopt;
  }
  column.type_name = name_of(column.type);
  return column;
}

std::vector<std::string> note_field_names() {
  std::vector<std::string> names;
  for (const FieldKind& kind : field_kinds)
    names.emplace_back(kind.name);
  return names;
}

// Rows that are as they were when they were read last are not read again.
Result<NoteFields::RowFacts> NoteFields::read_facts(const Database& database) {
  const TagText tag_text = tag_text_in(files_, database.id());
  struct ListedRow {
    std::string id;
    std::string path;
    Etag etag;
  };
  std::vector<ListedRow> rows;
  auto looked = database.with_rows([&](const DatabaseFolder&, const RowTable& table) {
    rows.reserve(table.row_count());
    for (std::uint32_t row = 0; row < table.row_count(); ++row)
      rows.push_back({std::string(table.row_id(row)),
                      std::string(table.relative_path(row)),
                      table.facts(row).etag});
  });
  if (!looked) return looked.error();
  RowFacts all(rows.size());
  std::vector<std::size_t> unread;
  std::vector<const char*> paths;
  {
    const std::lock_guard guard(mutex_);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      all[i].first = rows[i].id;
      const auto known = facts_.find(rows[i].path);
      if (known != facts_.end() && known->second.etag == rows[i].etag) {
        all[i].second = known->second.facts;
      } else {
        unread.push_back(i);
        paths.push_back(rows[i].path.c_str());
      }
    }
  }
  std::vector<Etag> etags(unread.size());
  const auto read = read_row_files(files_, database.id(), paths, [&](const FileView& file) {
    if (file.state != ReadState::whole && file.state != ReadState::being_written) return;
    const ListedRow& row = rows[unread[file.index]];
    const auto note = Note::parse(std::string(file.bytes), note_format_of(row.path));
    if (!note) return;
    all[unread[file.index]].second = std::make_shared<const NoteFacts>(facts_of(*note, tag_text));
    etags[file.index] = file.etag;
  });
  if (!read) return read.error();
  const std::lock_guard guard(mutex_);
  for (std::size_t i = 0; i < unread.size(); ++i)
    if (all[unread[i]].second)
      facts_.insert_or_assign(rows[unread[i]].path, Known{etags[i], all[unread[i]].second});
  constexpr std::size_t slack = 1'000;
  if (facts_.size() > 2 * rows.size() + slack) facts_.clear();  // of rows that are gone
  return all;
}

Result<std::vector<NoteFieldValues>> NoteFields::read(const Database& database,
                                                      const std::vector<std::string>& names,
                                                      LinkCache& links,
                                                      const Databases& neighbour) {
  const auto kind_of = [](const std::string& name) {
    const std::string_view counted = counted_name(name);
    return find_kind(counted.empty() ? std::string_view(name) : counted);
  };
  std::vector<Kind> of_links;
  for (const std::string& name : names)
    if (const FieldKind* kind = kind_of(name); kind != nullptr && is_of_links(kind->kind))
      of_links.push_back(kind->kind);
  std::optional<RowFacts> facts;
  std::optional<LinkLists> lists;
  std::vector<NoteFieldValues> all;
  for (const std::string& name : names) {
    const FieldKind* kind = kind_of(name);
    NoteFieldValues& values = all.emplace_back();
    if (kind != nullptr && is_of_links(kind->kind)) {
      if (!lists) lists = read_links(database, of_links, links, neighbour);
      values = lists->values(kind->kind);
    } else if (kind != nullptr && kind->kind == Kind::name) {
      auto read = name_values(database, std::string_view(name).substr(name_prefix.size()));
      if (!read) return read.error();
      values = *std::move(read);
    } else {
      if (!facts) {
        auto read = read_facts(database);
        if (!read) return read.error();
        facts = *std::move(read);
      }
      const std::string_view key =
          std::string_view(name).substr(kind == nullptr ? inline_prefix.size() : name.size());
      TagSpellings spellings;
      for (const auto& [row, found] : *facts) {
        if (!found) continue;
        Value value = kind == nullptr            ? inline_value(*found, key)
                      : kind->kind == Kind::tags ? spellings.of(found->tags)
                                                 : fact_value(*found, kind->kind);
        if (!value.is_null()) values.emplace(row, std::move(value));
      }
    }
    if (!counted_name(name).empty()) count_values(values);
  }
  return all;
}

}  // namespace notesdb
