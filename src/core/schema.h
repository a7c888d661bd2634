// Schema: what a database says about its rows. Read from `_schema.md` or `_schema.yaml` by
// schema/document.h, which also keeps every byte it does not change.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/column.h"
#include "core/value.h"

namespace notesdb {

struct View {
  std::string id;
  std::string name;
  std::string type;  // table, board, calendar; others are kept and treated as table
  std::vector<std::string> columns;
  std::string group_by;
  std::string date_column;
  Value filters;  // as the schema gives them, a filter list (query/filter.h); null if none
  Value sorts;    // a sort or a list of sorts; sort_by and sort_desc are folded in; null if none
};

struct Template {
  std::string key;
  std::string name;
  std::string title;
  Map fields;
  std::string body;
};

enum class RowIdStyle { counter, slug, ulid, short_id, date };

std::string_view name_of(RowIdStyle style);  // "counter", "slug", "ulid", "short", "date"
std::optional<RowIdStyle> parse_row_id_style(std::string_view name);

// How the id of a new row is made.
struct RowIdRule {
  RowIdStyle style = RowIdStyle::counter;
  std::string prefix = "row-";
  int digits = 3;
  std::string
      from;  // the column a slug is made of; empty: the first text column, or no slug (date)
  std::string format = "YYYY-MM-DD";  // of a date; its slashes are folders
};

enum class RowLayout { file, folder, mixed };
std::string_view name_of(RowLayout layout);
std::optional<RowLayout> parse_row_layout(std::string_view name);

// The note that stands for its folder: folder/index.md, or folder/folder.md.
enum class FolderNote { index, name };

// Which files of the folder are rows.
struct RowFiles {
  // Globs; empty: *.md, *.markdown, *.mdx, *.yaml, *.yml of the folder itself.
  std::vector<std::string> include;
  std::vector<std::string> exclude;
  RowLayout layout = RowLayout::file;
  FolderNote folder_note = FolderNote::index;
};

struct Schema {
  std::string name;
  std::string description;
  std::vector<Column> columns;
  std::vector<View> views;
  std::vector<Template> templates;
  RowIdRule row_id;
  RowFiles rows;
  std::optional<std::int64_t> next_row_id;  // kept right where the file has it, never added

  // The column with exactly this id, or a null pointer.
  const Column* find(std::string_view column_id) const;
  // Its place among the columns.
  std::optional<std::size_t> index_of(std::string_view column_id) const;
  std::vector<std::string> column_ids() const;
  const View* find_view(std::string_view id) const;
  const Template* find_template(std::string_view key) const;
};

}  // namespace notesdb
