#include "expression/result_kind.h"

#include <algorithm>
#include <array>
#include <utility>

#include "expression/calendar.h"

namespace notesdb::expression {

namespace {

using Entry = std::pair<std::string_view, Kind>;

constexpr std::array<Entry, 62> functions{{
    {"abs", Kind::number},
    {"asFile", Kind::file},
    {"asLink", Kind::link},
    {"ceil", Kind::number},
    {"contains", Kind::boolean},
    {"containsAll", Kind::boolean},
    {"containsAny", Kind::boolean},
    {"date", Kind::date},
    {"duration", Kind::duration},
    {"endsWith", Kind::boolean},
    {"escapeHTML", Kind::string},
    {"file", Kind::file},
    {"filter", Kind::list},
    {"flat", Kind::list},
    {"floor", Kind::number},
    {"format", Kind::string},
    {"hasLink", Kind::boolean},
    {"hasProperty", Kind::boolean},
    {"hasTag", Kind::boolean},
    {"html", Kind::string},
    {"icon", Kind::string},
    {"image", Kind::string},
    {"inFolder", Kind::boolean},
    {"isEmpty", Kind::boolean},
    {"isTruthy", Kind::boolean},
    {"isType", Kind::boolean},
    {"join", Kind::string},
    {"keys", Kind::list},
    {"link", Kind::link},
    {"linksTo", Kind::boolean},
    {"list", Kind::list},
    {"lower", Kind::string},
    {"map", Kind::list},
    {"matches", Kind::boolean},
    {"max", Kind::number},
    {"mean", Kind::number},
    {"min", Kind::number},
    {"now", Kind::date},
    {"number", Kind::number},
    {"random", Kind::number},
    {"relative", Kind::string},
    {"repeat", Kind::string},
    {"replace", Kind::string},
    {"round", Kind::number},
    {"sort", Kind::list},
    {"split", Kind::list},
    {"startsWith", Kind::boolean},
    {"time", Kind::string},
    {"title", Kind::string},
    {"toFixed", Kind::string},
    {"toString", Kind::string},
    {"today", Kind::date},
    {"trim", Kind::string},
    {"unique", Kind::list},
    {"values", Kind::list},
    // Fields, which have their kinds from here too.
    {"length", Kind::number},
    {"name", Kind::string},
    {"basename", Kind::string},
    {"path", Kind::string},
    {"folder", Kind::string},
    {"ext", Kind::string},
    {"size", Kind::number},
}};

constexpr std::array<Entry, 5> fields_of_files{{{"ctime", Kind::date},
                                                {"mtime", Kind::date},
                                                {"tags", Kind::list},
                                                {"links", Kind::list},
                                                {"embeds", Kind::list}}};

ResultKind find_in(std::span<const Entry> entries, std::string_view name) {
  const auto found = std::ranges::find(entries, name, &Entry::first);
  return found == entries.end() ? std::nullopt : ResultKind(found->second);
}

ResultKind joined(ResultKind a, ResultKind b) {
  if (a == Kind::null) return b;
  if (b == Kind::null || a == b) return a;
  return std::nullopt;
}

bool is(ResultKind kind, Kind wanted) {
  return kind == wanted;
}

class Reader {
 public:
  explicit Reader(const KindOfName& kind_of_name) : kind_of_name_(kind_of_name) {}

  ResultKind of(const Node& node) const {
    switch (node.kind) {
      case NodeKind::literal: return node.value.kind();
      case NodeKind::list: return Kind::list;
      case NodeKind::property:
      case NodeKind::formula: return kind_of_name_(node);
      case NodeKind::note: return Kind::object;
      case NodeKind::file:
      case NodeKind::embedding: return Kind::file;
      case NodeKind::index: return Kind::number;
      case NodeKind::item:
      case NodeKind::carried:
      case NodeKind::element: return std::nullopt;
      case NodeKind::member: return of_member(node);
      case NodeKind::call: return of_call(node);
      case NodeKind::method: return of_method(node);
      case NodeKind::negative: return of_sign(of(node.children[0]));
      case NodeKind::inverse: return Kind::boolean;
      case NodeKind::binary: return of_binary(node);
    }
    return std::nullopt;
  }

 private:
  static ResultKind of_sign(ResultKind of) { return is(of, Kind::duration) ? of : Kind::number; }

  ResultKind of_member(const Node& node) const {
    const ResultKind object = of(node.children[0]);
    if (is(object, Kind::date) || is(object, Kind::duration)) return Kind::number;
    if (!is(object, Kind::file) && node.name != "length") return std::nullopt;
    const ResultKind found = find_in(fields_of_files, node.name);
    return found ? found : find_in(functions, node.name);
  }

  ResultKind of_call(const Node& node) const {
    if (node.name != "if" || node.children.size() < 2) return find_in(functions, node.name);
    const ResultKind chosen = of(node.children[1]);
    return node.children.size() < 3 ? chosen : joined(chosen, of(node.children[2]));
  }

  ResultKind of_method(const Node& node) const {
    const bool keeps = node.name == "slice" || node.name == "reverse";
    return keeps ? of(node.children[0]) : find_in(functions, node.name);
  }

  ResultKind of_binary(const Node& node) const {
    const ResultKind left = of(node.children[0]);
    const ResultKind right = of(node.children[1]);
    switch (node.operation) {
      case Operation::add: return of_sum(left, right, node.children[1]);
      case Operation::subtract:
        if (is(left, Kind::date)) return is(right, Kind::date) ? Kind::duration : Kind::date;
        if (!left && !is(right, Kind::number)) return std::nullopt;
        return of_sign(left);
      case Operation::multiply:
      case Operation::divide: return of_sign(left);
      case Operation::remainder: return Kind::number;
      default: return Kind::boolean;
    }
  }

  // A date and a text are a later date, where the text is a length of time.
  static ResultKind of_sum(ResultKind left, ResultKind right, const Node& added) {
    if (is(left, Kind::date) && is(right, Kind::string)) {
      if (added.kind != NodeKind::literal) return std::nullopt;
      return parse_duration(added.value.string()) ? left : right;
    }
    if (is(left, Kind::date)) return left;
    if (is(left, Kind::duration) && is(right, Kind::date)) return right;
    if (is(left, Kind::string) || (left && is(right, Kind::string))) return Kind::string;
    return left == right ? left : std::nullopt;
  }

  const KindOfName& kind_of_name_;
};

}  // namespace

ResultKind result_kind(const Node& tree, const KindOfName& kind_of_name) {
  return Reader(kind_of_name).of(tree);
}

ResultKind result_kind_of_function(std::string_view name) {
  return find_in(functions, name);
}

}  // namespace notesdb::expression
