#include "query/aggregate.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <unordered_map>

#include "core/budget.h"
#include "core/result.h"
#include "query/argument.h"
#include "query/scan.h"

namespace notesdb {

namespace {

// Gives every combination of keys a number, in the order they are met. Level by level: the number
// of the keys so far and the next key make the next number.
class GroupNumbers {
 public:
  GroupNumbers(const Table& table, const std::vector<GroupBy>& groups) {
    for (const GroupBy& group : groups)
      levels_.push_back({Elements(table, group.field, group.part), {}, {}, {}});
  }

  // The groups that a row belongs to: one for every combination of its elements.
  std::span<const std::uint32_t> of_row(std::uint32_t row) {
    current_.assign(1, 0);
    for (Level& level : levels_) {
      std::span<const std::uint32_t> elements = level.elements.of_row(row);
      next_.clear();
      grow_to(current_.size() * elements.size());
      for (std::uint32_t parent : current_) {
        Budget::look_rarely(looked_at_);
        for (std::uint32_t element : elements)
          next_.push_back(number(level, parent, element));
      }
      std::swap(current_, next_);
    }
    return current_;
  }

  // For a single level, the groups of all rows with one code.
  std::vector<std::uint32_t> of_code(std::uint32_t code) {
    std::vector<std::uint32_t> numbers;
    for (std::uint32_t element : levels_.front().elements.of_code(code))
      numbers.push_back(number(levels_.front(), 0, element));
    return numbers;
  }

  std::uint32_t count() const {
    return levels_.empty() ? 1 : static_cast<std::uint32_t>(levels_.back().keys.size());
  }

  // Whether rows can be counted by the codes of one column.
  bool coded() const { return levels_.size() == 1 && levels_.front().elements.source().coded(); }
  const FieldValues& source() const { return levels_.front().elements.source(); }

  // Why a row could not be looked at, if one could not.
  std::optional<Error> error() const {
    for (const Level& level : levels_) {
      if (level.elements.error()) return level.elements.error();
    }
    return std::nullopt;
  }

  // The keys of a group, first level first.
  std::vector<Value> keys(std::uint32_t group) const {
    std::vector<Value> keys(levels_.size());
    for (std::size_t i = levels_.size(); i-- > 0;) {
      const Key& key = levels_[i].keys[group];
      keys[i] = levels_[i].elements.value(key.element);
      group = key.parent;
    }
    return keys;
  }

 private:
  struct Key {
    std::uint32_t parent;
    std::uint32_t element;
  };
  // With its place among those that are known.
  static constexpr std::size_t bytes_of_key = 64;
  struct Level {
    Elements elements;
    std::vector<std::uint32_t> of_first_parent;  // by element, counted from 1; 0: none yet
    std::unordered_map<std::uint64_t, std::uint32_t> of_others;
    std::vector<Key> keys;
  };

  // Every row of the first level has parent 0, so that one is worth a table of its own.
  static std::uint32_t number(Level& level, std::uint32_t parent, std::uint32_t element) {
    if (parent != 0) return number_under(level, parent, element);
    if (element >= level.of_first_parent.size()) level.of_first_parent.resize(element + 1, 0);
    std::uint32_t& counted = level.of_first_parent[element];
    if (counted == 0) counted = add_key(level, {parent, element}) + 1;
    return counted - 1;
  }

  static std::uint32_t number_under(Level& level, std::uint32_t parent, std::uint32_t element) {
    std::uint64_t key = (std::uint64_t{parent} << 32U) | element;
    auto known = level.of_others.find(key);
    if (known != level.of_others.end()) return known->second;
    return level.of_others[key] = add_key(level, {parent, element});
  }

  // The combinations of one row, in memory that the next one uses again.
  void grow_to(std::size_t combinations) {
    if (combinations <= largest_) return;
    Budget::take((combinations - largest_) * 2 * sizeof(std::uint32_t));
    largest_ = combinations;
  }

  static std::uint32_t add_key(Level& level, Key key) {
    Budget::take(bytes_of_key);
    level.keys.push_back(key);
    return static_cast<std::uint32_t>(level.keys.size() - 1);
  }

  std::vector<Level> levels_;
  std::uint32_t looked_at_ = 0;
  std::size_t largest_ = 0;
  std::vector<std::uint32_t> current_;
  std::vector<std::uint32_t> next_;
};

// How many of the rows have each code. Four counters in turn, since rows with the same code stand
// side by side and one counter would wait for itself.
template <typename RowAt>
std::vector<std::uint64_t> histogram(const FieldValues& values, std::size_t rows, RowAt row_at) {
  constexpr std::size_t lanes = 4;
  std::size_t codes = values.value_count() + std::size_t{1};
  std::vector<std::uint32_t> counts(lanes * codes, 0);
  const std::uint32_t* code = values.codes().data();
  std::uint32_t* lane = counts.data();
  std::size_t i = 0;
  for (; i + lanes <= rows; i += lanes) {
    ++lane[code[row_at(i)]];
    ++lane[codes + code[row_at(i + 1)]];
    ++lane[2 * codes + code[row_at(i + 2)]];
    ++lane[3 * codes + code[row_at(i + 3)]];
  }
  for (; i < rows; ++i)
    ++lane[code[row_at(i)]];
  std::vector<std::uint64_t> sums(codes, 0);
  for (std::size_t place = 0; place < counts.size(); ++place)
    sums[place % codes] += counts[place];
  return sums;
}

// One run over one table.
class Run {
 public:
  Run(const Table& table, const Aggregate& aggregate)
      : table_(table), aggregate_(aggregate), groups_(table, aggregate.groups) {
    for (const Metric& metric : aggregate.metrics)
      tallies_.emplace_back(table, metric);
  }

  Result<Groups> run() {
    if (Result<void> counted = count(); !counted) return counted.error();
    return assemble();
  }

 private:
  Result<void> count() {
    bool by_code = groups_.coded() && std::ranges::all_of(tallies_, &Tally::counts_rows);
    if (by_code && aggregate_.filter.empty()) {
      matching_ = table_.row_count();
      const auto kept = groups_.source().count_cache();
      if (!kept.empty()) {
        count_codes(kept);
      } else {
        count_codes(
            histogram(groups_.source(), table_.row_count(), [](std::size_t i) { return i; }));
      }
      return {};
    }
    auto rows = matching_rows(table_, aggregate_.filter);
    if (!rows) return rows.error();
    matching_ = rows->size();
    if (by_code) {
      count_codes(
          histogram(groups_.source(), rows->size(), [&](std::size_t i) { return (*rows)[i]; }));
      return {};
    }
    std::uint32_t steps = 0;
    for (std::uint32_t row : *rows) {
      std::span<const std::uint32_t> groups = groups_.of_row(row);
      for (Tally& tally : tallies_) {
        for (std::uint32_t group : groups) {
          Budget::look_rarely(steps);
          tally.add(group, row);
        }
      }
    }
    return first_error();
  }

  Result<void> first_error() const {
    if (std::optional<Error> error = groups_.error()) return *error;
    for (const Tally& tally : tallies_) {
      if (std::optional<Error> error = tally.error()) return *error;
    }
    return {};
  }

  template <typename Counts>
  void count_codes(const Counts& rows_of_code) {
    std::uint32_t counted = 0;
    for (std::uint32_t code = 0; code < rows_of_code.size(); ++code) {
      if (rows_of_code[code] == 0) continue;
      Budget::look_rarely(counted);
      for (std::uint32_t group : groups_.of_code(code)) {
        for (Tally& tally : tallies_)
          tally.add_rows(group, rows_of_code[code]);
      }
    }
  }

  // One row of the result: its values and their ranks, keys first.
  struct Line {
    std::vector<Value> values;
    std::vector<Rank> ranks;
  };

  Groups assemble() {
    std::vector<Line> lines = make_lines();
    Groups result;
    result.matching = matching_;
    result.total = lines.size();
    std::uint32_t compared = 0;
    std::ranges::sort(lines, [&](const Line& a, const Line& b) {
      Budget::look_rarely(compared);
      return comes_before(a, b);
    });
    if (aggregate_.limit && *aggregate_.limit < lines.size()) lines.resize(*aggregate_.limit);
    for (Line& line : lines)
      result.rows.push_back(to_map(line));
    for (std::size_t i = 0; i < tallies_.size(); ++i) {
      if (!tallies_[i].rounded()) continue;
      result.notice += (result.notice.empty() ? "'" : "; '") + aggregate_.metrics[i].name +
                       "' exceeds 64 bits and is rounded";
    }
    const std::string options = unknown_options_notice(aggregate_.filter);
    result.notice += (result.notice.empty() || options.empty() ? "" : "; ") + options;
    return result;
  }

  std::vector<Line> make_lines() {
    const std::size_t width = aggregate_.groups.size() + tallies_.size();
    Budget::take(groups_.count() * (sizeof(Line) + width * (sizeof(Value) + sizeof(Rank))));
    std::vector<Line> lines(groups_.count());
    const Field plain_number{
        "", Field::Source::column, 0, ColumnType::number, Family::number, {}, "", {}};
    std::uint32_t made = 0;
    for (std::uint32_t group = 0; group < lines.size(); ++group) {
      Budget::look_rarely(made);
      lines[group].values = groups_.keys(group);
      for (std::size_t i = 0; i < aggregate_.groups.size(); ++i) {
        lines[group].ranks.push_back(rank_of(lines[group].values[i], aggregate_.groups[i].field));
      }
    }
    for (std::size_t i = 0; i < tallies_.size(); ++i) {
      const Metric& metric = aggregate_.metrics[i];
      bool shows_value = metric.function == Function::min || metric.function == Function::max;
      std::vector<Value> figures = tallies_[i].finish(groups_.count());
      for (std::uint32_t group = 0; group < lines.size(); ++group) {
        lines[group].ranks.push_back(
            rank_of(figures[group], shows_value ? *metric.field : plain_number));
        lines[group].values.push_back(std::move(figures[group]));
      }
    }
    return lines;
  }

  bool comes_before(const Line& a, const Line& b) const {
    for (const ResultSort& by : aggregate_.order) {
      int order = compare(a.ranks[by.place], b.ranks[by.place]);
      if (order != 0) return by.direction == Direction::ascending ? order < 0 : order > 0;
    }
    for (std::size_t i = 0; i < aggregate_.groups.size(); ++i) {
      if (int order = compare(a.ranks[i], b.ranks[i]); order != 0) return order < 0;
    }
    return false;
  }

  Value to_map(Line& line) const {
    Map map;
    for (std::size_t i = 0; i < line.values.size(); ++i) {
      const std::string& name = i < aggregate_.groups.size()
                                    ? aggregate_.groups[i].name
                                    : aggregate_.metrics[i - aggregate_.groups.size()].name;
      map.push_back({name, std::move(line.values[i])});
    }
    return map;
  }

  const Table& table_;
  const Aggregate& aggregate_;
  GroupNumbers groups_;
  std::vector<Tally> tallies_;
  std::uint64_t matching_ = 0;
};

}  // namespace

Result<Groups> run_aggregate(const Table& table, const Aggregate& aggregate) {
  return Run(table, aggregate).run();
}

namespace {

constexpr std::size_t max_groups = 3;

std::vector<std::string> part_names() {
  std::vector<std::string> names;
  for (DatePart part :
       {DatePart::day, DatePart::week, DatePart::month, DatePart::quarter, DatePart::year}) {
    names.emplace_back(name_of(part));
  }
  return names;
}

Result<DatePart> get_date_part(const std::string& name) {
  if (std::optional<DatePart> part = parse_date_part(name)) return *part;
  return unknown_name(ErrorCode::invalid_argument, "date part", name, part_names());
}

Result<GroupBy> bind_group(const std::string& field, const std::string& by, const Schema& schema) {
  Result<Field> bound = bind_field(field, schema);
  if (!bound) return bound.error();
  GroupBy group{field, *std::move(bound), std::nullopt};
  if (by.empty()) return group;
  Result<DatePart> part = get_date_part(by);
  if (!part) return part.error();
  bool dates = group.field.family == Family::moment || group.field.family == Family::json;
  if (!dates) {
    return Error{ErrorCode::invalid_argument,
                 "'" + field + "' is " + std::string(kind_of(group.field)) +
                     " and cannot be grouped by " + by + "; only dates can",
                 Map{}}
        .with("field", field);
  }
  group.part = *part;
  group.name += ':' + by;
  return group;
}

// A column whose id holds a colon wins over a date part.
Result<GroupBy> parse_group_text(const std::string& text, const Schema& schema) {
  std::size_t colon = text.rfind(':');
  if (colon == std::string::npos || schema.find(text) != nullptr) {
    return bind_group(text, "", schema);
  }
  return bind_group(text.substr(0, colon), text.substr(colon + 1), schema);
}

Result<GroupBy> parse_group(const Value& given, const Schema& schema) {
  if (given.is_text()) return parse_group_text(given.text(), schema);
  const Value* field = given.find("field");
  const Value* by = given.find("by");
  bool has_part = by != nullptr && !is_absent(*by);
  if (field == nullptr || !field->is_text() || (has_part && !by->is_text())) {
    return Error{ErrorCode::invalid_argument,
                 to_display(given) +
                     " is not a group; write \"status\", \"due:month\" or "
                     "{\"field\": \"due\", \"by\": \"month\"}",
                 Map{}};
  }
  for (const Member& member : given.map()) {
    if (member.key == "field" || member.key == "by") continue;
    return unknown_name(ErrorCode::invalid_argument, "group key", member.key, {"field", "by"});
  }
  return bind_group(field->text(), has_part ? by->text() : "", schema);
}

// Reads the arguments one by one and gathers everything that is wrong with them.
class Parser {
 public:
  Parser(const Schema& schema, const Clock& clock) : schema_(schema), clock_(clock) {}

  Result<Aggregate> parse(const AggregateArguments& arguments) {
    keep(parse_filter(arguments.filters, schema_, clock_), aggregate_.filter, errors_);
    parse_groups(arguments.group_by);
    keep(parse_metrics(arguments.metrics, schema_), aggregate_.metrics, errors_);
    if (!is_absent(arguments.limit)) {
      std::uint64_t limit = 0;
      if (keep(parse_count("limit", arguments.limit), limit, errors_)) aggregate_.limit = limit;
    }
    if (errors_.empty()) parse_names();
    if (errors_.empty()) parse_result_sort(arguments.sort);
    if (!errors_.empty()) return join(errors_);
    return std::move(aggregate_);
  }

 private:
  void parse_groups(const Value& given) {
    for (const Value& element : elements_of(given)) {
      GroupBy group;
      if (keep(parse_group(element, schema_), group, errors_)) aggregate_.groups.push_back(group);
    }
    if (elements_of(given).size() > max_groups) {
      errors_.push_back(Error{ErrorCode::invalid_argument,
                              "'group_by' takes at most " + std::to_string(max_groups) +
                                  " fields, not " + std::to_string(elements_of(given).size()),
                              Map{}});
    }
  }

  // Two figures under one name would hide each other.
  void parse_names() {
    for (const GroupBy& group : aggregate_.groups)
      names_.push_back(group.name);
    for (const Metric& metric : aggregate_.metrics)
      names_.push_back(metric.name);
    for (auto name = names_.begin(); name != names_.end(); ++name) {
      if (std::find(names_.begin(), name, *name) == name) continue;
      errors_.push_back(Error{ErrorCode::invalid_argument,
                              "'" + *name +
                                  "' names two parts of the result; give the metric "
                                  "another name with 'as'",
                              Map{}});
    }
  }

  void parse_result_sort(const Value& given) {
    std::vector<SortKeyText> keys;
    const auto is_name = [this](std::string_view name) {
      return std::ranges::find(names_, name) != names_.end();
    };
    keep(parse_sort(given, is_name), keys, errors_);
    for (const SortKeyText& key : keys) {
      if (key.by_options) {
        errors_.push_back(Error{ErrorCode::invalid_argument,
                                "groups cannot be sorted by options, only by their values",
                                Map{}});
        continue;
      }
      auto found = std::ranges::find(names_, key.field);
      if (found == names_.end()) {
        errors_.push_back(unknown_name(ErrorCode::unknown_field, "sort field", key.field, names_));
        continue;
      }
      aggregate_.order.push_back({static_cast<std::size_t>(found - names_.begin()), key.direction});
    }
  }

  const Schema& schema_;
  const Clock& clock_;
  Aggregate aggregate_;
  std::vector<std::string> names_;
  std::vector<Error> errors_;
};

}  // namespace

Result<Aggregate> parse_aggregate(const AggregateArguments& arguments,
                                  const Schema& schema,
                                  const Clock& clock) {
  return Parser(schema, clock).parse(arguments);
}

}  // namespace notesdb
