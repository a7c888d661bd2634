// Schema reader: the fields of a schema's note as a Schema, with an issue for whatever is not
// usable. One reader reads one schema.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/issue.h"
#include "core/schema.h"
#include "note/note.h"

namespace notesdb {

class SchemaReader {
 public:
  Schema read(const Note& note);
  // What is wrong, rule `schema`.
  std::vector<Issue>& issues() { return issues_; }

 private:
  void read_columns(const Node& columns);
  void read_column(const Node& node);
  void read_date_keys(Column& column, const Node& node);
  void read_decimals(Column& column, const Node& node);
  void read_default(Column& column, const Node& node);
  void check_column(const Column& column, const Node& node);
  void read_views(const Node& views);
  void read_templates(const Node& templates);
  void read_row_id(const Node& node);
  void read_rows(const Node& node);

  // A key that is nearly one of `known` is most often a slip, and what it says would not hold;
  // any other key is kept and has no meaning to us.
  void check_keys(const Node& map, const std::vector<std::string>& known);
  std::string text(const Node& map, std::string_view key);
  std::vector<std::string> texts(const Node& map, std::string_view key);
  bool flag(const Node& map, std::string_view key);
  std::optional<Value> typed(const Column& column, const Node& map, std::string_view key);
  void report(const Node& place, std::string message, Severity severity = Severity::error);

  Schema schema_;
  std::vector<Issue> issues_;
};

}  // namespace notesdb
