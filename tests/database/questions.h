// Questions that tests ask a database, and the ids that are found.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <catch2/catch.hpp>

#include "database/database.h"
#include "database/made_workspace.h"

namespace notesdb {

inline std::vector<std::string> ids(const Result<QueryAnswer>& answer) {
  INFO((answer ? "" : answer.error().message));
  REQUIRE(answer);
  std::vector<std::string> found;
  for (const Row& row : answer->rows)
    found.push_back(row.id);
  return found;
}

inline QueryRequest where(std::string_view field, std::string_view operation, Value value) {
  QueryRequest request;
  request.filters = List{triple(field, operation, std::move(value))};
  return request;
}

}  // namespace notesdb
