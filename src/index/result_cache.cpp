#include "index/result_cache.h"

#include <algorithm>

#include "core/budget.h"
#include "query/scan.h"

namespace notesdb {

namespace {

constexpr std::size_t max_questions = 16;
constexpr std::size_t max_lists_of_all = 4;
// For all rows that changed since the last question.
constexpr std::chrono::milliseconds max_following{50};

bool is_kept_field(const Field& field) {
  return field.source == Field::Source::column || field.source == Field::Source::id;
}

// Whether the codes of a row and its id decide, so that a row that is not read again stays where it
// is.
bool is_keepable(const Table& table, const Query& query) {
  const bool by_columns = std::ranges::all_of(query.filter.all, [](const AnyOf& group) {
    return std::ranges::all_of(group, is_kept_field, &Condition::field);
  });
  return by_columns && std::ranges::all_of(query.order, [&](const SortBy& by) {
           return by.field.source == Field::Source::id ||
                  !FieldValues(table, by.field).rank_index().empty();
         });
}

// Which of two rows comes first, by the ranks that the table keeps.
class RowOrder {
 public:
  RowOrder(const Table& table, const Order& order) {
    for (const SortBy& by : order) {
      const FieldValues values(table, by.field);
      keys_.push_back({values.codes(), values.rank_index(), by.direction});
    }
  }

  bool operator()(std::uint32_t a, std::uint32_t b) const {
    for (const Key& key : keys_) {
      const std::uint32_t first = key.rank(a);
      const std::uint32_t second = key.rank(b);
      if (first != second) return (first < second) == (key.direction == Direction::ascending);
    }
    return a < b;
  }

 private:
  struct Key {
    std::span<const std::uint32_t> codes;  // empty: by row id, which is by number
    std::span<const std::uint32_t> ranks;
    Direction direction;

    std::uint32_t rank(std::uint32_t row) const { return codes.empty() ? row : ranks[codes[row]]; }
  };
  std::vector<Key> keys_;
};

bool holds(const Table& table, const Condition& condition, std::uint32_t row) {
  const FieldValues values(table, condition.field);
  if (!values.coded()) return condition.holds(Value(table.row_id(row)), Fit::fits);
  const std::uint32_t code = values.codes()[row];
  return condition.holds(values.of_code(code), values.fits(code) ? Fit::fits : Fit::does_not_fit);
}

bool passes(const Table& table, const Filter& filter, std::uint32_t row) {
  return std::ranges::all_of(filter.all, [&](const AnyOf& group) {
    return std::ranges::any_of(
        group, [&](const Condition& condition) { return holds(table, condition, row); });
  });
}

}  // namespace

Result<Matches> ResultCache::answer(const Table& table, const Query& query) {
  if (query.filter.empty() && query.order.empty()) return run_query(table, query);
  if (auto kept = page_of_kept(query)) return *std::move(kept);
  if (!is_asked_again(table, query)) return run_query(table, query);
  auto matches = matching_rows(table, query.filter);
  if (!matches) return matches.error();
  const Page all{0, matches->size()};
  const auto rows = sorted_page(table, query.order, *std::move(matches), all);
  if (!rows) return rows.error();
  keep(table, query, *rows);
  return page_of(query, *rows);
}

std::optional<Matches> ResultCache::page_of_kept(const Query& query) {
  const std::lock_guard guard(mutex_);
  const Question* const question = find(query);
  if (question == nullptr || !question->is_listed) return std::nullopt;
  return page_of(query, question->rows);
}

// Whether a question was asked before; one that was not and can be kept is noted.
bool ResultCache::is_asked_again(const Table& table, const Query& query) {
  {
    const std::lock_guard guard(mutex_);
    if (find(query) != nullptr) return true;
  }
  if (!is_keepable(table, query)) return false;
  const std::lock_guard guard(mutex_);
  if (find(query) != nullptr) return true;
  if (questions_.size() == max_questions) questions_.pop_back();
  questions_.insert(questions_.begin(), {query.filter, query.order, false, {}});
  return false;
}

void ResultCache::keep(const Table& table,
                       const Query& query,
                       const std::vector<std::uint32_t>& rows) {
  const std::lock_guard guard(mutex_);
  Question* const question = find(query);
  if (question == nullptr) return;
  question->rows = rows;
  question->is_listed = true;
  make_room(max_lists_of_all * table.row_count());
}

Matches ResultCache::page_of(const Query& query, const std::vector<std::uint32_t>& rows) {
  Matches matches;
  matches.total = rows.size();
  const auto begin = rows.begin() + static_cast<std::ptrdiff_t>(query.page.skipped(rows.size()));
  matches.rows.assign(begin, begin + static_cast<std::ptrdiff_t>(query.page.held(rows.size())));
  matches.notice = unknown_options_notice(query.filter);
  return matches;
}

// Brings it to the front.
ResultCache::Question* ResultCache::find(const Query& query) {
  const auto found = std::ranges::find_if(questions_, [&](const Question& question) {
    return question.filter == query.filter && question.order == query.order;
  });
  if (found == questions_.end()) return nullptr;
  std::rotate(questions_.begin(), found, found + 1);
  return &questions_.front();
}

void ResultCache::make_room(std::size_t max_rows) {
  std::size_t rows = 0;
  const auto fits = [&](const Question& question) {
    return (rows += question.rows.size()) <= max_rows;
  };
  const auto first_too_many = std::ranges::find_if_not(questions_, fits);
  questions_.erase(first_too_many, questions_.end());
}

void ResultCache::take_out(const Table& table, std::span<const std::uint32_t> rows) {
  for (Question& question : questions_) {
    const RowOrder before(table, question.order);
    for (const std::uint32_t row : rows) {
      const auto at = std::ranges::lower_bound(question.rows, row, before);
      if (at != question.rows.end() && *at == row) question.rows.erase(at);
    }
  }
}

// Whoever asks next waits for this.
void ResultCache::put_in(const Table& table, std::span<const std::uint32_t> rows) {
  const Budget budget({.time = max_following});
  std::erase_if(questions_, [&](Question& question) {
    try {
      if (question.is_listed) put_in(table, rows, question);
      return false;
    } catch (const BudgetSpent&) {
      return true;
    }
  });
}

void ResultCache::put_in(const Table& table,
                         std::span<const std::uint32_t> rows,
                         Question& question) {
  const RowOrder before(table, question.order);
  for (const std::uint32_t row : rows) {
    Budget::look();
    if (!passes(table, question.filter, row)) continue;
    question.rows.insert(std::ranges::lower_bound(question.rows, row, before), row);
  }
}

std::size_t ResultCache::memory() const {
  std::size_t bytes = 0;
  for (const Question& question : questions_)
    bytes += question.rows.capacity() * sizeof(std::uint32_t);
  return bytes;
}

std::span<const std::uint32_t> CountCache::of(const Table& table, std::size_t column) {
  std::vector<std::uint32_t>& counts = counts_[column];
  const bool is_new = counts.empty();
  counts.resize(table.value_count(column) + std::size_t{1});
  if (is_new) {
    for (const std::uint32_t code : table.codes(column))
      ++counts[code];
  }
  return counts;
}

void CountCache::take_out(const Table& table, std::span<const std::uint32_t> rows) {
  for (auto& [column, counts] : counts_) {
    const auto codes = table.codes(column);
    for (const std::uint32_t row : rows)
      --counts[codes[row]];
  }
}

void CountCache::put_in(const Table& table, std::span<const std::uint32_t> rows) {
  for (auto& [column, counts] : counts_) {
    counts.resize(table.value_count(column) + std::size_t{1});
    const auto codes = table.codes(column);
    for (const std::uint32_t row : rows)
      ++counts[codes[row]];
  }
}

std::size_t CountCache::memory() const {
  std::size_t bytes = 0;
  for (const auto& [column, counts] : counts_)
    bytes += counts.capacity() * sizeof(std::uint32_t);
  return bytes;
}

}  // namespace notesdb
