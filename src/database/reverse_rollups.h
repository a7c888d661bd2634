// ReverseRollups: what a database's rollups with `from` compute of the rows of another database that
// name its rows.
//
//   people:  {id: open_points, type: rollup, from: stories.assignee, field: points, function: sum}
//
// A process that stays keeps for each of them which rows name whom. A question compares the codes of
// the two columns with those that it saw last: what rows that changed name, and named, is computed
// again, and nothing else. Where rows come or go all of it is made again.
//
// May be asked from several threads at once.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/column.h"
#include "core/result.h"
#include "core/value.h"
#include "note/link_names.h"
#include "query/table.h"

namespace notesdb {

// "stories.assignee" as the database and its column; both empty where it is not of this form.
struct RollupSource {
  std::string database;
  std::string column;
};
RollupSource source_of(std::string_view from);

// In place of a relation of another database: all notes that link to a row.
constexpr std::string_view from_backlinks = "_backlinks";

using ValuesByRow = std::unordered_map<std::string, Value>;

class ReverseRollups {
 public:
  // A column of the rows that point here, as a table has it. The same number means the same codes.
  struct SeenColumn {
    const Table* table = nullptr;
    std::size_t place = 0;
    std::uint64_t number = 0;
  };
  struct Source {
    const Column* relation = nullptr;
    SeenColumn relations;
    // Without a table: the ids of the rows where `field` is _id, else nothing.
    SeenColumn field;
  };
  // Which rows there are to be named, for links that name them otherwise than by their ids.
  struct Targets {
    std::uint64_t number = 0;
    std::function<bool(const std::string&)> has;
    std::function<void(LinkNames&)> add_all;
  };
  // By row id; a row that nobody names is left out.
  std::shared_ptr<const ValuesByRow> values(const Column& declared,
                                            const Source& source,
                                            const Targets& targets);

 private:
  class PointingRows;
  std::mutex mutex_;
  std::map<std::string, std::shared_ptr<PointingRows>> kept_;  // by column
};

}  // namespace notesdb
