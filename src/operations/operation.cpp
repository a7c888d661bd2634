#include "operations/operation.h"

#include <algorithm>

namespace notesdb {

std::optional<std::int64_t> Context::row_cap() const {
  if (caps == Caps::none) return std::nullopt;
  if (caps == Caps::page) return max_rows_of_page;
  return workspace.settings().max_rows.value;
}

std::optional<std::size_t> Context::max_bytes() const {
  if (caps == Caps::none) return std::nullopt;
  if (caps == Caps::page) return max_bytes_of_page;
  // The cap is of the whole answer: what stands beside its rows has a sixteenth of it.
  const std::uint64_t whole = workspace.settings().max_bytes.value;
  return whole - whole / 16;
}

WriteMode Call::write_mode() const {
  if (arguments.is_set("dry_run")) return WriteMode::dry_run;
  return context.rehearses ? WriteMode::rehearsal : WriteMode::write;
}

std::optional<Etag> Call::etag() const {
  std::optional<std::string> given = arguments.optional_text("etag");
  if (!given) return std::nullopt;
  // An etag is opaque to callers: one that no file can have is a conflict, answered with the row as
  // it is, rather than a lesson about digits.
  constexpr Etag of_no_file{};
  return parse_etag(*given).value_or(of_no_file);
}

const Argument* Operation::find_argument(ArgumentKind kind) const {
  auto found = std::ranges::find(arguments, kind, &Argument::kind);
  return found == arguments.end() ? nullptr : &*found;
}

Argument database_argument() {
  return {.name = "database_id",
          .kind = ArgumentKind::database,
          .required = Doors::all,
          .positional = true,
          .if_missing = "db_list names the databases"};
}

Argument row_argument() {
  return {.name = "row_id",
          .kind = ArgumentKind::row,
          .required = Doors::all,
          .positional = true,
          .if_missing = "db_query names the rows"};
}

Argument as_of_argument() {
  return {.name = "as_of",
          .description = "a git revision or date",
          .is_listed = false,
          .flag = "at",
          .flag_help =
              "read the workspace as it was at a git revision, or on a date such as 2026-01-31",
          .metavar = "REV"};
}

Argument filters_argument() {
  return {.name = "filters",
          .kind = ArgumentKind::filters,
          .flag_help = "JSON: all must hold; {\"any\": [...]} holds if one does"};
}

Argument outlined_filters_argument() {
  Argument filters = filters_argument();
  filters.flag_help = "JSON: [{field, operator, value}]";
  filters.outlined = true;
  return filters;
}

Argument etag_argument(Doors required) {
  return {.name = "etag",
          .description = "as you read it",
          .is_listed = false,
          .required = required,
          .if_missing = "db_get_row and db_query give it with the row"};
}

Argument dry_run_argument() {
  return {.name = "dry_run", .kind = ArgumentKind::boolean, .flag_help = "only show the diff"};
}

}  // namespace notesdb
