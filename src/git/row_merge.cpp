#include "git/row_merge.h"

#include <array>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <utility>

#include <unistd.h>

#include "core/file_name.h"
#include "files/file_system.h"
#include "files/names.h"
#include "git/git_run.h"
#include "schema/document.h"

namespace notesdb {

namespace {

constexpr std::array<std::string_view, 2> schema_names{"_schema.md", "_schema.yaml"};

Error by_lines(std::string why) {
  return {ErrorCode::malformed_file, std::move(why), Map{}};
}

bool is_row_name(std::string_view path) {
  return !row_file_ending(path).empty();
}

std::optional<Error> refusal(std::string_view path, const ThreeTexts& texts) {
  if (!is_row_name(path)) return by_lines("it is not a row");
  for (std::string_view text : {texts.base, texts.ours, texts.theirs}) {
    if (text.size() > max_file) return by_lines("it is larger than a row may be");
    if (text.find('\0') != std::string_view::npos) return by_lines("it is binary");
    if (!find_conflicts(text).empty()) return by_lines("it holds conflict markers already");
  }
  return std::nullopt;
}

Result<std::string> read_file(const std::string& name) {
  std::ifstream file(name, std::ios::binary);
  if (!file) return Error{ErrorCode::io_error, "'" + name + "' cannot be read", Map{}};
  std::string bytes{std::istreambuf_iterator<char>(file), {}};
  return bytes;
}

// Whole or not at all: git takes what it finds for the outcome.
Result<void> write_file(const std::string& name, std::string_view bytes) {
  const std::string beside = name + "~";
  std::ofstream file(beside, std::ios::binary | std::ios::trunc);
  file << bytes;
  file.close();
  if (file.good() && ::rename(beside.c_str(), name.c_str()) == 0) return {};
  ::unlink(beside.c_str());
  return Error{ErrorCode::io_error, "'" + name + "' cannot be written", Map{}};
}

// The schema of the nearest database above a path, in the work tree; an empty one where there is
// none that can be read.
Schema schema_above(std::string_view path) {
  for (std::string_view folder = folder_of(path);; folder = folder_of(folder)) {
    for (std::string_view name : schema_names) {
      Result<std::string> bytes = read_file(join_path(folder, name));
      if (!bytes) continue;
      Result<SchemaDocument> document = parse_schema(*std::move(bytes), note_format_of(name));
      if (document) return std::move(document->schema);
    }
    if (folder == ".") return {};
  }
}

// git's own merge by lines, into `ours`.
Result<MergeOutcome> merge_by_lines(const MergeFiles& files, std::string why) {
  Result<ProgramEnd> end = run_git({.folder = ".",
                                    .words = {"merge-file",
                                              "--diff3",
                                              "-q",
                                              "-L",
                                              "ours",
                                              "-L",
                                              "base",
                                              "-L",
                                              "theirs",
                                              files.ours,
                                              files.base,
                                              files.theirs}});
  if (!end) return end.error();
  MergeOutcome outcome;
  outcome.clean = end->ok();
  outcome.by_lines = std::move(why);
  return outcome;
}

MergeOptions schema_merge_options() {
  MergeOptions options;
  options.rule_of = [](std::string_view key) {
    return key == "next_row_id" ? MergeRule::greatest : MergeRule::by_shape;
  };
  return options;
}

// How the keys of a row's front matter join.
MergeOptions merge_options(const Schema& schema) {
  MergeOptions options;
  options.rule_of = [&schema](std::string_view key) {
    const Column* column = schema.find(key);
    if (column == nullptr) return MergeRule::by_shape;
    return parse_merge_rule(column->merge).value_or(MergeRule::by_shape);
  };
  return options;
}

}  // namespace

bool is_schema_path(std::string_view path) {
  return name_in(path) == schema_names[0] || name_in(path) == schema_names[1];
}

Result<MergedNote> merge_file_texts(std::string_view path,
                                    const ThreeTexts& texts,
                                    const Schema& schema,
                                    const ConflictLabels& labels) {
  if (std::optional<Error> refused = refusal(path, texts)) return *refused;
  MergeOptions options = is_schema_path(path) ? schema_merge_options() : merge_options(schema);
  options.format = note_format_of(path);
  options.labels = labels;
  Result<MergedNote> merged = merge_notes(texts, options);
  if (merged && is_schema_path(path) && !parse_schema(merged->bytes, options.format)) {
    return by_lines("the merged schema would not read");
  }
  return merged;
}

Result<std::string> merge_texts_by_lines(const ThreeTexts& texts, const std::string& folder) {
  const MergeFiles files{
      folder + "/notesdb-base", folder + "/notesdb-ours", folder + "/notesdb-theirs", ""};
  const auto merge = [&]() -> Result<std::string> {
    for (const auto& [name, text] : {std::pair(&files.base, texts.base),
                                     std::pair(&files.ours, texts.ours),
                                     std::pair(&files.theirs, texts.theirs)}) {
      if (Result<void> written = write_file(*name, text); !written) return written.error();
    }
    const Result<MergeOutcome> merged = merge_by_lines(files, "");
    if (!merged) return merged.error();
    return read_file(files.ours);
  };
  Result<std::string> merged = merge();
  for (const std::string* name : {&files.base, &files.ours, &files.theirs})
    ::unlink(name->c_str());
  return merged;
}

Result<MergeOutcome> merge_files(const MergeFiles& files) {
  Result<std::string> base = read_file(files.base);
  if (!base) return base.error();
  Result<std::string> ours = read_file(files.ours);
  if (!ours) return ours.error();
  Result<std::string> theirs = read_file(files.theirs);
  if (!theirs) return theirs.error();
  Schema schema = is_schema_path(files.path) ? Schema{} : schema_above(files.path);
  Result<MergedNote> merged = merge_file_texts(files.path, {*base, *ours, *theirs}, schema, {});
  if (!merged) return merge_by_lines(files, merged.error().message);
  if (Result<void> written = write_file(files.ours, merged->bytes); !written) {
    return written.error();
  }
  MergeOutcome outcome;
  outcome.clean = merged->conflicts.empty();
  for (const MergeConflict& conflict : merged->conflicts)
    outcome.fields.push_back(conflict.field);
  return outcome;
}

}  // namespace notesdb
