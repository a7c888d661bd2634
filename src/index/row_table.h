// RowTable: the rows of one database in memory, as columns of codes (query/table.h).
//
//   paths    row-1.md\0row-2.md\0 ...      one block, in natural order of the ids
//   facts    stat key, etag, key list ...  64 bytes per row
//   codes    one array per column          4 bytes per row and column
//   values   one Dictionary per column     each encoded once
//
// A table is brought in step with the files by two questions: which files are there (a listing) and
// which of them have another stat key than when they were read. A stat key is trusted only if its
// newest stamp was more than two seconds old when the file was read, since a file system's clock
// may give two saves one stamp. Whatever is not sure is read again, on two threads.
//
// Where the kernel tells which files were touched, update() reads those and no others.
//
// The values of a formula column (formula_columns.h) are worked out when the first question needs
// them (fill_formulas), and again for the rows that change. Those that hold for a question only are
// not kept here. Until then all rows are without a value.
//
// Unreadable files are kept apart: they are not rows. Const functions may be called from several
// threads at once; what changes the table must not run beside anything else.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/error.h"
#include "core/etag.h"
#include "core/result.h"
#include "files/file_system.h"
#include "index/array.h"
#include "index/database_folder.h"
#include "index/formula_columns.h"
#include "index/index_file.h"
#include "index/name_index.h"
#include "index/rank_index.h"
#include "index/relation_cache.h"
#include "index/result_cache.h"
#include "index/row_files.h"
#include "index/row_reader.h"
#include "query/comparison.h"
#include "query/field.h"
#include "query/table.h"

namespace notesdb {

// TableReaders: who is reading a table while nobody holds the lock of its cache.
//
// A question takes a lease of the table under the lock and computes without it. Whoever wants to
// change the table, under the lock, waits a moment until no lease is left, and else changes a copy:
// so a question that takes long keeps the table that it began with, and nobody waits for it.

class TableReaders {
 public:
  void enter() {
    const std::lock_guard guard(mutex_);
    ++count_;
  }
  void leave() {
    const std::lock_guard guard(mutex_);
    if (--count_ == 0 && is_awaited_) changed_.notify_all();
  }
  // Whether nobody reads any more, at the latest after `patience`.
  bool wait_until_none(std::chrono::milliseconds patience) {
    std::unique_lock lock(mutex_);
    if (count_ == 0) return true;
    is_awaited_ = true;
    const bool is_free = changed_.wait_for(lock, patience, [&] { return count_ == 0; });
    is_awaited_ = false;
    return is_free;
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  int count_ = 0;
  bool is_awaited_ = false;
};

// The table stays as it is as long as this stands.
template <typename Table>
class TableLease {
 public:
  explicit TableLease(std::shared_ptr<Table> table) : table_(std::move(table)) {
    table_->readers().enter();
  }
  TableLease(TableLease&& other) noexcept : table_(std::move(other.table_)) {}
  TableLease& operator=(TableLease&&) = delete;
  TableLease(const TableLease&) = delete;
  TableLease& operator=(const TableLease&) = delete;
  ~TableLease() {
    if (table_) table_->readers().leave();
  }
  const Table& operator*() const { return *table_; }
  const Table* operator->() const { return table_.get(); }

 private:
  std::shared_ptr<Table> table_;
};

// 64 bytes, as they also stand in an index file; a change of it changes index_format.
struct RowFacts {
  enum class State : std::uint8_t { unread, row, unreadable, gone };
  static constexpr std::uint16_t id_is_apart = 0x8000;

  StatKey key;
  Etag etag;
  std::uint32_t path = 0;  // where its path begins in the block of paths
  std::uint32_t keys = 0;  // a code of key_lists()
  std::uint16_t path_length = 0;
  // Of the id, which begins the path; with id_is_apart it stands behind the path instead.
  std::uint16_t id_length = 0;
  std::uint16_t broken = 0;  // how many issues it has as YAML
  State state = State::unread;
  bool sure = false;  // the stat key tells the next change for certain
};

static_assert(sizeof(RowFacts) == 64 && std::is_trivially_copyable_v<RowFacts>);

class RowTable : public Table {
 public:
  RowTable(const FileSystem& files, std::shared_ptr<const DatabaseFolder> folder);
  // One that holds the same and goes its own way; of what is remembered of questions only ranks.
  std::shared_ptr<RowTable> copy() const;
  TableReaders& readers() const { return readers_; }

  // Which files are rows from now on; rows that stay keep what is known of them.
  void take_listing(const RowListing& listing);
  // Reads what is new, changed or not sure. Fails with io_error if the folder cannot be read.
  Result<void> refresh();
  // The same in two steps, of which the first changes nothing.
  Result<std::vector<std::uint32_t>> find_stale() const;
  Result<void> read_rows(const std::vector<std::uint32_t>& rows);
  // Reads the files at these paths, which are rows by name and were saved, made or removed. False
  // where only a listing can tell what that means.
  Result<bool> update(std::vector<std::string> paths);
  // Files that were being written when they were read last, and must be read again.
  const std::vector<std::string>& unsettled() const { return unsettled_; }
  // The rows from `first` on, `count` at most, for a look at them beside the table.
  RowLook look_at(std::uint32_t first, std::uint32_t count) const;
  // The paths of those unreadable files that are to be read again.
  std::vector<std::string> stale_unreadable() const;
  // Whether most of what is held belongs to no row any more.
  bool is_worn() const;

  std::uint32_t row_count() const override { return static_cast<std::uint32_t>(facts_.size()); }
  std::span<const std::uint32_t> codes(std::size_t column) const override {
    const FilledColumn* filled = find_filled(column);
    return filled != nullptr && !filled->codes.empty() ? filled->codes : codes_[column].span();
  }
  std::uint32_t value_count(std::size_t column) const override;
  Value value(std::size_t column, std::uint32_t code) const override;
  // The same without making it, where it is what stands in the file; it lies in the table.
  std::optional<PlainValue> plain(std::size_t column, std::uint32_t code) const;
  // The value of a column that is not computed, read as if no schema declared it.
  Value untyped(std::size_t column, std::uint32_t code) const {
    return reader_.dictionary(column).untyped(code);
  }
  bool fits(std::size_t column, std::uint32_t code) const override;
  // Before a question reads formula columns. `now` is the time of the question; of a column that is
  // filled with another day keeps_day() has made an end.
  void fill_formulas(std::vector<const FormulaColumn*> formulas, expression::Date now) const;
  bool is_filled(std::size_t column) const { return find_filled(column) != nullptr; }
  // Whether no formula column holds values of another day; where one does, forget_days() forgets them.
  bool keeps_day(expression::Date now) const;
  void forget_days(expression::Date now);
  // Tells the codes of a column apart from those of another table, and rows from those that have
  // their numbers in it: where it is the same, a code means what it meant and a row is what it was.
  std::uint64_t numbering(std::size_t column) const;
  std::uint64_t numbering() const { return numbering_; }

  // Kept by a table that is its own (own()): one that answers once has no use for them.
  std::span<const std::uint32_t> ranks(std::size_t column) const override;
  std::span<const std::uint32_t> counts(std::size_t column) const override;
  // The answer of run_query, out of what is kept of questions that were asked before.
  Result<Matches> answer(const Query& query) const;
  // The rows whose relation in this column names a row of its target, ascending.
  std::vector<std::uint32_t> rows_naming(std::size_t column, const std::string& row_id) const;
  // The codes of a column whose values compare the same as this one.
  std::vector<bool> codes_like(std::size_t column, const Value& value) const;
  // The rows, ascending, whose values compare the same as one of these; nothing where that cannot be
  // told without a look at all values, in a table that is not its own.
  std::optional<std::vector<std::uint32_t>> rows_like(std::size_t column,
                                                      std::span<const Value> values) const;
  std::string_view row_id(std::uint32_t row) const override;
  std::string path(std::uint32_t row) const override;
  std::int64_t modified(std::uint32_t row) const override;
  Result<std::string> body(std::uint32_t row) const override;

  const RowFacts& facts(std::uint32_t row) const { return facts_[row]; }
  std::optional<std::uint32_t> find(std::string_view row_id) const;
  // The row that has this id, or whose id would be one file with it on systems that fold names.
  std::optional<std::uint32_t> find_one_name(std::string_view row_id) const;
  // The first row whose id does not come before this one.
  std::uint32_t lower_bound(std::string_view id) const;
  // The ending that the files of all rows have; empty if they differ or there are none.
  std::string common_ending() const;
  // Another number after every change of what the rows are or hold; no two tables share one, but
  // for a copy and what it was made of.
  std::uint64_t version() const { return version_; }
  // Where its file lies, from the database's folder.
  std::string_view relative_path(std::uint32_t row) const { return relative_path(facts_[row]); }
  const KeyLists& key_lists() const { return reader_.key_lists(); }
  // Why files that are rows by name are none, by path; the paths from the workspace root.
  std::vector<Issue> unreadable() const;
  std::size_t unreadable_count() const { return unreadable_.size(); }
  std::vector<std::string> unreadable_ids() const;
  // Whether all of them are still what they were; if not a listing brings them back to be read.
  bool are_unreadable_unchanged() const;
  std::size_t memory() const;

  // How many rows the last refresh() read, and how many must be read again next time.
  std::size_t read_count() const { return read_count_; }
  std::size_t unsure_count() const;

  // Takes over what an index file holds, to be verified by refresh(). Whether it fits together; if
  // not the table is of no use.
  bool map(std::shared_ptr<IndexFile> index);
  // Adds its sections to an index file; they live as long as the table stays as it is.
  void save(IndexWriter& writer, TextWriter& state);
  bool load_state(TextReader& state);
  // For a process that stays. Lets the index file go: what was mapped becomes the table's own.
  void own();
  bool is_own() const { return is_own_ && !index_; }

 private:
  struct Unreadable {
    Issue issue;
    StatKey key;
    bool sure = false;
  };
  // A formula column with its values.
  struct FilledColumn {
    ComputedValues values;
    std::vector<std::uint32_t> codes;  // until the table may be changed; then they are the table's
    expression::Date now;
    std::int64_t day = 0;
    std::uint64_t number = 0;
  };
  // Of more rows than this all that is kept is made again, which costs no more.
  static constexpr std::size_t few_rows_followed = 1000;
  struct FormulaSlot {
    std::unique_ptr<FilledColumn> owned;
    std::atomic<FilledColumn*> filled = nullptr;
  };
  struct StatPass;  // one pass of looking
  struct Work;      // one pass of reading

  std::string_view relative_path(const RowFacts& facts) const {
    return {paths_.span().data() + facts.path, facts.path_length};
  }
  RowFacts place_path(std::string_view path, RowFacts facts);
  bool is_id_of_unreadable(const std::vector<std::string>& paths) const;
  void insert_rows(const std::vector<std::string>& paths);
  Result<void> add_stale(StatPass& pass, std::uint32_t first, std::uint32_t end) const;
  void take_file(Work& work, std::uint32_t row, const FileView& file);
  void join_workers(Work& work, const std::vector<std::uint32_t>& rows);
  void drop_what_is_no_row(std::span<const std::uint32_t> rows,
                           std::map<std::uint32_t, Issue>& problems);
  const FilledColumn* find_filled(std::size_t column) const {
    return slots_.empty() ? nullptr : slots_[column].filled.load(std::memory_order_acquire);
  }
  bool is_formula(std::size_t column) const {
    return !slots_.empty() && folder_->formulas().find(column) != nullptr;
  }
  void settle_formulas();
  void forget_formula(std::size_t column);
  bool compute_formulas(std::span<const FormulaColumn* const> formulas,
                        const std::vector<std::uint32_t>& rows);
  bool follow_formulas(const std::vector<std::uint32_t>& rows);
  void renumber();
  void change_version();
  // row_table_kept.cpp
  std::uint32_t rank_of_value(std::size_t column, const Field& field, const Rank& wanted) const;
  std::vector<std::uint32_t> codes_of(std::span<const std::uint32_t> rows) const;
  void follow(std::span<const std::uint32_t> rows, std::vector<std::uint32_t> before);
  void forget_kept_rows();
  Issue unreadable_issue(std::string_view path, const std::string& message) const;

  const FileSystem& files_;
  std::shared_ptr<const DatabaseFolder> folder_;
  Array<char> paths_;
  Array<RowFacts> facts_;
  std::vector<Array<std::uint32_t>> codes_;
  RowReader reader_;
  std::map<std::string, Unreadable, std::less<>> unreadable_;
  std::map<std::string, Unreadable, std::less<>> unreadable_before_;  // between listing and reading
  std::size_t read_count_ = 0;
  std::vector<std::string> unsettled_;
  bool names_are_odd_ = false;  // the last reading met a name that is not a file any more
  std::uint64_t version_ = 0;
  bool is_own_ = false;
  bool is_changed_ = false;  // and so is memory that lies in the index file
  mutable TableReaders readers_;
  mutable std::mutex kept_mutex_;                 // of ranks_, relations_ and counts_
  mutable std::vector<RankIndex> ranks_;          // by column; made when first asked for
  mutable std::vector<RelationCache> relations_;  // the same
  mutable std::vector<FormulaSlot> slots_;        // by column; none where there is no formula
  std::vector<std::uint32_t> no_codes_;           // of formula columns in an index file
  std::uint64_t numbering_ = 0;
  mutable CountCache counts_;
  mutable ResultCache matches_;
  mutable int name_lookups_ = 0;
  mutable std::optional<NameIndex> names_;  // made when first asked for
  mutable std::map<std::string, std::size_t, std::less<>>
      endings_;                       // the same: how many have which
  std::shared_ptr<IndexFile> index_;  // what the arrays may lie in
};

// An issue and a listed folder as an index file has them.
void put_issue(const Issue& issue, TextWriter& out);
Issue take_issue(TextReader& in);
void put_folder(const RowListing::Folder& folder, TextWriter& out);
RowListing::Folder take_folder(TextReader& in);

}  // namespace notesdb
