#include "core/schema.h"

#include <algorithm>
#include <array>

namespace notesdb {

namespace {
constexpr std::array<std::string_view, 5> style_names{"counter", "slug", "ulid", "short", "date"};
constexpr std::array<std::string_view, 3> layout_names{"file", "folder", "mixed"};

template <typename T, typename Key>
const T* find_by(const std::vector<T>& items, Key key, std::string_view wanted) {
  auto found = std::ranges::find(items, wanted, key);
  return found == items.end() ? nullptr : &*found;
}
}  // namespace

std::string_view name_of(RowIdStyle style) {
  return style_names[static_cast<std::size_t>(style)];
}

std::optional<RowIdStyle> parse_row_id_style(std::string_view name) {
  const auto* found = std::ranges::find(style_names, name);
  if (found == style_names.end()) return std::nullopt;
  return static_cast<RowIdStyle>(found - style_names.begin());
}

std::string_view name_of(RowLayout layout) {
  return layout_names[static_cast<std::size_t>(layout)];
}

std::optional<RowLayout> parse_row_layout(std::string_view name) {
  const auto* found = std::ranges::find(layout_names, name);
  if (found == layout_names.end()) return std::nullopt;
  return static_cast<RowLayout>(found - layout_names.begin());
}

const Column* Schema::find(std::string_view column_id) const {
  return find_by(columns, &Column::id, column_id);
}

std::optional<std::size_t> Schema::index_of(std::string_view column_id) const {
  const Column* column = find(column_id);
  if (column == nullptr) return std::nullopt;
  return static_cast<std::size_t>(column - columns.data());
}

std::vector<std::string> Schema::column_ids() const {
  std::vector<std::string> ids;
  ids.reserve(columns.size());
  for (const Column& column : columns)
    ids.push_back(column.id);
  return ids;
}

const View* Schema::find_view(std::string_view id) const {
  return find_by(views, &View::id, id);
}

const Template* Schema::find_template(std::string_view key) const {
  return find_by(templates, &Template::key, key);
}

}  // namespace notesdb
