// ResultCache: the rows that pass a filter, in their order, remembered from one question to the
// next.
//
//   status = done, estimate >= 3; by due    ->    rows 417 12 90341 ...
//
// A process that stays is asked the same over and over. A question about columns that is asked a
// second time is kept as the list of its rows; from then on total is the length of the list and any
// page a piece of it. A row that changed leaves each list and joins it where it belongs now.
//
// Answers are those of run_query; answer() may be called from several threads, and none waits for
// what another computes. A filter that takes too long for a row that changed is forgotten. A few
// questions are kept, those that were asked last, with fewer rows between them than four times the
// rows of the table: 16 bytes a row.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

#include "core/result.h"
#include "query/query.h"
#include "query/table.h"

namespace notesdb {

class ResultCache {
 public:
  Result<Matches> answer(const Table& table, const Query& query);

  // Rows are about to change, the table still as it was; they have changed. Never two of these in a
  // row, and the same rows for both.
  void take_out(const Table& table, std::span<const std::uint32_t> rows);
  void put_in(const Table& table, std::span<const std::uint32_t> rows);
  // Rows have come or gone, so that others have their numbers.
  void forget() { questions_.clear(); }

  bool empty() const { return questions_.empty(); }
  std::size_t memory() const;

 private:
  struct Question {
    Filter filter;
    Order order;
    bool is_listed = false;
    std::vector<std::uint32_t> rows;
  };
  Question* find(const Query& query);
  std::optional<Matches> page_of_kept(const Query& query);
  bool is_asked_again(const Table& table, const Query& query);
  void keep(const Table& table, const Query& query, const std::vector<std::uint32_t>& rows);
  static Matches page_of(const Query& query, const std::vector<std::uint32_t>& rows);
  static void put_in(const Table& table, std::span<const std::uint32_t> rows, Question& question);
  void make_room(std::size_t max_rows);

  std::mutex mutex_;
  std::vector<Question> questions_;  // the one that was asked last in front
};

// CountCache: how many rows have each value of a column, remembered from one question to the next.
//
// A process that stays counts a column once; a row that changes is taken off one value and added to
// another. So `count by status` costs a look at each status, whatever the number of rows.

class CountCache {
 public:
  // By code, 0 for missing; of all codes that the table has now (Table::counts).
  std::span<const std::uint32_t> of(const Table& table, std::size_t column);

  // As ResultCache has them.
  void take_out(const Table& table, std::span<const std::uint32_t> rows);
  void put_in(const Table& table, std::span<const std::uint32_t> rows);
  void forget() { counts_.clear(); }

  bool empty() const { return counts_.empty(); }
  std::size_t memory() const;

 private:
  std::map<std::size_t, std::vector<std::uint32_t>> counts_;  // by column, then by code
};

}  // namespace notesdb
