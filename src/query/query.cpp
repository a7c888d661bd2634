#include "query/query.h"

#include <numeric>

#include "query/scan.h"

namespace notesdb {

namespace {

// Every row in natural order: nothing to look at but the page itself.
Matches page_of_all(const Table& table, Page page) {
  Matches matches;
  matches.total = table.row_count();
  matches.rows.resize(page.held(matches.total));
  std::iota(matches.rows.begin(),
            matches.rows.end(),
            static_cast<std::uint32_t>(page.skipped(matches.total)));
  return matches;
}

}  // namespace

Result<Matches> run_query(const Table& table, const Query& query) {
  if (query.filter.empty() && query.order.empty()) return page_of_all(table, query.page);
  Result<std::vector<std::uint32_t>> found = matching_rows(table, query.filter);
  if (!found) return found.error();
  Matches matches;
  matches.total = found->size();
  Result<std::vector<std::uint32_t>> rows =
      sorted_page(table, query.order, *std::move(found), query.page);
  if (!rows) return rows.error();
  matches.rows = *std::move(rows);
  matches.notice = unknown_options_notice(query.filter);
  return matches;
}

}  // namespace notesdb
