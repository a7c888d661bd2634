// Query: which rows of a table pass a filter, in which order, which part of them.
//
//   Result<Filter> filter = parse_filter(filters, schema, clock);
//   Result<Order> order = parse_order(sort, schema);
//   Result<Matches> matches = run_query(table, {*filter, *order, page});
//
// Pure: the same table and question give the same answer. Pages laid end to end are the whole,
// since ties are broken by the natural order of row ids.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/result.h"
#include "query/filter.h"
#include "query/order.h"
#include "query/page.h"
#include "query/table.h"

namespace notesdb {

struct Query {
  Filter filter;
  Order order;
  Page page;
};

struct Matches {
  std::uint64_t total = 0;          // all that pass the filter, before paging; always exact
  std::vector<std::uint32_t> rows;  // row numbers of the page, in order
  std::string notice;               // why nothing was found, where the filter explains it
};

// Fails only if a body that the question needs cannot be read.
Result<Matches> run_query(const Table& table, const Query& query);

}  // namespace notesdb
