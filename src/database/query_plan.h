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
#include "index/database_folder.h"
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

// PlanCache: how the requests that were asked last are bound to the schema, for a process that
// stays and is asked the same again.
//
// A plan follows from the request and the schema alone. So all are forgotten when the schema file
// has been read again, and none is kept of a request that may count from the clock (due < today+7d),
// nor of one that is long or wrong.
//
// Nothing here locks.

class PlanCache {
 public:
  using Folder = std::shared_ptr<const DatabaseFolder>;
  using Plan = std::shared_ptr<const QueryPlan>;

  // The plan for the database's own columns. Fails with everything that is wrong.
  Result<Plan> of(const QueryRequest& request, const Folder& folder);

 private:
  struct Kept {
    QueryRequest request;
    Plan plan;
  };
  Folder folder_;  // whose schema the plans are bound to
  std::vector<Kept> plans_;
};

}  // namespace notesdb
