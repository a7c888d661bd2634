// expression::Value: what an expression computes with: more kinds than a field of a file has.
//
//   null | boolean | number | string | date | duration | list | object | link | file | regexp
//   html | image | icon            what a program that draws would draw; text everywhere else
//
// A Value is small and immutable; lists, objects and files are shared between copies. No kind of it
// knows a disk: what a file or a link leads to is asked of a Vault, which the caller brings.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "core/value.h"

namespace notesdb::expression {

class File;
class Regexp;
class Value;

enum class Kind {
  null,
  boolean,
  number,
  string,
  date,
  duration,
  list,
  object,
  link,
  file,
  regexp,
  html,
  image,
  icon,
};

// As messages and isType() name it: "Number".
std::string_view name_of(Kind kind);

// A point in time. A date without a time is its local midnight and is written without one.
struct Date {
  std::int64_t milliseconds = 0;  // since 1970-01-01T00:00 UTC
  bool has_time = true;
};

// Months and days are kept apart from exact time: their length depends on the date they are added
// to.
struct Duration {
  double months = 0;
  double days = 0;
  double milliseconds = 0;
};

// A link as it is written, and the file it is written in, from which relative paths lead.
struct Link {
  std::string target;
  std::optional<std::string> display{};
  std::string source{};  // path of the file; empty: of no file
};

// Text with a meaning for programs that draw.
struct Drawn {
  Kind kind = Kind::html;
  std::string text;
};

// The items, and how deep lists and objects nest in it: that is bounded, since comparing, writing
// and destroying a value go down as deep.
struct Items {
  std::vector<Value> list;
  std::size_t depth = 1;
};

struct Members {
  std::vector<std::pair<std::string, Value>> list;
  std::size_t depth = 1;
};

constexpr std::size_t max_value_depth = 100;

class Value {
 public:
  Value() = default;
  // NOLINTBEGIN(google-explicit-constructor): values are written as literals in every function.
  Value(bool value) : data_(value) {}
  Value(double value) : data_(value) {}
  Value(const char* text) : data_(std::string(text)) {}
  Value(std::string text) : data_(std::move(text)) {}
  Value(Date date) : data_(date) {}
  Value(Duration duration) : data_(duration) {}
  Value(Link link) : data_(std::make_shared<const Link>(std::move(link))) {}
  Value(Drawn drawn) : data_(std::make_shared<const Drawn>(std::move(drawn))) {}
  Value(std::shared_ptr<const File> file) : data_(std::move(file)) {}
  Value(std::shared_ptr<const Regexp> regexp) : data_(std::move(regexp)) {}
  // NOLINTEND(google-explicit-constructor)
  // Both throw Failure where the value would nest deeper than max_value_depth.
  static Value list_of(std::vector<Value> items);
  static Value object_of(std::vector<std::pair<std::string, Value>> members);

  Kind kind() const;
  bool is(Kind kind) const { return this->kind() == kind; }
  bool is_null() const { return data_.index() == 0; }

  // Each is sure of its kind: asking for another is a mistake of ours (std::bad_variant_access).
  bool boolean() const { return std::get<bool>(data_); }
  double number() const { return std::get<double>(data_); }
  const std::string& string() const { return std::get<std::string>(data_); }
  Date date() const { return std::get<Date>(data_); }
  Duration duration() const { return std::get<Duration>(data_); }
  const std::vector<Value>& list() const { return std::get<ItemsPointer>(data_)->list; }
  const std::vector<std::pair<std::string, Value>>& object() const {
    return std::get<MembersPointer>(data_)->list;
  }
  const Link& link() const { return *std::get<std::shared_ptr<const Link>>(data_); }
  const File& file() const { return *std::get<std::shared_ptr<const File>>(data_); }
  std::shared_ptr<const File> file_pointer() const {
    return std::get<std::shared_ptr<const File>>(data_);
  }
  const Regexp& regexp() const { return *std::get<std::shared_ptr<const Regexp>>(data_); }
  const Drawn& drawn() const { return *std::get<std::shared_ptr<const Drawn>>(data_); }

  // The member of an object; null where there is none.
  Value member(std::string_view name) const;
  std::size_t depth() const;

 private:
  using ItemsPointer = std::shared_ptr<const Items>;
  using MembersPointer = std::shared_ptr<const Members>;
  std::variant<std::monostate,
               bool,
               double,
               std::string,
               Date,
               Duration,
               ItemsPointer,
               MembersPointer,
               std::shared_ptr<const Link>,
               std::shared_ptr<const File>,
               std::shared_ptr<const Regexp>,
               std::shared_ptr<const Drawn>>
      data_;
};

// A file of the vault as expressions see it. May be asked from several threads at once.
class File {
 public:
  File() = default;
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  virtual ~File() = default;

  virtual const std::string& path() const = 0;  // from the root, with '/'
  virtual double size() const = 0;
  virtual Date created() const = 0;
  virtual Date modified() const = 0;
  virtual Value tags() const = 0;   // lists; tags without '#'
  virtual Value links() const = 0;  // front matter, body, embeds
  virtual Value embeds() const = 0;
  virtual Value backlinks() const = 0;
  virtual Value property(std::string_view name) const = 0;  // of the front matter
  virtual Value properties() const = 0;
};

using FilePointer = std::shared_ptr<const File>;

// All files that links may lead to.
class Vault {
 public:
  Vault() = default;
  Vault(const Vault&) = delete;
  Vault& operator=(const Vault&) = delete;
  virtual ~Vault() = default;
  // The file that a link's target names in the file `source`; null where there is none.
  virtual FilePointer find(std::string_view target, std::string_view source) const = 0;
};

// Falsy: null, false, 0, not a number, the empty string.
bool is_truthy(const Value& value);
// Null, "", [], {} and what is not a number.
bool is_empty(const Value& value);

// As JavaScript writes it: 3, 0.1, 1e+21, Infinity, NaN.
std::string number_text(double number);

// The part of a path behind the last '/', its ending and what stands before either.
struct PathParts {
  std::string_view folder;
  std::string_view name;
  std::string_view stem;
  std::string_view ending;
};
PathParts parts_of(std::string_view path);

// A target of a link without the heading or block behind '#'.
std::string_view without_anchor(std::string_view target);

}  // namespace notesdb::expression
