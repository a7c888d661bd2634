// Reading front matter: the scanner, and whole rows with all checks, beside readers of YAML.
#include <algorithm>
#include <string>
#include <vector>

#include <benchmark/benchmark.h>
#include <yaml-cpp/yaml.h>

#include "bench/workspace_of_rows.h"
#include "index/row_reader.h"
#include "note/row_codec.h"
#include "schema/document.h"
#include "yaml/scanner.h"

#ifdef NOTESDB_HAS_RAPIDYAML
#include <ryml.hpp>
#endif

namespace notesdb::bench {
namespace {

constexpr std::size_t max_texts = 10000;

const std::vector<std::string>& texts() {
  static const std::vector<std::string> all = [] {
    std::vector<std::string> read = front_matters();
    read.resize(std::min(read.size(), max_texts));
    return read;
  }();
  return all;
}

// Runs `read` over every text again and again; a row is an item.
template <typename Read>
void over_texts(benchmark::State& state, Read read) {
  std::size_t bytes = 0;
  for (const std::string& text : texts())
    bytes += text.size();
  for (auto _ : state) {
    for (const std::string& text : texts())
      benchmark::DoNotOptimize(read(text));
  }
  const auto rounds = static_cast<std::int64_t>(state.iterations());
  state.SetItemsProcessed(rounds * static_cast<std::int64_t>(texts().size()));
  state.SetBytesProcessed(rounds * static_cast<std::int64_t>(bytes));
}

void scan(benchmark::State& state) {
  Scanner scanner;
  over_texts(state, [&](const std::string& text) { return scanner.scan(text); });
}
BENCHMARK(scan)->Name("parse/scanner");

void yaml_cpp(benchmark::State& state) {
  over_texts(state, [](const std::string& text) { return YAML::Load(text).size(); });
}
BENCHMARK(yaml_cpp)->Name("parse/yaml-cpp");

#ifdef NOTESDB_HAS_RAPIDYAML
void rapidyaml(benchmark::State& state) {
  ryml::EventHandlerTree handler;
  ryml::Parser parser(&handler);
  ryml::Tree tree;
  over_texts(state, [&](const std::string& text) {
    tree.clear();
    tree.clear_arena();
    ryml::parse_in_arena(&parser, "", ryml::csubstr(text.data(), text.size()), &tree);
    return tree.size();
  });
}
BENCHMARK(rapidyaml)->Name("parse/rapidyaml");
#endif

std::vector<std::string> whole_notes() {
  std::vector<std::string> notes;
  for (const std::string& text : texts())
    notes.push_back("---\n" + text + "---\n");
  return notes;
}

Schema schema_of_tasks() {
  const std::string bytes = read_file(places().workspace + "/tasks/_schema.yaml");
  return parse_schema(bytes, NoteFormat::yaml)->schema;
}

template <typename Read>
void over_notes(benchmark::State& state, Read read) {
  const std::vector<std::string> notes = whole_notes();
  for (auto _ : state) {
    for (const std::string& bytes : notes)
      benchmark::DoNotOptimize(read(bytes));
  }
  const auto rounds = static_cast<std::int64_t>(state.iterations());
  state.SetItemsProcessed(rounds * static_cast<std::int64_t>(notes.size()));
}

// A file's bytes as an index takes them in: every value judged by its column, keys known.
void read_codes(benchmark::State& state) {
  RowReader reader(schema_of_tasks());
  RowCodes row;
  over_notes(state, [&](const std::string& bytes) {
    return !reader.read(bytes, NoteFormat::markdown, row);
  });
}
BENCHMARK(read_codes)->Name("parse/checked");

// A file's bytes to a row as an answer has it: fields, undeclared keys, issues.
void read_rows(benchmark::State& state) {
  const Schema schema = schema_of_tasks();
  over_notes(state, [&](const std::string& bytes) {
    return read_row(schema, *Note::parse(bytes, NoteFormat::markdown)).fields.size();
  });
}
BENCHMARK(read_rows)->Name("codec/read");

// One field of a note set: the splice, and the look at what came of it.
void set_field(benchmark::State& state) {
  const Schema schema = schema_of_tasks();
  const Map fields{{"status", "review"}};
  over_notes(state, [&](const std::string& bytes) {
    Note note = *Note::parse(bytes, NoteFormat::markdown);
    return static_cast<bool>(write_fields(schema, fields, {}, note));
  });
}
BENCHMARK(set_field)->Name("codec/set");

}  // namespace
}  // namespace notesdb::bench
