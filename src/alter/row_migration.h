// RowMigration: what changes of a schema mean for its rows, done to one note after the other.
//
// A row changes by the lines of the fields in question. A value that a step cannot convert without
// a loss is an issue with its place; OnInvalid says what becomes of those.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "alter/schema_change.h"
#include "core/error.h"
#include "core/schema.h"
#include "database/validate.h"
#include "note/note.h"
#include "query/comparison.h"

namespace notesdb {

enum class OnInvalid { refuse, keep, clear };

// The changes of one schema as they concern its rows.
class RowMigration {
 public:
  // To be told each change with the schemas before and after it.
  void add(const SchemaChange& change, const Schema& before, const Schema& after);
  // Whether rows have a say at all.
  bool empty() const { return steps_.empty() && judged_.empty(); }

 private:
  friend class RowRewriter;
  enum class Kind { rename, drop, convert, option, fill };
  struct Step {
    Kind kind;
    Column before;
    Column after;
    std::string option;
    std::optional<std::string> replacement;
    Value fill;
  };
  void rename_judged(const std::string& column, const std::string& to);

  std::vector<Step> steps_;
  // The rules that rows may break now and did not break before, by column.
  std::map<std::string, std::set<std::string, std::less<>>> judged_;
};

class RowRewriter {
 public:
  // All three outlive it; `schema` is the one after all changes.
  RowRewriter(const RowMigration& migration,
              const Schema& schema,
              const RowExists& exists,
              OnInvalid on_invalid)
      : migration_(migration),
        schema_(schema),
        rules_(schema),
        exists_(exists),
        on_invalid_(on_invalid) {}

  // Takes all steps on the note of a row; it may come out unchanged.
  void rewrite(const std::string& path, Note& note);
  // When all rows are through: with the ones that share what is to be unique.
  std::vector<Issue> take_invalid_values();

 private:
  struct Holder {
    std::string value;
    std::string path;
    std::uint32_t line = 0;
    std::uint32_t column = 0;
  };

  void rename(const RowMigration::Step& step, Note& note);
  void convert(const RowMigration::Step& step, Note& note);
  void replace_option(const RowMigration::Step& step, Note& note);
  void fill(const RowMigration::Step& step, Note& note);
  void set(const Column& column, const Value& value, Note& note);
  void remove(const std::string& key, Note& note);
  void judge(const std::string& column,
             const std::set<std::string, std::less<>>& rules,
             Note& note);
  // Notes a value that cannot be converted; whether the field may be cleared instead.
  bool report(const Note& note, const std::string& key, std::string rule, std::string message);

  const RowMigration& migration_;
  const Schema& schema_;
  FieldRules rules_;
  const RowExists& exists_;
  OnInvalid on_invalid_;
  std::string path_;
  std::vector<Issue> found_;
  std::map<std::string, std::map<Rank, std::vector<Holder>>> unique_;
};

}  // namespace notesdb
