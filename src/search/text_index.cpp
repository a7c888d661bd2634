#include "search/text_index.h"

#include <algorithm>
#include <array>
#include <map>
#include <utility>

#include "core/budget.h"
#include "core/row.h"
#include "core/schema.h"
#include "database/row_template.h"
#include "search/excerpt.h"
#include "sqlite/connection.h"

namespace notesdb::search {
namespace {

constexpr std::int64_t version = 3;
constexpr std::int64_t all_rows = std::int64_t{1} << 53;
constexpr std::size_t worth_naming = 64;  // more changed rows than this: all are read

constexpr const char* tables = R"(
  DROP TABLE IF EXISTS databases;
  DROP TABLE IF EXISTS rows;
  DROP TABLE IF EXISTS notes;
  CREATE TABLE databases(id TEXT PRIMARY KEY, digest TEXT NOT NULL) WITHOUT ROWID;
  CREATE TABLE rows(number INTEGER PRIMARY KEY, database TEXT NOT NULL, id TEXT NOT NULL,
                    etag TEXT NOT NULL, UNIQUE(database, id));
  CREATE VIRTUAL TABLE notes USING fts5(title, fields, body,
                                        tokenize = 'unicode61 remove_diacritics 2');
)";

// All ids and etags as one number (FNV-1a).
std::string digest_of(const std::vector<RowStamp>& stamps) {
  std::uint64_t hash = 0xcbf29ce484222325U;
  const auto add = [&](unsigned char byte) { hash = (hash ^ byte) * 0x100000001b3U; };
  for (const RowStamp& stamp : stamps) {
    for (const char c : stamp.id)
      add(static_cast<unsigned char>(c));
    add(0);
    for (unsigned shift = 0; shift < 64; shift += 8)
      add(static_cast<unsigned char>(stamp.etag.hash >> shift));
  }
  return to_text(Etag{hash}) + ":" + std::to_string(stamps.size());
}

void add_text(const Value& value, std::string& out) {
  if (value.is_text()) {
    out += value.text();
    out += '\n';
  } else if (value.is_list()) {
    for (const Value& item : value.list())
      add_text(item, out);
  } else if (value.is_map()) {
    for (const Member& member : value.map())
      add_text(member.value, out);
  } else if (value.is_number()) {
    out += to_display(value) + '\n';
  }
}

// What a person would call the row: its title, the first heading, the id.
std::string title_of(const Row& row, const Column* column) {
  const Value* title = column == nullptr ? nullptr : find_member(row.fields, column->id);
  if (title != nullptr && title->is_text() && !title->text().empty()) return title->text();
  const std::string_view body = row.body;
  const std::size_t heading = body.starts_with("# ") ? 0 : body.find("\n# ");
  if (heading == std::string_view::npos) return row.id;
  const std::size_t begin = body.find('#', heading) + 2;
  return std::string(body.substr(begin, std::min(body.find('\n', begin), body.size()) - begin));
}

std::vector<Phrase> phrases_of(const std::vector<WantedText>& wanted, const SplitWords& split) {
  std::vector<Phrase> phrases;
  for (const WantedText& text : wanted) {
    Phrase phrase{{}, text.is_prefix};
    split(text.text, [&](std::string_view word, std::size_t, std::size_t) {
      phrase.words.emplace_back(word);
      return true;
    });
    if (!phrase.words.empty()) phrases.push_back(std::move(phrase));
  }
  return phrases;
}

}  // namespace

TextIndex::TextIndex(const std::string& path) : connection_(path) {
  // What is sorted stays in memory: a confined server may not open files of /tmp.
  connection_.execute(
      "PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA temp_store = MEMORY");
  sqlite::Statement asked = connection_.prepare("PRAGMA user_version");
  const std::int64_t found = asked.step() ? asked.integer(0) : 0;
  asked.reset();
  if (found == version) return;
  connection_.execute("BEGIN IMMEDIATE");
  connection_.execute(tables);
  connection_.execute("PRAGMA user_version = " + std::to_string(version));
  connection_.execute("COMMIT");
}

Result<void> TextIndex::refresh(const Database& database, const DatabaseFolder& folder) {
  const auto stamps = database.stamps();
  if (!stamps) return stamps.error();
  const std::string reading = to_text(folder.reading_etag()) + ":";
  const std::string digest = reading + digest_of(*stamps);
  const std::string before = known_digest(database.id());
  if (before == digest) return {};

  connection_.execute("BEGIN IMMEDIATE");
  if (!before.starts_with(reading)) forget(database.id());
  std::map<std::string, std::string> indexed;
  {
    sqlite::Statement rows = connection_.prepare("SELECT id, etag FROM rows WHERE database = ?");
    rows.bind(1, database.id());
    while (rows.step())
      indexed.emplace(rows.text(0), rows.text(1));
  }
  std::set<std::string> changed;
  for (const RowStamp& stamp : *stamps) {
    const auto known = indexed.find(stamp.id);
    if (known == indexed.end() || known->second != to_text(stamp.etag)) changed.insert(stamp.id);
    if (known != indexed.end()) {
      if (known->second != to_text(stamp.etag)) drop(database.id(), stamp.id);
      indexed.erase(known);
    }
  }
  for (const auto& [id, etag] : indexed)
    drop(database.id(), id);
  if (auto done = add(database, folder.schema(), changed); !done) {
    connection_.execute("ROLLBACK");
    return done;
  }
  connection_.prepare("INSERT OR REPLACE INTO databases VALUES (?, ?)")
      .bind(1, database.id())
      .bind(2, digest)
      .run();
  connection_.execute("COMMIT");
  return {};
}

Result<void> TextIndex::add(const Database& database,
                            const Schema& schema,
                            const std::set<std::string>& ids) {
  if (ids.empty()) return {};
  QueryRequest request;
  request.limit = all_rows;
  request.include_body = true;
  if (ids.size() <= worth_naming) {
    const std::vector<std::string> list(ids.begin(), ids.end());
    request.filters =
        List{Map{{"field", "_id"}, {"operator", "in"}, {"value", Value::list_of(list)}}};
  }
  const auto answer = database.query(request);
  if (!answer) return answer.error();
  const Column* title = title_column(schema);
  sqlite::Statement row_in = connection_.prepare(
      "INSERT OR REPLACE INTO rows(database, id, etag) VALUES (?, ?, ?) "
      "RETURNING number");
  sqlite::Statement note_in =
      connection_.prepare("INSERT INTO notes(rowid, title, fields, body) VALUES (?, ?, ?, ?)");
  for (const Row& row : answer->rows) {
    if (!ids.contains(row.id)) continue;
    row_in.bind(1, database.id()).bind(2, row.id).bind(3, to_text(row.etag));
    row_in.step();
    const std::int64_t number = row_in.integer(0);
    row_in.reset();
    std::string fields;
    for (const Member& field : row.fields)
      add_text(field.value, fields);
    for (const Member& undeclared : row.extra)
      add_text(undeclared.value, fields);
    note_in.bind(1, number).bind(2, title_of(row, title)).bind(3, fields).bind(4, row.body);
    note_in.run();
  }
  return {};
}

void TextIndex::drop(const std::string& database, const std::string& id) {
  sqlite::Statement gone =
      connection_.prepare("DELETE FROM rows WHERE database = ? AND id = ? RETURNING number");
  gone.bind(1, database).bind(2, id);
  if (!gone.step()) return;
  const std::int64_t number = gone.integer(0);
  gone.run();
  connection_.prepare("DELETE FROM notes WHERE rowid = ?").bind(1, number).run();
}

void TextIndex::keep_only(const std::vector<std::string>& databases) {
  std::vector<std::string> gone;
  sqlite::Statement known = connection_.prepare("SELECT id FROM databases");
  while (known.step()) {
    std::string id = known.text(0);
    if (std::find(databases.begin(), databases.end(), id) == databases.end()) {
      gone.push_back(std::move(id));
    }
  }
  known.reset();
  for (const std::string& id : gone) {
    connection_.execute("BEGIN IMMEDIATE");
    forget(id);
    connection_.execute("COMMIT");
  }
}

std::string TextIndex::known_digest(const std::string& database) {
  sqlite::Statement known = connection_.prepare("SELECT digest FROM databases WHERE id = ?");
  known.bind(1, database);
  return known.step() ? known.text(0) : "";
}

void TextIndex::forget(const std::string& database) {
  for (const char* sql :
       {"DELETE FROM notes WHERE rowid IN (SELECT number FROM rows WHERE database = ?)",
        "DELETE FROM rows WHERE database = ?",
        "DELETE FROM databases WHERE id = ?"}) {
    connection_.prepare(sql).bind(1, database).run();
  }
}

bool TextIndex::holds_others(const std::string& database) {
  sqlite::Statement others = connection_.prepare("SELECT 1 FROM databases WHERE id <> ? LIMIT 1");
  others.bind(1, database);
  return others.step();
}

std::vector<Hit> TextIndex::find(const std::string& expression, const std::string& database) {
  std::string sql = "SELECT rowid, bm25(notes, 10.0, 4.0, 1.0) FROM notes WHERE notes MATCH ?";
  // Asked of each row that has the words: they are fewer than the rows of the database.
  const bool is_narrowed = !database.empty() && holds_others(database);
  if (is_narrowed) sql += " AND (SELECT database FROM rows WHERE number = notes.rowid) = ?";
  sqlite::Statement asked = connection_.prepare(sql);
  asked.bind(1, expression);
  if (is_narrowed) asked.bind(2, database);
  std::vector<Hit> hits;
  while (asked.step()) {
    Budget::look();
    Budget::take(sizeof(Hit));
    hits.push_back({asked.integer(0), asked.real(1)});
  }
  return hits;
}

std::vector<Place> TextIndex::places(std::span<const Hit> hits) {
  sqlite::Statement asked =
      connection_.prepare("SELECT database, id, etag FROM rows WHERE number = ?");
  std::vector<Place> found;
  for (const Hit& hit : hits) {
    asked.bind(1, hit.number);
    found.push_back(asked.step() ? Place{asked.text(0), asked.text(1), asked.text(2)} : Place{});
    asked.reset();
  }
  return found;
}

std::vector<std::int64_t> TextIndex::numbers(const std::string& database,
                                             const std::set<std::string>& ids) {
  // Both in the order of the ids, so that one pass is enough.
  sqlite::Statement asked =
      connection_.prepare("SELECT id, number FROM rows WHERE database = ? ORDER BY id");
  asked.bind(1, database);
  std::vector<std::int64_t> found;
  auto wanted = ids.begin();
  while (wanted != ids.end() && asked.step()) {
    const std::string id = asked.text(0);
    while (wanted != ids.end() && *wanted < id)
      ++wanted;
    if (wanted != ids.end() && *wanted == id) found.push_back(asked.integer(1));
  }
  std::ranges::sort(found);
  return found;
}

std::map<std::int64_t, Excerpt> TextIndex::excerpts(const std::vector<WantedText>& wanted,
                                                    std::span<const std::int64_t> numbers) {
  const sqlite::Tokenizer tokenizer(connection_, {"remove_diacritics", "2"});
  const SplitWords split = [&](std::string_view text, const TakeWord& take) {
    tokenizer.split(text, take);
  };
  const std::vector<Phrase> phrases = phrases_of(wanted, split);
  sqlite::Statement asked =
      connection_.prepare("SELECT title, fields, body FROM notes WHERE rowid = ?");
  std::map<std::int64_t, Excerpt> found;
  for (const std::int64_t number : numbers) {
    Budget::look();
    asked.bind(1, number);
    if (asked.step()) {
      const std::array texts{asked.text(0), asked.text(1), asked.text(2)};
      found[number] = {texts[0], excerpt_of(texts, phrases, split)};
    }
    asked.reset();
  }
  return found;
}

}  // namespace notesdb::search
