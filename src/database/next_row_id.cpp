#include "database/next_row_id.h"

#include <algorithm>
#include <charconv>
#include <string_view>

#include "database/row_id.h"
#include "files/etag.h"
#include "files/names.h"

namespace notesdb {

namespace {

// Looks at the next few ids first: mostly one of them is there, and no folder need be listed.
Result<bool> is_highest(const FileSystem& files,
                        const DatabaseFolder& folder,
                        std::int64_t number) {
  const RowIdRule& rule = folder.schema().row_id;
  constexpr std::int64_t nearby = 4;
  for (std::int64_t other = number + 1; other <= number + nearby; ++other) {
    const auto found = folder.find_row(files, counter_id(rule.prefix, other, rule.digits));
    if (!found) return found.error();
    if (*found) return false;
  }
  const Result<RowListing> listing = folder.list_rows(files);
  if (!listing) return listing.error();
  return std::ranges::none_of(listing->paths, [&](const auto& path) {
    const std::string id(folder.names().id_of(path));
    return counter_of(name_in(id), rule.prefix).value_or(0) > number;
  });
}

bool is_schema(std::string_view path) {
  const std::string_view name = name_in(path);
  return name == "_schema.md" || name == "_schema.yaml";
}

// The digits at the end of a row's file or folder.
std::optional<std::int64_t> number_in(std::string_view path) {
  std::string_view name = name_in(path);
  if (name.starts_with("index.") || name.starts_with("_index.")) name = name_in(folder_of(path));
  name = name.substr(0, name.rfind('.'));
  const std::size_t before = name.find_last_not_of("0123456789");
  const std::string_view digits = before == std::string_view::npos ? name : name.substr(before + 1);
  std::int64_t number = 0;
  const auto [end, failed] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  if (failed != std::errc() || digits.empty()) return std::nullopt;
  return number;
}

// Whether a change did nothing to this schema but raise its counter because of a row of the same
// change: then what it wrote can be made again of what was there.
bool only_counted(const Step& schema, const std::vector<Step>& steps) {
  const auto document = parse_schema(schema.bytes, note_format_of(schema.path));
  if (!document) return false;
  return std::ranges::any_of(steps, [&](const Step& step) {
    for (const std::string& path : {step.path, step.new_path}) {
      const auto number = number_in(path);
      if (!number) continue;
      const auto counted = with_counter(*document, *number + 1);
      if (counted && etag_of(*counted) == schema.expected) return true;
    }
    return false;
  });
}

}  // namespace

Result<std::optional<std::int64_t>> next_row_id_without(const FileSystem& files,
                                                        const DatabaseFolder& folder,
                                                        const std::vector<std::string>& gone_ids) {
  const Schema& schema = folder.schema();
  const std::optional<std::int64_t> none;
  if (schema.row_id.style != RowIdStyle::counter) return none;
  std::optional<std::int64_t> highest;
  for (const std::string& id : gone_ids)
    highest = std::max(highest, counter_of(name_in(id), schema.row_id.prefix));
  if (!highest || schema.next_row_id.value_or(0) > *highest) return none;
  const Result<bool> is_last = is_highest(files, folder, *highest);
  if (!is_last) return is_last.error();
  return *is_last ? std::optional(*highest + 1) : none;
}

Result<std::string> with_counter(const SchemaDocument& document, std::int64_t next) {
  Note note = document.note;
  Column number;
  number.type = ColumnType::number;
  Result<Edit> edit = note.set("next_row_id", next, {&number, {}});
  if (!edit) return std::move(edit).error();
  return note.bytes();
}

std::vector<Step> without_counters(const FileSystem& files, std::vector<Step> steps) {
  const std::vector<Step> all = steps;
  std::erase_if(steps, [&](const Step& step) {
    if (step.kind != StepKind::replace || !is_schema(step.path)) return false;
    const auto now = files.read(step.path);
    return now && now->etag != step.expected && only_counted(step, all);
  });
  return steps;
}

}  // namespace notesdb
