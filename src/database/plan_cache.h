// Kept plans: how the requests that were asked last are bound to the schema, for a process that
// stays and is asked the same again.
//
// A plan follows from the request and the schema alone. So all are forgotten when the schema file
// has been read again, and none is kept of a request that may count from the clock (due < today+7d),
// nor of one that is long or wrong.
//
// Nothing here locks.
#pragma once

#include <memory>
#include <vector>

#include "core/result.h"
#include "database/database.h"
#include "database/query_plan.h"
#include "index/database_folder.h"

namespace notesdb {

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
