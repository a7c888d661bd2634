// QueryPlan: a request bound to a schema: filter, order, page, and what the answer's rows show.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/date.h"
#include "core/error.h"
#include "core/result.h"
#include "core/schema.h"
#include "database/database.h"
#include "query/field.h"
#include "query/query.h"

namespace notesdb {

struct QueryPlan {
  Query query;
  std::vector<Field> shown;  // columns and pseudo-fields, without steps into values
  bool wants_body = false;
};

// Fills `plan` and returns everything that is wrong with the request; the plan counts only if that
// is nothing.
std::vector<Error> plan_query(const QueryRequest& request,
                              const Schema& schema,
                              const Clock& clock,
                              QueryPlan& plan);

// The same for those who want nothing else.
Result<std::shared_ptr<const QueryPlan>> make_plan(const QueryRequest& request,
                                                   const Schema& schema);

}  // namespace notesdb
