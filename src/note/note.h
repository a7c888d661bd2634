// Note: one row as its file holds it, byte for byte.
//
// Setting a field replaces the bytes of that field's value and no others: comments, key order,
// quoting, line endings, list style, a byte order mark and a missing last newline all stay. A
// list keeps the lines of the items that stay. Setting a field to the value it has changes
// nothing. Whatever an edit makes is parsed again and compared with what was meant before it
// replaces the note's bytes; an edit that fails leaves the note as it was.
//
// A front matter that is not valid YAML is read key by key: a key at column 0 with the lines
// below it that are indented, space, comments or `- ` items. What cannot be read is named as an
// issue and kept; setting such a field fixes it. So it is with a field that a merge left between
// conflict markers (note/conflict_markers.h): setting it resolves the conflict.
//
// Front matter between `+++` is TOML: its pairs above the first table are changed in place like
// YAML's; what belongs to tables and dotted keys is read and refused by name when it should change.
// A JSON object at the first byte is read and changed member by member, if it is strict JSON
// without repeated keys. A head in a form of other programs is an issue, and the note is not written.
//
// No file is opened here: files/ brings the bytes and database/ writes them back. A Note is a
// value; copies are independent, and const functions may run on several threads.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/column.h"
#include "core/error.h"
#include "core/result.h"
#include "core/value.h"
#include "note/conflict_markers.h"
#include "note/front_matter.h"
#include "yaml/node.h"
#include "yaml/writer.h"

namespace notesdb {

struct JsonMember;
struct TomlPair;
struct TomlText;
struct YamlProblem;

// One field and where its parts are.
//
//   tags:   [a, b]   # why          key, then `value` on the line of the key (or empty)
//     - anna                        `block`: the whole lines of a block list, map or text
struct NoteField {
  std::string key;
  Node node;                 // of no use unless readable
  bool readable = true;      // false: not valid YAML, an anchor, alias or tag, or in conflict
  bool in_conflict = false;  // a merge left it between markers; `lines` are all of them
  bool fixed = false;        // TOML that is not changed in place: a table, dotted keys
  std::uint32_t line = 0;
  std::uint32_t column = 0;  // of the value, from 1
  Span lines;                // from the key's line to the last line that is the field's own
  std::size_t key_end = 0;   // after the colon, or the `=` of TOML
  Span value;                // without spaces around it and without a comment after it
  Span block;
  std::size_t unindented = 0;  // the first line at column 0 within quotes or brackets; 0: none
};

enum class Edit { unchanged, changed };

// How a field is to be written where the file itself leaves a choice.
struct FieldStyle {
  const Column* column = nullptr;            // decides what plain text would be read as
  std::span<const std::string> key_order{};  // of most rows in the folder: where a new key goes
  bool one_line = false;  // a value that was no list becomes one between brackets
};

class Note {
 public:
  // Reads the bytes of a file. A markdown file without front matter is a note without fields.
  // Fails with malformed_file, naming the line, if the front matter is never closed, is not
  // UTF-8, or has no key that can be told apart.
  static Result<Note> parse(std::string bytes, NoteFormat format);

  // The whole file. parse(b)->bytes() == b for every b that parses.
  const std::string& bytes() const { return bytes_; }
  std::string_view body() const { return std::string_view(bytes_).substr(front_.body_begin); }
  NoteFormat format() const { return format_; }
  const FrontMatter& front_matter() const { return front_; }

  // All fields in the order of the file, unreadable ones too. A key given twice is unreadable in
  // both places.
  const std::vector<NoteField>& fields() const { return fields_; }
  std::vector<std::string> keys() const;
  // The value of a readable field, or a null pointer.
  const Node* find(std::string_view key) const;
  const NoteField* find_field(std::string_view key) const;

  // What is wrong with the file as YAML, rule `yaml`; the path is the caller's to fill in.
  const std::vector<Issue>& issues() const { return issues_; }

  // Sets a field, or adds it where the neighbours have it. Null is written as `key:`; remove()
  // is for a field that must be gone. Fails with malformed_file where the fields cannot be
  // edited (a duplicate key) and with invalid_value where no spelling reads back.
  Result<Edit> set(std::string_view key, const Value& value, const FieldStyle& style = {});
  // Removes a field with its lines and the comment after its value; comments above it stay.
  Result<Edit> remove(std::string_view key);
  // Gives a field another key, in its place. Fails with already_exists if the key is taken.
  Result<Edit> rename_key(std::string_view key, std::string_view new_key);
  // Replaces the body, exactly. A yaml file has none: invalid_argument.
  Result<Edit> set_body(std::string_view body);
  // Adds text after the body, on a line of its own.
  Result<Edit> append_body(std::string_view text);

 private:
  // Bytes of the note that become other bytes.
  struct Splice {
    Span span;
    std::string bytes;
  };
  using Splices = std::vector<Splice>;
  enum class Care { usual, utmost };

  Note() = default;
  Result<void> read_fields();
  void read_value(NoteField& field, std::string_view lines);
  void take_all_lines(NoteField& field, std::size_t size);
  void read_conflicts(std::string_view text, const std::vector<ConflictBlock>& conflicts);
  void add_conflict(std::string key, Span lines, std::uint32_t line, std::string message);
  void note_repeated_keys();
  // Of a TOML front matter.
  void read_toml_fields();
  NoteField& add_toml_field(const TomlPair& pair);
  void read_toml_parts(std::string_view text, const TomlText& parts, const YamlProblem& whole);
  // Of a JSON front matter.
  void read_json_fields();
  std::vector<JsonMember> json_members() const;
  // One member changed, added where it is not there, or removed where there is no value.
  Splices plan_json(std::string_view key, const Value* value, const Column* column) const;
  Splices plan_json_removed(const std::vector<JsonMember>& members, std::size_t index) const;
  void add_issue(std::uint32_t line, std::uint32_t column, std::string message, std::string field);

  // Why the note is not written at all, if that is so.
  std::optional<Error> refusal() const;
  // Why a field cannot be edited, if that is so.
  static std::optional<Error> refusal(const NoteField* field);
  std::string_view line_ending_at(std::size_t position) const;
  Layout layout_of(const NoteField* field, Care care) const;
  Splices plan_settled(const NoteField& field, const Value& value, const FieldStyle& style) const;
  std::string written_key(std::string_view key) const;
  Splices plan_front_matter(const std::string& fields) const;
  std::size_t position_of_new(std::string_view key, std::span<const std::string> key_order) const;
  // None where TOML cannot hold the value.
  std::optional<Splices> plan_toml(const NoteField* field,
                                   std::string_view key,
                                   const Value& value,
                                   const FieldStyle& style) const;
  Splices plan_new_field(std::string_view key, const Value& value, const FieldStyle& style) const;
  Splices plan_value(const NoteField& field,
                     const Value& value,
                     const FieldStyle& style,
                     Care care) const;
  Splices plan_lines_removed(std::string_view key, std::size_t keep) const;
  WrittenValue written_value(const NoteField& field,
                             const Value& value,
                             const FieldStyle& style,
                             Care care) const;
  // The note with the splices made, read again; fails if any other field or the body changed.
  Result<Note> spliced(Splices splices, std::string_view key) const;
  bool keeps_others(const Note& after, std::string_view key) const;
  Result<Edit> replace_body(std::string body);

  std::string bytes_;
  NoteFormat format_ = NoteFormat::markdown;
  FrontMatter front_;
  std::vector<NoteField> fields_;
  std::vector<Issue> issues_;
};

}  // namespace notesdb
