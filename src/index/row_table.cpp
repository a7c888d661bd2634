#include "index/row_table.h"

#include <algorithm>
#include <atomic>
#include <charconv>
#include <mutex>
#include <numeric>
#include <utility>

#include "core/text.h"
#include "core/threads.h"
#include "files/file_system.h"
#include "files/names.h"
#include "index/natural_sort.h"
#include "index/row_files.h"

namespace notesdb {

namespace {

constexpr std::uint32_t rows_worth_a_thread = 2000;
// Looking at a row takes 60 bytes beside the table.
constexpr std::uint32_t rows_at_once = 32768;

std::string why_unreadable(ReadState state) {
  if (state == ReadState::too_large) return "the file is larger than 16 MiB and is not read";
  return "the file cannot be read";
}

}  // namespace

// What two workers share while they read, each writing only to the rows of its own files.
struct RowTable::Work {
  std::int64_t begun_at = clock_ns();
  std::optional<RowReader> second;  // made when a second worker reads
  RowCodes scratch[reading_threads];
  std::vector<std::uint32_t> by_second;  // rows that the second worker read
  std::mutex mutex;
  std::map<std::uint32_t, Issue> problems;  // by row
  std::vector<std::string> unsettled;
  bool names_are_odd = false;
};

RowTable::RowTable(const FileSystem& files, std::shared_ptr<const DatabaseFolder> folder)
    : files_(files),
      folder_(std::move(folder)),
      codes_(folder_->schema().columns.size()),
      reader_(folder_->schema()),
      slots_(folder_->formulas().empty() ? 0 : codes_.size()) {
  renumber();
  change_version();
}

RowFacts RowTable::place_path(std::string_view path, RowFacts facts) {
  facts.path = static_cast<std::uint32_t>(paths_.size());
  facts.path_length = static_cast<std::uint16_t>(path.size());
  const RowIdText id = folder_->names().id_of(path);
  facts.id_length = static_cast<std::uint16_t>(std::string_view(id).size());
  paths_.append(path);
  paths_.push_back('\0');
  if (id.is_made()) {
    facts.id_length |= RowFacts::id_is_apart;
    paths_.append(std::string_view(id));
    paths_.push_back('\0');
  }
  return facts;
}

void RowTable::take_listing(const RowListing& listing) {
  settle_formulas();
  forget_kept_rows();
  renumber();
  change_version();
  names_.reset();
  endings_.clear();
  // A second listing may come before anything is read; what is known of the first stays known.
  unreadable_.merge(unreadable_before_);
  unreadable_before_ = std::exchange(unreadable_, {});
  const Array<char> old_paths = std::move(paths_);
  const Array<RowFacts> old_facts = std::move(facts_);
  const auto old_codes = std::move(codes_);
  paths_ = {};
  facts_ = {};
  facts_.reserve(listing.paths.size());
  codes_ = std::vector<Array<std::uint32_t>>(old_codes.size());
  const std::vector<std::uint32_t> missing(listing.paths.size());
  for (auto& column : codes_)
    column.append(missing);
  std::size_t old = 0;
  const auto old_path = [&] {
    return std::string_view(old_paths.span().data() + old_facts[old].path,
                            old_facts[old].path_length);
  };
  const auto& names = folder_->names();
  for (const std::string& path : listing.paths) {
    while (old < old_facts.size() && old_path() != path &&
           compare_natural(names.id_of(old_path()), names.id_of(path)) <= 0) {
      ++old;
    }
    const bool known = old < old_facts.size() && old_path() == path;
    const auto unreadable = unreadable_before_.find(path);
    RowFacts facts = known ? old_facts[old] : RowFacts{};
    if (unreadable != unreadable_before_.end()) {
      facts.state = RowFacts::State::unreadable;
      facts.key = unreadable->second.key;
      facts.sure = unreadable->second.sure;
    }
    facts_.push_back(place_path(path, facts));
    if (!known) continue;
    for (std::size_t column = 0; column < codes_.size(); ++column)
      codes_[column][row_count() - 1] = old_codes[column][old];
    ++old;
  }
}

Result<void> RowTable::refresh() {
  auto stale = find_stale();
  if (!stale) return stale.error();
  return read_rows(*stale);
}

// What is learnt of some rows at a time, in memory that the next ones use again.
struct RowTable::StatPass {
  std::vector<std::uint32_t> known;
  std::vector<const char*> names;
  std::vector<FileStat> stats;
  std::vector<std::uint32_t> stale;  // of all rows, ascending
};

Result<std::vector<std::uint32_t>> RowTable::find_stale() const {
  StatPass pass;
  // Of what was gone through only the few rows that are shown are read from the index file again.
  const bool is_given_back = index_ && !is_changed_;
  for (std::uint32_t begin = 0; begin < row_count(); begin += rows_at_once) {
    const std::uint32_t end = std::min(row_count(), begin + rows_at_once);
    const auto done = add_stale(pass, begin, end);
    if (!done) return done.error();
    if (is_given_back) index_->give_back(facts_.span().subspan(begin, end - begin));
  }
  if (is_given_back) index_->give_back(paths_.span());
  return std::move(pass.stale);
}

Result<void> RowTable::add_stale(StatPass& pass, std::uint32_t first, std::uint32_t end) const {
  auto& [known, names, stats, stale] = pass;
  const auto before = static_cast<std::ptrdiff_t>(stale.size());
  known.resize(end - first);
  names.resize(end - first);
  std::size_t count = 0;
  bool is_flat = true;
  for (std::uint32_t row = first; row < end; ++row) {
    const RowFacts& facts = facts_[row];
    if (facts.state == RowFacts::State::unread || !facts.sure) {
      stale.push_back(row);
    } else {
      known[count] = row;
      names[count++] = paths_.span().data() + facts.path;
      is_flat = is_flat && relative_path(facts).find('/') == std::string_view::npos;
    }
  }
  known.resize(count);
  names.resize(count);
  stats.assign(count, {});
  const bool is_done = is_flat && files_.stat_all(folder_->id(), names, stats);
  if (!is_done) {
    const auto done = stat_row_files(files_, folder_->id(), names, stats);
    if (!done) return done.error();
  }
  const auto unknown_end = static_cast<std::ptrdiff_t>(stale.size());
  for (std::size_t i = 0; i < known.size(); ++i) {
    const bool same = stats[i].kind == FileKind::regular && stats[i].key == facts_[known[i]].key;
    if (!same) stale.push_back(known[i]);
  }
  std::inplace_merge(stale.begin() + before, stale.begin() + unknown_end, stale.end());
  return {};
}

Result<void> RowTable::read_rows(const std::vector<std::uint32_t>& rows) {
  read_count_ = rows.size();
  is_changed_ = is_changed_ || !rows.empty();
  settle_formulas();
  // Of more rows than this all that is kept is made again, which costs no more.
  std::vector<Etag> etags;
  for (const std::uint32_t row :
       std::span(rows).first(std::min<std::size_t>(rows.size(), few_rows_followed)))
    etags.push_back(facts_[row].etag);
  const bool is_kept = !counts_.empty() || !matches_.empty();
  const bool is_followed = is_kept && rows.size() <= few_rows_followed;
  std::vector<std::uint32_t> before = is_followed ? codes_of(rows) : std::vector<std::uint32_t>();
  Work work;
  std::vector<const char*> names;
  names.reserve(rows.size());
  for (const std::uint32_t row : rows)
    names.push_back(paths_.span().data() + facts_[row].path);
  const auto take = [&](const FileView& file) { take_file(work, rows[file.index], file); };
  if (auto done = read_row_files(files_, folder_->id(), names, take); !done) return done;
  join_workers(work, rows);
  unsettled_ = std::move(work.unsettled);
  names_are_odd_ = work.names_are_odd;
  const bool all_rows = std::all_of(rows.begin(), rows.end(), [&](std::uint32_t row) {
    return facts_[row].state == RowFacts::State::row;
  });
  if (follow_formulas(rows) && is_followed && all_rows) {
    follow(rows, std::move(before));
  } else if (!rows.empty()) {
    forget_kept_rows();
  }
  bool are_same = all_rows && etags.size() == rows.size();
  for (std::size_t i = 0; i < rows.size() && are_same; ++i)
    are_same = facts_[rows[i]].etag == etags[i];
  if (!are_same) change_version();
  if (!unreadable_before_.empty()) {
    std::vector<std::uint32_t> all(row_count());
    std::iota(all.begin(), all.end(), 0U);
    drop_what_is_no_row(all, work.problems);
  } else if (!all_rows) {
    drop_what_is_no_row(rows, work.problems);
  }
  return {};
}

void RowTable::change_version() {
  static std::atomic<std::uint64_t> last{0};
  version_ = ++last;
}

void RowTable::take_file(Work& work, std::uint32_t row, const FileView& file) {
  RowFacts& facts = facts_[row];
  const bool was_row = facts.state == RowFacts::State::row;
  facts.sure = file.state == ReadState::whole && is_sure(file.key, work.begun_at);
  if (file.state == ReadState::missing || file.state == ReadState::not_regular) {
    facts.state = RowFacts::State::gone;
    if (file.state == ReadState::missing) return;
    const std::lock_guard guard(work.mutex);
    work.names_are_odd = true;
    return;
  }
  const auto fail = [&](const std::string& message) {
    facts.state = RowFacts::State::unreadable;
    facts.key = file.key;
    const std::lock_guard guard(work.mutex);
    work.problems.emplace(row, unreadable_issue(relative_path(facts), message));
  };
  if (file.state == ReadState::too_large || file.state == ReadState::failed) {
    return fail(why_unreadable(file.state));
  }
  // Half of a save is no news: the last whole reading stands until the file rests.
  const bool is_half =
      !facts.sure && (file.bytes.empty() || file.state == ReadState::being_written);
  if (is_half) {
    const std::lock_guard guard(work.mutex);
    work.unsettled.emplace_back(relative_path(facts));
  }
  if (was_row && is_half) return;
  if (file.worker != 0 && !work.second) work.second.emplace(folder_->schema());
  RowReader& reader = file.worker == 0 ? reader_ : *work.second;
  RowCodes& found = work.scratch[file.worker];
  if (const auto error = reader.read(file.bytes, note_format_of(relative_path(facts)), found)) {
    return fail(error->message);
  }
  facts.state = RowFacts::State::row;
  facts.key = file.key;
  facts.etag = file.etag;
  facts.keys = found.keys;
  facts.broken = static_cast<std::uint16_t>(std::min<std::uint32_t>(found.broken, 0xFFFF));
  for (std::size_t column = 0; column < codes_.size(); ++column) {
    if (!is_formula(column)) codes_[column][row] = found.codes[column];
  }
  if (file.worker != 0) work.by_second.push_back(row);
}

// The second worker counted with codes of its own; they become the table's here.
void RowTable::join_workers(Work& work, const std::vector<std::uint32_t>& rows) {
  if (work.by_second.empty()) return;
  std::atomic<std::size_t> next{0};
  const auto join_columns = [&] {
    for (std::size_t column = next++; column < codes_.size(); column = next++) {
      if (is_formula(column)) continue;
      const auto codes = reader_.absorb_column(*work.second, column);
      for (const std::uint32_t row : work.by_second)
        codes_[column][row] = codes[codes_[column][row]];
    }
  };
  if (rows.size() < rows_worth_a_thread) {
    join_columns();
  } else {
    Beside other(join_columns);
    join_columns();
    other.join();
  }
  const auto keys = reader_.absorb_key_lists(*work.second);
  for (const std::uint32_t row : work.by_second)
    facts_[row].keys = keys[facts_[row].keys];
}

// Of these rows; others are rows.
void RowTable::drop_what_is_no_row(std::span<const std::uint32_t> rows,
                                   std::map<std::uint32_t, Issue>& problems) {
  std::vector<std::uint32_t> dropped;
  for (const std::uint32_t row : rows) {
    const RowFacts& facts = facts_[row];
    if (facts.state == RowFacts::State::row) continue;
    dropped.push_back(row);
    if (names_) names_->remove(row_id(row));
    if (!endings_.empty()) --endings_.find(ending_of(relative_path(row)))->second;
    if (facts.state != RowFacts::State::unreadable) continue;
    const std::string path(relative_path(facts));
    const auto problem = problems.find(row);
    const auto before = unreadable_before_.find(path);
    Issue issue = problem != problems.end() ? problem->second : before->second.issue;
    unreadable_.insert_or_assign(path, Unreadable{std::move(issue), facts.key, facts.sure});
  }
  if (!dropped.empty()) renumber();
  facts_.take_out(dropped);
  for (auto& column : codes_)
    column.take_out(dropped);
  unreadable_before_.clear();
}

Issue RowTable::unreadable_issue(std::string_view path, const std::string& message) const {
  Issue issue;
  issue.path = folder_->full_path(path);
  issue.rule = "unreadable";
  issue.message = message;
  // The line that a note's error begins with is a place to go to.
  constexpr std::string_view prefix = "line ";
  const std::size_t colon = message.find(": ");
  if (message.starts_with(prefix) && colon != std::string::npos) {
    const char* const begin = message.data() + prefix.size();
    const char* const end = message.data() + colon;
    if (std::from_chars(begin, end, issue.line).ptr == end) issue.message.erase(0, colon + 2);
  }
  return issue;
}

std::uint32_t RowTable::value_count(std::size_t column) const {
  if (!is_formula(column)) return reader_.dictionary(column).size();
  const FilledColumn* filled = find_filled(column);
  return filled == nullptr ? 0 : filled->values.size();
}

Value RowTable::value(std::size_t column, std::uint32_t code) const {
  const FilledColumn* filled = find_filled(column);
  return filled != nullptr ? filled->values.value(code) : reader_.dictionary(column).value(code);
}

std::optional<PlainValue> RowTable::plain(std::size_t column, std::uint32_t code) const {
  if (is_formula(column)) return std::nullopt;
  return reader_.dictionary(column).plain(code);
}

bool RowTable::fits(std::size_t column, std::uint32_t code) const {
  const FilledColumn* filled = find_filled(column);
  return filled != nullptr ? filled->values.fits(code) : reader_.dictionary(column).fits(code);
}

std::string_view RowTable::row_id(std::uint32_t row) const {
  const RowFacts& facts = facts_[row];
  const char* path = paths_.span().data() + facts.path;
  if ((facts.id_length & RowFacts::id_is_apart) == 0) return {path, facts.id_length};
  const auto length = static_cast<std::uint16_t>(facts.id_length & ~RowFacts::id_is_apart);
  return {path + facts.path_length + 1, length};
}

std::string RowTable::path(std::uint32_t row) const {
  return folder_->full_path(relative_path(facts_[row]));
}

std::int64_t RowTable::modified(std::uint32_t row) const {
  return facts_[row].key.mtime_ns / 1'000'000'000;
}

Result<std::string> RowTable::body(std::uint32_t row) const {
  const std::string file = path(row);
  const auto bytes = files_.read(file);
  if (!bytes) return bytes.error();
  const auto front = split_front_matter(bytes->bytes, note_format_of(file));
  if (!front) return front.error();
  return to_utf8(std::string_view(bytes->bytes).substr(front->body_begin));
}

std::uint32_t RowTable::lower_bound(std::string_view id) const {
  std::uint32_t low = 0;
  std::uint32_t high = row_count();
  while (low < high) {
    const std::uint32_t middle = low + (high - low) / 2;
    if (compare_natural(row_id(middle), id) < 0) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

std::optional<std::uint32_t> RowTable::find(std::string_view id) const {
  const std::uint32_t row = lower_bound(id);
  if (row == row_count() || row_id(row) != id) return std::nullopt;
  return row;
}

std::vector<Issue> RowTable::unreadable() const {
  std::vector<Issue> issues;
  for (const auto& [path, unreadable] : unreadable_)
    issues.push_back(unreadable.issue);
  return issues;
}

std::vector<std::string> RowTable::unreadable_ids() const {
  std::vector<std::string> ids;
  for (const auto& [path, unreadable] : unreadable_)
    ids.emplace_back(std::string_view(folder_->names().id_of(path)));
  return ids;
}

bool RowTable::are_unreadable_unchanged() const {
  return std::all_of(unreadable_.begin(), unreadable_.end(), [&](const auto& one) {
    if (!one.second.sure) return false;
    const auto found = files_.stat(folder_->full_path(one.first));
    return found && found->kind == FileKind::regular && found->key == one.second.key;
  });
}

std::size_t RowTable::memory() const {
  std::size_t bytes = paths_.memory() + facts_.memory() + reader_.memory();
  for (const auto& column : codes_)
    bytes += column.memory();
  for (const FormulaSlot& slot : slots_)
    bytes += slot.owned ? slot.owned->values.memory() : 0;
  return bytes;
}

std::size_t RowTable::unsure_count() const {
  const auto facts = facts_.span();
  return static_cast<std::size_t>(
      std::count_if(facts.begin(), facts.end(), [](const RowFacts& row) { return !row.sure; }));
}

// How a table follows single files: those that the kernel says were touched, and those that a slow
// look finds changed; and the copy that a change is made in while questions read the table.

std::shared_ptr<RowTable> RowTable::copy() const {
  auto copied = std::make_shared<RowTable>(files_, folder_);
  copied->paths_ = paths_.copy();
  copied->facts_ = facts_.copy();
  for (std::size_t column = 0; column < codes_.size(); ++column)
    copied->codes_[column] = codes_[column].copy();
  copied->reader_ = reader_.copy(folder_->schema());
  copied->unreadable_ = unreadable_;
  copied->unreadable_before_ = unreadable_before_;
  copied->read_count_ = read_count_;
  copied->unsettled_ = unsettled_;
  copied->names_are_odd_ = names_are_odd_;
  copied->is_own_ = is_own_;
  copied->numbering_ = numbering_;
  copied->is_changed_ = true;  // its arrays do not lie in the index file
  copied->index_ = index_;
  copied->version_ = version_;
  const std::lock_guard guard(kept_mutex_);
  copied->ranks_ = ranks_;
  for (std::size_t column = 0; column < slots_.size(); ++column) {
    if (!slots_[column].owned) continue;
    FormulaSlot& slot = copied->slots_[column];
    slot.owned = std::make_unique<FilledColumn>(*slots_[column].owned);
    slot.filled = slot.owned.get();
  }
  copied->names_ = names_;
  copied->endings_ = endings_;
  return copied;
}

Result<bool> RowTable::update(std::vector<std::string> paths) {
  const RowNames& names = folder_->names();
  std::vector<std::string> added;
  std::vector<std::uint32_t> rows;
  for (const std::string& path : paths) {
    unreadable_.erase(path);
    const auto row = find(names.id_of(path));
    if (row && relative_path(facts_[*row]) != path) return false;  // two files of one id
    if (row) {
      rows.push_back(*row);
      continue;
    }
    const auto found = files_.stat(folder_->full_path(path));
    if (!found) return false;
    if (found->kind == FileKind::missing) continue;
    if (found->kind != FileKind::regular) return false;
    added.push_back(path);
  }
  if (!added.empty()) {
    sort_naturally(names, added);
    const auto same_id = [&](const std::string& a, const std::string& b) {
      return names.id_of(a) == names.id_of(b);
    };
    if (std::adjacent_find(added.begin(), added.end(), same_id) != added.end()) return false;
    if (is_id_of_unreadable(added)) return false;
    insert_rows(added);
    rows.clear();
    for (const std::string& path : paths) {
      if (const auto row = find(names.id_of(path))) rows.push_back(*row);
    }
  }
  std::sort(rows.begin(), rows.end());
  if (auto done = read_rows(rows); !done) return done.error();
  return !names_are_odd_;
}

// Where a file that cannot be read has the id of another, a listing says which of them is the row.
bool RowTable::is_id_of_unreadable(const std::vector<std::string>& paths) const {
  const RowNames& names = folder_->names();
  return std::ranges::any_of(unreadable_, [&](const auto& unreadable) {
    const RowIdText id = names.id_of(unreadable.first);
    return std::ranges::any_of(paths, [&](const auto& path) { return names.id_of(path) == id; });
  });
}

void RowTable::insert_rows(const std::vector<std::string>& paths) {
  if (paths.empty()) return;
  std::vector<std::uint32_t> places;
  for (const std::string& path : paths)
    places.push_back(lower_bound(folder_->names().id_of(path)));
  settle_formulas();
  forget_kept_rows();
  renumber();
  facts_.spread(places);
  for (auto& column : codes_)
    column.spread(places);
  for (std::size_t i = 0; i < paths.size(); ++i)
    facts_[places[i] + i] = place_path(paths[i], RowFacts{});
  for (const std::string& path : paths) {
    if (names_) names_->add(folder_->names().id_of(path));
    if (!endings_.empty()) ++endings_[std::string(ending_of(path))];
  }
  change_version();
}

RowLook RowTable::look_at(std::uint32_t first, std::uint32_t count) const {
  RowLook look;
  const auto from = facts_.span().subspan(std::min(first, row_count()));
  for (const RowFacts& facts : from.first(std::min<std::size_t>(count, from.size()))) {
    if (facts.sure) {
      look.add(relative_path(facts), facts.key);
    } else {
      look.add_unsure(relative_path(facts));
    }
  }
  return look;
}

std::vector<std::string> RowTable::stale_unreadable() const {
  std::vector<std::string> paths;
  for (const auto& [path, unreadable] : unreadable_) {
    const auto found = files_.stat(folder_->full_path(path));
    const bool same = unreadable.sure && found && found->kind == FileKind::regular &&
                      found->key == unreadable.key;
    if (!same) paths.push_back(path);
  }
  return paths;
}

bool RowTable::is_worn() const {
  constexpr std::size_t few = 1000;
  for (std::size_t column = 0; column < codes_.size(); ++column) {
    if (value_count(column) > std::size_t{2} * row_count() + few) return true;
  }
  std::size_t used = 0;
  for (const RowFacts& facts : facts_.span())
    used += facts.path_length + std::size_t{1};
  return paths_.size() > 2 * used + few;
}

namespace {

void put_key(const StatKey& key, TextWriter& out) {
  out.put(static_cast<std::int64_t>(key.size));
  out.put(key.mtime_ns);
  out.put(key.ctime_ns);
  out.put(static_cast<std::int64_t>(key.inode));
  out.put(static_cast<std::int64_t>(key.device));
}

StatKey take_key(TextReader& in) {
  StatKey key;
  key.size = static_cast<std::uint64_t>(in.number());
  key.mtime_ns = in.number();
  key.ctime_ns = in.number();
  key.inode = static_cast<std::uint64_t>(in.number());
  key.device = static_cast<std::uint64_t>(in.number());
  return key;
}

}  // namespace

bool RowTable::map(std::shared_ptr<IndexFile> index) {
  paths_ = Array<char>(index->values<char>(IndexSection::paths));
  facts_ = Array<RowFacts>(index->values<RowFacts>(IndexSection::facts));
  for (std::size_t column = 0; column < codes_.size(); ++column) {
    codes_[column] =
        Array<std::uint32_t>(index->values<std::uint32_t>(IndexSection::codes, column));
    if (codes_[column].size() != facts_.size()) return false;
  }
  index_ = std::move(index);
  return reader_.map(*index_);
}

void RowTable::save(IndexWriter& writer, TextWriter& state) {
  writer.add(IndexSection::paths, 0, paths_.span());
  writer.add(IndexSection::facts, 0, facts_.span());
  // What is computed is worked out again by whoever maps the file.
  if (!slots_.empty()) no_codes_.assign(row_count(), 0);
  for (std::size_t column = 0; column < codes_.size(); ++column) {
    const auto codes =
        is_formula(column) ? std::span<const std::uint32_t>(no_codes_) : codes_[column].span();
    writer.add(IndexSection::codes, column, codes);
  }
  reader_.save(writer);
  state.put(static_cast<std::int64_t>(unreadable_.size()));
  for (const auto& [path, unreadable] : unreadable_) {
    state.put(std::string_view(path));
    put_key(unreadable.key, state);
    state.put(std::int64_t{unreadable.sure});
    put_issue(unreadable.issue, state);
  }
}

bool RowTable::load_state(TextReader& state) {
  const std::int64_t count = state.number();
  for (std::int64_t i = 0; i < count && state.is_whole(); ++i) {
    const std::string path = state.text();
    Unreadable unreadable;
    unreadable.key = take_key(state);
    unreadable.sure = state.number() != 0;
    unreadable.issue = take_issue(state);
    unreadable_.emplace(path, std::move(unreadable));
  }
  return state.is_whole();
}

void RowTable::own() {
  is_own_ = true;
  if (!index_) return;
  paths_.own();
  facts_.own();
  for (auto& column : codes_)
    column.own();
  reader_.own();
  index_.reset();
}

void put_issue(const Issue& issue, TextWriter& out) {
  out.put(std::string_view(issue.path));
  out.put(std::int64_t{issue.line});
  out.put(std::int64_t{issue.column});
  out.put(std::int64_t{issue.severity == Severity::warning});
  out.put(std::string_view(issue.rule));
  out.put(std::string_view(issue.message));
  out.put(std::string_view(issue.field));
}

Issue take_issue(TextReader& in) {
  Issue issue;
  issue.path = in.text();
  issue.line = static_cast<std::uint32_t>(in.number());
  issue.column = static_cast<std::uint32_t>(in.number());
  issue.severity = in.number() != 0 ? Severity::warning : Severity::error;
  issue.rule = in.text();
  issue.message = in.text();
  issue.field = in.text();
  return issue;
}

void put_folder(const RowListing::Folder& folder, TextWriter& out) {
  out.put(std::string_view(folder.path));
  put_key(folder.key, out);
}

RowListing::Folder take_folder(TextReader& in) {
  RowListing::Folder folder;
  folder.path = in.text();
  folder.key = take_key(in);
  return folder;
}

}  // namespace notesdb
