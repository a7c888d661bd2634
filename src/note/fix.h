// Fix: what a person surely meant by a field that is not YAML, written so that every reader
// agrees.
//
//   title: Dune: Messiah          ->  title: "Dune: Messiah"       a colon and a space within
//   by: @anna                     ->  by: "@anna"                  a first letter YAML keeps
//   tags: [#a, #b]                ->  tags: ["#a", "#b"]           a comment nobody meant
//   said: "a "b" c"               ->  said: 'a "b" c'              quotes within quotes
//   text: 'one                    ->  text: 'one                   quoted text at column 0
//   two'                                two'
//   tags:                         ->  tags:                        a tab that indents
//   <tab>- a                            - a
//   title: {{title}}              ->  title: "{{title}}"           what a template left
//   tags: / tags: [a]             ->  tags: [a]                    a key twice, once without a
//   value
//
// Only what has one meaning is fixed: where a comment may be meant, where the value continues over
// lines, where a key has two different values, the field stays as it is. Where a quote is never
// closed nobody knows which lines belong together, and nothing is fixed. Pure.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/schema.h"
#include "core/value.h"
#include "note/note.h"

namespace notesdb {

// The value that a broken field was meant to have; empty where that cannot be said for sure.
std::optional<Value> meant_value(const Note& note, const NoteField& field);

// A value that a column would take if it were spelled as the column has it: an option in other
// case, `yes` in a checkbox, 2026/1/5 in a date. Empty where there is none, or more than one.
std::optional<Value> meant_value(const Column& column, const Value& value);

// One fixed field: its line before and after. A line that is gone is empty.
struct FixedField {
  std::string field;
  std::uint32_t line = 0;
  std::string rule;
  std::string before;
  std::string after;
};

// Fixes all that can be, in the order of the file. A field that cannot be fixed stays.
std::vector<FixedField> fix_note(const Schema& schema, Note& note);

}  // namespace notesdb
