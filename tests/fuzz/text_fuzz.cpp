// Fuzzing what people write between the fields: links of a body lie in it, and cells that are
// written as CSV or TSV come back as they were.
#include <cstdint>
#include <string>
#include <string_view>

#include "core/text.h"
#include "exchange/separated.h"
#include "fuzz/claim.h"
#include "note/links.h"

using namespace notesdb;  // NOLINT(google-build-using-namespace): a program of one file

namespace {

void check_links(const std::string& body) {
  for_each_link(body, [&](const BodyLink& link) {
    require(link.written.data() >= body.data());
    require(link.written.data() + link.written.size() <= body.data() + body.size());
    require(link.path.data() >= link.written.data() && !link.path.empty());
    require(with_path(link, link.in_angles ? link.path : path_meant(link)).size() > 2);
  });
  scan_body(body, {.tag = [](std::string_view tag) { require(!tag.empty()); }, .task = {}});
  (void)parse_link(body);
  (void)row_named_by(body, "tasks");
}

void check_cells(const std::string& text) {
  const SeparatedText read = read_csv(text, ',');
  (void)read_tsv(text);
  if (!read.issues.empty()) return;
  std::string written;
  for (const SeparatedRecord& record : read.records) {
    for (std::size_t i = 0; i < record.cells.size(); ++i) {
      if (i > 0) written += ',';
      // A lone bare cell that is empty would be no record.
      if (record.cells.size() == 1 && record.cells[i].text.empty()) written += "\"\"";
      append_csv_cell(written, record.cells[i].text, ',');
    }
    written += "\r\n";
  }
  const SeparatedText again = read_csv(written, ',');
  require(again.issues.empty() && again.records.size() == read.records.size());
  for (std::size_t i = 0; i < read.records.size(); ++i) {
    require(again.records[i].cells.size() == read.records[i].cells.size());
    for (std::size_t j = 0; j < read.records[i].cells.size(); ++j)
      require(again.records[i].cells[j].text == read.records[i].cells[j].text);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(data, data + size);
  check_links(text);
  check_cells(text);
  return 0;
}
