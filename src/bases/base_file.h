// BaseFile: an Obsidian `.base` file: which files a view shows, what is computed of them, and how.
//
//   filters: file.hasTag("book")          a statement, or {and|or|not: [...]}, nested
//   formulas: {left: pages - read}
//   properties: {formula.left: {displayName: To read}}
//   views:
//     - {type: table, name: Reading, order: [file.name, formula.left],
//        sort: [{property: due, direction: ASC}], limit: 10}
//
// Reading is patient: what cannot be used is an issue with its place, and the rest counts. Keys
// that are not known belong to other programs.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/error.h"
#include "core/result.h"
#include "expression/formulas.h"
#include "expression/syntax.h"

namespace notesdb::bases {

enum class FilterKind { statement, all, any, none };

struct Filter {
  FilterKind kind = FilterKind::statement;
  expression::Node tree{};  // of a statement
  bool is_readable = true;  // false: matches nothing
  std::vector<Filter> parts{};
};

enum class Direction { ascending, descending };

struct SortKey {
  std::string property;
  Direction direction = Direction::ascending;
};

struct View {
  std::string name;
  std::string type = "table";
  std::optional<Filter> filter{};
  std::vector<std::string> order{};
  std::vector<SortKey> sort{};
  std::optional<SortKey> group_by{};
  std::optional<std::int64_t> limit{};
  std::vector<std::pair<std::string, std::string>> summaries{};  // property and summary
};

struct BaseFile {
  std::optional<Filter> filter{};
  expression::Formulas formulas{};
  expression::Formulas summaries{};  // over `values`
  std::map<std::string, std::string, std::less<>> display_names{};
  std::vector<View> views{};
  std::vector<Issue> issues{};  // rule `base`; the path is the caller's to fill in

  // The view of this name, or the first; a base without views has one table. Fails with
  // invalid_argument, naming the views.
  Result<View> view(std::string_view name) const;
};

// Fails with malformed_file where the bytes are no YAML map.
Result<BaseFile> parse_base(std::string bytes);

// What a property id of `order`, `sort` or `groupBy` asks for: file.name, formula.x, note.y or y.
expression::Node property_tree(std::string_view id);

}  // namespace notesdb::bases
