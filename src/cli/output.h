// Output: an answer on standard output in the form that was asked for, and on standard error what
// a person should know about it: how much is left, what could not be read, what failed.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cli/command.h"
#include "core/count.h"
#include "core/result.h"
#include "operations/operation.h"

namespace notesdb::cli {

// The forms in which a command shows its answer.
//
//   table  for people          json   the tool's result, unchanged
//   jsonl  a record a line     csv    RFC 4180
//   tsv    tabs, \t escaped    yaml   the result as YAML
//   md     a table of GitHub   ids    an id a line

enum class OutputFormat { table, json, jsonl, csv, tsv, yaml, md, ids };

std::string_view name_of(OutputFormat format);
std::vector<std::string> output_format_names();

// What -o and --json say; a table where they say nothing.
Result<OutputFormat> format_of(const Words& words);

// Fails, naming the formats that do, where an answer has no such form.
Result<void> show(Console& console,
                  OutputFormat format,
                  const Operation& operation,
                  const Value& result);
// An answer that is text already, for a program.
void show_written(Console& console,
                  OutputFormat format,
                  const Operation& operation,
                  WrittenAnswer answer);
// How many records there are, alone.
void show_count(Console& console, const Operation& operation, const Value& result);
// A value as it stands: JSON, or YAML where that is asked for.
void show_value(Console& console, OutputFormat format, const Value& value);
// Records that no operation gave, such as settings.
Result<void> show_records(Console& console,
                          OutputFormat format,
                          const Value& result,
                          const std::string& shown);

// The warnings of an answer, and that it is not durable, whatever its format is.
void tell_warnings(Console& console, const Value& result);

// Says why a command failed: a sentence, or with JSON asked for {"error": {code, message, data}}.
Exit report(const Session& session, const Error& error, Exit exit);

}  // namespace notesdb::cli
