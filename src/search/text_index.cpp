#include "search/text_index.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <map>
#include <utility>

#include "core/budget.h"
#include "core/progress.h"
#include "core/row.h"
#include "core/schema.h"
#include "core/text.h"
#include "database/row_access.h"
#include "database/row_template.h"
#include "search/excerpt.h"
#include "search/words.h"
#include "sqlite/connection.h"
#include "sqlite/word_rank.h"

namespace notesdb::search {
namespace {

constexpr const char* tables = R"(
  DROP TABLE IF EXISTS databases;
  DROP TABLE IF EXISTS rows;
  DROP TABLE IF EXISTS notes;
  CREATE TABLE databases(id TEXT PRIMARY KEY, digest TEXT NOT NULL) WITHOUT ROWID;
  CREATE TABLE rows(number INTEGER PRIMARY KEY, database TEXT NOT NULL, id TEXT NOT NULL,
                    etag TEXT NOT NULL, UNIQUE(database, id));
  CREATE VIRTUAL TABLE notes USING fts5(title, fields, body,
                                        tokenize = 'notesdb');
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

// The sign before a field's key stands in no text.
void add_line(std::string_view text, std::string& out) {
  out.resize(out.size() + text.size() + 1, '\n');
  std::ranges::replace_copy(
      text, out.end() - static_cast<std::ptrdiff_t>(text.size()) - 1, field_begin, ' ');
}

void add_text(const Value& value, std::string& out) {
  if (value.is_text()) {
    add_line(value.text(), out);
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

void add_field(const Member& field, std::string& out) {
  const std::size_t begin = out.size();
  out += field_mark(field.key);
  const std::size_t end = out.size();
  add_text(field.value, out);
  if (out.size() == end) out.resize(begin);
}

// The fields as they are shown beside the title.
std::string without_marks(std::string_view fields, const std::string& title) {
  std::string out;
  while (!fields.empty()) {
    fields.remove_prefix(std::min(fields.find(field_end), fields.size() - 1) + 1);
    const std::string_view field = fields.substr(0, fields.find(field_begin));
    if (field != title + '\n') out += field;
    fields.remove_prefix(field.size());
  }
  return out;
}

// Words of a text; of one that begins with a field's key, words of fields: each also with its key, a
// question's only so.
void split_for_index(std::string_view text,
                     sqlite::Connection::WordsOf source,
                     const sqlite::Connection::TakeWord& take) {
  using Place = sqlite::Connection::Place;
  const bool is_question = source == sqlite::Connection::WordsOf::question;
  if (!text.starts_with(field_begin)) {
    split_words(text, [&](std::string_view word, std::size_t begin, std::size_t end) {
      return take(word, begin, end, Place::next);
    });
    return;
  }
  bool goes_on = true;
  for (std::size_t at = 0; at < text.size() && goes_on;) {
    const std::size_t value = std::min(text.find(field_end, at), text.size() - 1) + 1;
    const std::size_t next = std::min(text.find(field_begin, value), text.size());
    std::string keyed(text.substr(at + 1, value - at - 1));
    const std::size_t key_size = keyed.size();
    split_words(text.substr(value, next - value),
                [&](std::string_view word, std::size_t begin, std::size_t end) {
                  if (!is_question) goes_on = take(word, value + begin, value + end, Place::next);
                  keyed.replace(key_size, std::string::npos, word);
                  const Place place = is_question ? Place::next : Place::same;
                  goes_on = goes_on && take(keyed, value + begin, value + end, place);
                  return goes_on;
                });
    at = next;
  }
}

// Nearly how many words there are: a run of letters is one, and so is a character beyond U+07FF, which
// most often stands alone.
std::size_t about_words(std::string_view text) {
  std::size_t count = 0;
  bool is_within = false;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    const bool is_part = is_letter(c) || is_digit(c) || byte >= 0x80;
    count += byte >= 0xE0 || (is_part && !is_within) ? 1 : 0;
    is_within = is_part;
  }
  return count;
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

// A text that does not look like fields.
std::string as_text(const std::string& text) {
  return text.starts_with(field_begin) ? " " + text : text;
}

std::vector<Phrase> phrases_of(const std::vector<WantedText>& wanted) {
  std::vector<Phrase> phrases;
  for (const WantedText& text : wanted) {
    Phrase phrase{{}, text.is_prefix};
    split_words(text.text, [&](std::string_view word, std::size_t, std::size_t) {
      phrase.words.emplace_back(word);
      return true;
    });
    if (!phrase.words.empty()) phrases.push_back(std::move(phrase));
  }
  return phrases;
}

Error with_progress(Error error, const std::string& database, std::size_t done, std::size_t all) {
  if (error.code != ErrorCode::limit_exceeded) return error;  // it was cancelled
  error.message = std::to_string(done) + " of " + std::to_string(all) + " changed rows of '" +
                  escape_controls(database) +
                  "' were indexed before query_timeout; search again to go on, or raise "
                  "query_timeout in notesdb.yaml";
  return error;
}

// A transaction that writes, in pieces, so that nobody waits for the whole of it.
class Writing {
 public:
  explicit Writing(sqlite::Connection& connection) : connection_(connection) { begin(); }

  void give_way() {
    constexpr std::chrono::milliseconds longest{200};
    if (Clock::now() - begun_ < longest) return;
    const std::int64_t before = version_;
    commit();
    begin();
    is_alone_ = is_alone_ && version_ == before;
  }
  void commit() { connection_.execute("COMMIT"); }
  // Whether nobody else has written since the first piece.
  bool is_alone() const { return is_alone_; }

 private:
  using Clock = std::chrono::steady_clock;

  void begin() {
    connection_.execute("BEGIN IMMEDIATE");
    begun_ = Clock::now();
    sqlite::Statement asked = connection_.prepare("PRAGMA data_version");
    version_ = asked.step() ? asked.integer(0) : 0;
  }

  sqlite::Connection& connection_;
  Clock::time_point begun_;
  std::int64_t version_ = 0;  // another one after others have written
  bool is_alone_ = true;
};

}  // namespace

TextIndex::TextIndex(const std::string& path) : connection_(path), is_kept_(path != ":memory:") {
  // What is sorted stays in memory: a confined server may not open files of /tmp.
  connection_.execute(
      "PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA temp_store = MEMORY");
  connection_.add_tokenizer("notesdb", split_for_index);
  sqlite::add_word_rank(connection_, "word_rank", {10.0, 4.0, 1.0});
  sqlite::Statement asked = connection_.prepare("PRAGMA user_version");
  const std::int64_t found = asked.step() ? asked.integer(0) : 0;
  asked.reset();
  if (found == index_version) return;
  connection_.execute("BEGIN IMMEDIATE");
  connection_.execute(tables);
  connection_.execute("PRAGMA user_version = " + std::to_string(index_version));
  connection_.execute("COMMIT");
}

Result<void> TextIndex::refresh(const FileSystem& files,
                                const Database& database,
                                const DatabaseFolder& folder) {
  const auto version = database.version();
  if (!version) return version.error();
  const std::pair now{folder.reading_etag(), *version};
  if (const std::int64_t written = data_version(); written != data_version_) {
    in_step_.clear();
    data_version_ = written;
  }
  const auto known = in_step_.find(database.id());
  if (known != in_step_.end() && known->second == now) return {};
  const auto stamps = database.stamps();
  if (!stamps) return stamps.error();
  const std::string reading = to_text(folder.reading_etag()) + ":";
  const std::string digest = reading + digest_of(*stamps);
  const std::string before = known_digest(database.id());
  if (before == digest) {
    in_step_[database.id()] = now;
    return {};
  }

  Writing writing(connection_);
  if (!before.starts_with(reading)) forget(database.id());
  if (before != reading) set_digest(database.id(), reading);  // of no rows in particular
  const std::vector<RowStamp> changed = drop_changed(database.id(), *stamps);
  bool is_whole = true;
  std::size_t done = 0;
  Progress::begin(changed.size(), "indexing words");
  try {
    for (const RowStamp& stamp : changed) {
      Budget::look();
      Progress::step();
      writing.give_way();
      // Where several processes index at once, each row is read by one of them.
      if (writing.is_alone() || !has(database.id(), stamp))
        is_whole = add(files, folder, stamp) && is_whole;
      ++done;
    }
  } catch (const BudgetSpent& spent) {
    writing.commit();
    if (!is_kept_ || done == 0) throw;
    throw BudgetSpent(with_progress(spent.error(), database.id(), done, changed.size()));
  }
  // It stands for exactly these rows; where it cannot, the next look compares them one by one.
  const bool is_in_step = is_whole && writing.is_alone();
  if (is_in_step) set_digest(database.id(), digest);
  writing.commit();
  if (is_in_step) in_step_[database.id()] = now;
  return {};
}

// Drops the rows that are gone or others than these, and gives those that are to be read.
std::vector<RowStamp> TextIndex::drop_changed(const std::string& database,
                                              const std::vector<RowStamp>& stamps) {
  std::map<std::string, std::string> indexed;
  sqlite::Statement rows = connection_.prepare("SELECT id, etag FROM rows WHERE database = ?");
  rows.bind(1, database);
  while (rows.step())
    indexed.emplace(rows.text(0), rows.text(1));
  rows.reset();
  std::vector<RowStamp> changed;
  for (const RowStamp& stamp : stamps) {
    const auto known = indexed.find(stamp.id);
    const bool is_known = known != indexed.end() && known->second == to_text(stamp.etag);
    if (!is_known) changed.push_back(stamp);
    if (is_known) indexed.erase(known);
  }
  for (const auto& [id, etag] : indexed)
    drop(database, id);
  return changed;
}

bool TextIndex::has(const std::string& database, const RowStamp& stamp) {
  sqlite::Statement known =
      connection_.prepare("SELECT 1 FROM rows WHERE database = ? AND id = ? AND etag = ?");
  known.bind(1, database).bind(2, stamp.id).bind(3, to_text(stamp.etag));
  return known.step();
}

// Reads a row's file and adds its words; whether it is as the stamp says. What cannot be read is no
// row by now.
bool TextIndex::add(const FileSystem& files, const DatabaseFolder& folder, const RowStamp& stamp) {
  const auto file = read_row_file(files, folder, stamp.id, NearestIds::left_out);
  if (!file) return false;
  drop(folder.id(), stamp.id);  // another process may have added it meanwhile
  const Row row = to_row(folder, *file);
  std::string fields;
  for (const Member& field : row.fields)
    add_field(field, fields);
  for (const Member& undeclared : row.extra)
    add_field(undeclared, fields);
  const std::string title = title_of(row, title_column(folder.schema()));
  const std::uint8_t length =
      sqlite::length_code(about_words(title) + about_words(fields) + about_words(row.body));
  sqlite::Statement row_in = connection_.prepare(
      "INSERT INTO rows(number, database, id, etag) VALUES "
      "((ifnull((SELECT max(number) FROM rows), 0) / 256 + 1) * 256 + ?, ?, ?, ?) "
      "RETURNING number");
  row_in.bind(1, std::int64_t{length}).bind(2, folder.id());
  row_in.bind(3, row.id).bind(4, to_text(row.etag));
  row_in.step();
  const std::int64_t number = row_in.integer(0);
  row_in.reset();
  connection_.prepare("INSERT INTO notes(rowid, title, fields, body) VALUES (?, ?, ?, ?)")
      .bind(1, number)
      .bind(2, as_text(title))
      .bind(3, fields)
      .bind(4, as_text(row.body))
      .run();
  return row.etag == stamp.etag;
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

// Another one after others have written to the file.
std::int64_t TextIndex::data_version() {
  sqlite::Statement asked = connection_.prepare("PRAGMA data_version");
  return asked.step() ? asked.integer(0) : 0;
}

std::string TextIndex::known_digest(const std::string& database) {
  sqlite::Statement known = connection_.prepare("SELECT digest FROM databases WHERE id = ?");
  known.bind(1, database);
  return known.step() ? known.text(0) : "";
}

void TextIndex::set_digest(const std::string& database, const std::string& digest) {
  connection_.prepare("INSERT OR REPLACE INTO databases VALUES (?, ?)")
      .bind(1, database)
      .bind(2, digest)
      .run();
}

void TextIndex::forget(const std::string& database) {
  in_step_.erase(database);
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
  std::string sql = "SELECT rowid, word_rank(notes) FROM notes WHERE notes MATCH ?";
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
  const std::vector<Phrase> phrases = phrases_of(wanted);
  sqlite::Statement asked =
      connection_.prepare("SELECT title, fields, body FROM notes WHERE rowid = ?");
  std::map<std::int64_t, Excerpt> found;
  for (const std::int64_t number : numbers) {
    Budget::look();
    asked.bind(1, number);
    if (asked.step()) {
      // The title is shown beside it.
      Excerpt& excerpt = found[number] = {asked.text(0), ""};
      const std::array texts{asked.text(2), without_marks(asked.text(1), excerpt.title)};
      excerpt.snippet = excerpt_of(texts, phrases);
      if (excerpt.snippet.empty()) excerpt.snippet = excerpt_of({&excerpt.title, 1}, phrases);
    }
    asked.reset();
  }
  return found;
}

}  // namespace notesdb::search
