// Fuzzing a schema file: what is read is a schema that its users can rely on, writing it and
// reading that again gives the same, and an edit of one column leaves the others.
//
// The first byte of the input says which format it is in and which column is edited.
#include <cstdint>
#include <set>
#include <string>

#include "fuzz/claim.h"
#include "schema/document.h"
#include "schema/edit.h"

using namespace notesdb;  // NOLINT(google-build-using-namespace): a program of one file

namespace {

void check_columns(const Schema& schema) {
  std::set<std::string> ids;
  for (const Column& column : schema.columns) {
    require(!column.id.empty() && column.id.front() != '_');
    require(ids.insert(column.id).second && schema.find(column.id) == &column);
  }
}

void check_writing(const SchemaDocument& document, NoteFormat format) {
  const auto written = write_schema(document.schema, "", format);
  if (!written) return;
  const auto again = parse_schema(*written, format);
  require(again.ok());
  check_columns(again->schema);
  require(write_schema(again->schema, "", format).ok());
  require(*write_schema(again->schema, "", format) == *written);
}

void check_counter(const SchemaDocument& document, NoteFormat format) {
  constexpr std::int64_t next = 4711;
  const auto bytes = with_next_row_id(document, next);
  if (!bytes) {
    require(!bytes.error().message.empty());
    return;
  }
  if (!document.schema.next_row_id) return;
  const auto again = parse_schema(*bytes, format);
  require(again.ok() && again->schema.next_row_id == next);
  require(again->schema.column_ids() == document.schema.column_ids());
}

void check_edits(const SchemaDocument& document, NoteFormat format, std::size_t place) {
  std::vector<std::string> ids = document.schema.column_ids();
  if (ids.empty()) return;
  place %= ids.size();
  SchemaEdit renaming(document);
  const std::string name = "a-name-that-nobody-has";
  renaming.set_column(ids[place], {{"id", name}});
  if (const auto bytes = renaming.bytes()) {
    const auto again = parse_schema(*bytes, format);
    require(again.ok());
    std::vector<std::string> wanted = ids;
    wanted[place] = name;
    if (document.issues.empty()) require(again->schema.column_ids() == wanted);
  }
  SchemaEdit dropping(document);
  dropping.drop_column(ids[place]);
  if (const auto bytes = dropping.bytes()) {
    const auto again = parse_schema(*bytes, format);
    ids.erase(ids.begin() + static_cast<std::ptrdiff_t>(place));
    if (document.issues.empty() && again) require(again->schema.column_ids() == ids);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 2) return 0;
  const NoteFormat format = (data[0] & 1U) != 0 ? NoteFormat::yaml : NoteFormat::markdown;
  const auto document = parse_schema(std::string(data + 1, data + size), format);
  if (!document) {
    require(!document.error().message.empty());
    return 0;
  }
  check_columns(document->schema);
  check_writing(*document, format);
  check_counter(*document, format);
  check_edits(*document, format, data[0] / 2U);
  return 0;
}
