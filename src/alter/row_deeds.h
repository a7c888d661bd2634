// What changes of a schema mean for the rows: deeds, done to one note after the other.
//
// A row changes by the lines of the fields in question. What a deed cannot do without a loss is a
// misfit, with the place where it stands; who asked says what becomes of those.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "alter/schema_change.h"
#include "core/issue.h"
#include "core/schema.h"
#include "database/validate.h"
#include "note/note.h"
#include "query/comparison.h"

namespace notesdb {

enum class Misfits { refuse, keep, clear };

// The changes of one schema as they concern its rows.
class RowDeeds {
 public:
  // To be told each change with the schemas before and after it.
  void add(const SchemaChange& change, const Schema& before, const Schema& after);
  // Whether rows have a say at all.
  bool empty() const { return deeds_.empty() && judged_.empty(); }

 private:
  friend class RowRewriter;
  enum class Kind { rename, drop, convert, option, fill };
  struct Deed {
    Kind kind;
    Column before;
    Column after;
    std::string option;
    std::optional<std::string> replacement;
    Value fill;
  };
  void rename_judged(const std::string& column, const std::string& to);

  std::vector<Deed> deeds_;
  // The rules that rows may break now and did not break before, by column.
  std::map<std::string, std::set<std::string, std::less<>>> judged_;
};

class RowRewriter {
 public:
  // All three outlive it; `schema` is the one after all changes.
  RowRewriter(const RowDeeds& deeds, const Schema& schema, const RowExists& exists, Misfits misfits)
      : deeds_(deeds), schema_(schema), rules_(schema), exists_(exists), misfits_(misfits) {}

  // Does all deeds to the note of a row; it may come out unchanged.
  void rewrite(const std::string& path, Note& note);
  // When all rows are through: with the ones that share what is to be unique.
  std::vector<Issue> take_misfits();

 private:
  struct Holder {
    std::string value;
    std::string path;
    std::uint32_t line = 0;
    std::uint32_t column = 0;
  };

  void rename(const RowDeeds::Deed& deed, Note& note);
  void convert(const RowDeeds::Deed& deed, Note& note);
  void replace_option(const RowDeeds::Deed& deed, Note& note);
  void fill(const RowDeeds::Deed& deed, Note& note);
  void set(const Column& column, const Value& value, Note& note);
  void remove(const std::string& key, Note& note);
  void judge(const std::string& column,
             const std::set<std::string, std::less<>>& rules,
             Note& note);
  // Notes a misfit; whether the field may be cleared instead.
  bool misfit(const Note& note, const std::string& key, std::string rule, std::string message);

  const RowDeeds& deeds_;
  const Schema& schema_;
  FieldRules rules_;
  const RowExists& exists_;
  Misfits misfits_;
  std::string path_;
  std::vector<Issue> found_;
  std::map<std::string, std::map<Rank, std::vector<Holder>>> unique_;
};

}  // namespace notesdb
