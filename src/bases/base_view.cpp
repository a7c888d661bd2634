#include "bases/base_view.h"

#include <algorithm>
#include <array>
#include <memory>

#include "bases/base_file.h"
#include "bases/base_files.h"
#include "bases/summary.h"
#include "core/budget.h"
#include "core/text.h"
#include "database/snapshot.h"
#include "database/vault.h"
#include "expression/evaluation.h"

namespace notesdb::bases {

using expression::Evaluation;
using expression::Kind;

namespace {

using ComputedValue = expression::Value;

class FileSubject : public expression::Subject {
 public:
  explicit FileSubject(std::shared_ptr<const VaultFile> file) : file_(std::move(file)) {}
  ComputedValue property(std::string_view name) const override { return file_->property(name); }
  ComputedValue properties() const override { return file_->properties(); }
  expression::FilePointer file() const override { return file_; }

 private:
  std::shared_ptr<const VaultFile> file_;
};

// What a summary of a base is about: `values`.
class SummarySubject : public expression::Subject {
 public:
  explicit SummarySubject(ComputedValue values) : values_(std::move(values)) {}
  ComputedValue property(std::string_view name) const override {
    return name == "values" ? values_ : ComputedValue();
  }
  ComputedValue properties() const override {
    return ComputedValue::object_of({{"values", values_}});
  }
  expression::FilePointer file() const override { return nullptr; }

 private:
  ComputedValue values_;
};

// What a file is sorted by; of texts, lists and objects as text.
struct SortValue {
  ComputedValue value{};
  std::optional<std::string> text{};
  std::string folded{};
};

SortValue sort_value(Evaluation& evaluation, const expression::Node& tree) {
  const auto found = evaluation.value_of(tree);
  SortValue sorted{found ? *found : ComputedValue()};
  const ComputedValue& value = sorted.value;
  if (!value.is(Kind::string) && !value.is(Kind::list) && !value.is(Kind::object)) return sorted;
  const auto answer = evaluation.answer_of(value);
  sorted.text = answer ? to_display(*answer) : std::string();
  sorted.folded = fold_case(*sorted.text);
  Budget::take(2 * sorted.folded.size());
  return sorted;
}

// A file that matches, with what was worked out about it.
struct Match {
  explicit Match(std::shared_ptr<const VaultFile> given, const expression::Environment& environment)
      : file(given), subject(std::move(given)), evaluation(environment, subject) {}
  std::shared_ptr<const VaultFile> file;
  FileSubject subject;
  Evaluation evaluation;
  std::vector<SortValue> keys{};  // what it is grouped and sorted by

  // What it keeps is the question's memory.
  void charge() {
    Budget::take(evaluation.formula_bytes() - charged_);
    charged_ = evaluation.formula_bytes();
  }

 private:
  std::uint64_t charged_ = 0;
};

using Matches = std::vector<std::unique_ptr<Match>>;

bool holds(const Filter& filter, Evaluation& evaluation) {
  if (!filter.is_readable) return false;
  const auto part_holds = [&](const Filter& part) { return holds(part, evaluation); };
  switch (filter.kind) {
    case FilterKind::all: return std::ranges::all_of(filter.parts, part_holds);
    case FilterKind::any: return std::ranges::any_of(filter.parts, part_holds);
    case FilterKind::none: return std::ranges::none_of(filter.parts, part_holds);
    case FilterKind::statement: break;
  }
  const auto value = evaluation.value_of(filter.tree);
  return value && expression::is_truthy(*value);
}

// Whether an expression asks for what stands in the bodies of notes.
bool asks_for_bodies(const expression::Node& tree) {
  constexpr std::array<std::string_view, 7> members{
      "links", "embeds", "tags", "backlinks", "hasLink", "hasTag", "linksTo"};
  return std::ranges::any_of(expression::uses_of(tree).members, [&](const std::string& name) {
    return std::ranges::find(members, name) != members.end();
  });
}

bool asks_for_bodies(const std::optional<Filter>& filter) {
  if (!filter) return false;
  return asks_for_bodies(filter->tree) ||
         std::ranges::any_of(filter->parts, [](const Filter& part) {
           return asks_for_bodies(std::optional(part));
         });
}

bool asks_for_bodies(const BaseFile& base, const View& view) {
  const auto asks = [](const std::string& id) { return asks_for_bodies(property_tree(id)); };
  return asks_for_bodies(base.filter) || asks_for_bodies(view.filter) ||
         std::ranges::any_of(
             base.formulas.all(),
             [](const auto& entry) { return asks_for_bodies(entry.second.tree); }) ||
         std::ranges::any_of(view.order, asks) ||
         std::ranges::any_of(view.sort, [&](const SortKey& key) { return asks(key.property); }) ||
         (view.group_by && asks(view.group_by->property));
}

// Missing before present, kinds in the order of their names, texts without regard to case and by
// nature: 2 before 10.
int compare_keys(const SortValue& a, const SortValue& b, Evaluation& evaluation) {
  const ComputedValue& first = a.value;
  const ComputedValue& second = b.value;
  if (first.is_null() || second.is_null())
    return (first.is_null() ? 0 : 1) - (second.is_null() ? 0 : 1);
  if (first.kind() != second.kind()) return name_of(first.kind()).compare(name_of(second.kind()));
  if (!a.text)
    if (const auto order = evaluation.compare(first, second)) return *order;
  const int folded = compare_natural(a.folded, b.folded);
  return folded != 0 || !a.text ? folded : a.text->compare(*b.text);
}

// The rows of all databases that can be read.
std::vector<std::unique_ptr<Snapshot>> rows_of(Workspace& workspace) {
  std::vector<std::unique_ptr<Snapshot>> rows;
  const auto databases = workspace.database_ids();
  if (!databases) return rows;
  for (const std::string& id : databases->ids) {
    const auto database = workspace.get(id);
    if (!database) continue;
    auto snapshot = (*database)->snapshot();
    if (snapshot) rows.push_back(*std::move(snapshot));
  }
  return rows;
}

class ViewRun {
 public:
  ViewRun(Workspace& workspace, const BaseRequest& request, BaseFile base, View view)
      : request_(request),
        base_(std::move(base)),
        view_(std::move(view)),
        vault_(workspace.files(),
               asks_for_bodies(base_, view_) ? Bodies::read : Bodies::ignored,
               *request.zone,
               rows_of(workspace)) {
    environment_ = {.now = request.now,
                    .zone = request.zone,
                    .vault = &vault_,
                    .formulas = &base_.formulas,
                    .embedding = nullptr,
                    .seed = static_cast<std::uint64_t>(request.now.milliseconds)};
  }

  Result<BaseAnswer> run(const std::string& path) {
    const std::string& embedding = request_.embedding.empty() ? path : request_.embedding;
    environment_.embedding = vault_.at(embedding);
    if (environment_.embedding == nullptr) environment_.embedding = vault_.find(embedding, "");
    if (environment_.embedding == nullptr)
      return Error{
          ErrorCode::invalid_argument, "there is no note '" + embedding + "' to be `this`", Map{}};
    find_matches();
    sort_matches();
    answer_.file = path;
    answer_.view = view_.name;
    answer_.type = view_.type;
    answer_.total = static_cast<std::int64_t>(matches_.size());
    take_limit();
    answer_.columns = view_.order.empty() ? std::vector<std::string>{"file.name"} : view_.order;
    add_display_names();
    add_rows();
    add_groups();
    add_summaries();
    add_issues(path);
    return std::move(answer_);
  }

 private:
  void find_matches() {
    std::uint32_t looked = 0;
    std::uint64_t number = 0;
    for (const auto& file : vault_.files()) {
      Budget::look_rarely(looked);
      answer_.unreadable += file->is_readable() ? 0 : 1;
      // Chance differs from file to file, and not from one question to the next.
      auto match = std::make_unique<Match>(file, environment_of(++number));
      const bool is_match = (!base_.filter || holds(*base_.filter, match->evaluation)) &&
                            (!view_.filter || holds(*view_.filter, match->evaluation));
      if (!is_match) continue;
      Budget::take(sizeof(Match));
      match->charge();
      matches_.push_back(std::move(match));
    }
  }

  const expression::Environment& environment_of(std::uint64_t number) {
    constexpr std::uint64_t stride = 0xD1B54A32D192ED03U;
    environment_.seed = static_cast<std::uint64_t>(request_.now.milliseconds) + number * stride;
    return environment_;
  }

  std::vector<SortKey> sort_keys() const {
    std::vector<SortKey> keys = view_.sort;
    if (view_.group_by) keys.insert(keys.begin(), *view_.group_by);
    return keys;
  }

  // A key that has no value sorts as missing.
  void sort_matches() {
    const std::vector<SortKey> keys = sort_keys();
    std::vector<expression::Node> trees;
    for (const SortKey& key : keys)
      trees.push_back(property_tree(key.property));
    for (const auto& match : matches_) {
      Budget::look();
      for (const expression::Node& tree : trees)
        match->keys.push_back(sort_value(match->evaluation, tree));
      match->charge();
    }
    std::ranges::stable_sort(matches_, [&](const auto& a, const auto& b) {
      for (std::size_t i = 0; i < keys.size(); ++i) {
        const int order = compare_in_order(*a, *b, i);
        if (order != 0) return keys[i].direction == Direction::ascending ? order < 0 : order > 0;
      }
      return false;
    });
  }

  // Comparing is no part of what a row's expressions may use.
  int compare_in_order(const Match& a, const Match& b, std::size_t i) const {
    Budget::look();
    Evaluation evaluation(environment_, a.subject);
    return compare_keys(a.keys[i], b.keys[i], evaluation);
  }

  void take_limit() {
    std::optional<std::int64_t> limit = view_.limit;
    if (request_.limit && (!limit || *request_.limit < *limit)) limit = request_.limit;
    answer_.limit = limit;
    if (limit && *limit < answer_.total) matches_.resize(static_cast<std::size_t>(*limit));
  }

  void add_display_names() {
    for (const std::string& column : answer_.columns) {
      const auto named = base_.display_names.find(column);
      if (named != base_.display_names.end())
        answer_.display_names.push_back({column, named->second});
    }
  }

  static Result<Value> cell(Evaluation& evaluation, const expression::Node& tree) {
    const auto value = evaluation.value_of(tree);
    if (!value) return value.error();
    return evaluation.answer_of(*value);
  }

  void add_rows() {
    std::vector<expression::Node> trees;
    for (const std::string& column : answer_.columns)
      trees.push_back(property_tree(column));
    const auto count = static_cast<std::int64_t>(matches_.size());
    const BasePage page = request_.page.value_or(BasePage{0, count});
    const std::int64_t end = page.offset + std::min(page.limit, count - page.offset);
    for (std::int64_t at = page.offset; at < end; ++at) {
      Match& match = *matches_[static_cast<std::size_t>(at)];
      Budget::look();
      BaseRow row{.path = match.file->path(), .fields = {}, .row = match.file->row()};
      for (std::size_t i = 0; i < trees.size(); ++i) {
        const Result<Value> value = cell(match.evaluation, trees[i]);
        if (!value)
          row.fields.push_back({answer_.columns[i], Map{{"error", value.error().message}}});
        else if (!value->is_null())
          row.fields.push_back({answer_.columns[i], *value});
      }
      Budget::take(row.fields.size() * sizeof(Member));
      match.charge();
      answer_.rows.push_back(std::move(row));
    }
  }

  void add_groups() {
    if (!view_.group_by) return;
    const std::string& property = view_.group_by->property;
    for (std::size_t i = 0; i < matches_.size(); ++i) {
      const bool is_same = i > 0 && compare_in_order(*matches_[i - 1], *matches_[i], 0) == 0;
      if (is_same) {
        Value& count = answer_.groups.back().back().value;
        count = count.integer() + 1;
        continue;
      }
      const auto value = matches_[i]->evaluation.answer_of(matches_[i]->keys[0].value);
      answer_.groups.push_back({{property, value ? *value : Value()}, {"count", 1}});
    }
  }

  void add_summaries() {
    for (const auto& [property, name] : view_.summaries) {
      const expression::Node tree = property_tree(property);
      std::vector<ComputedValue> values;
      for (const auto& match : matches_) {
        const auto value = match->evaluation.value_of(tree);
        values.push_back(value ? *value : ComputedValue());
      }
      const Result<Value> summary = summary_of(name, std::move(values));
      answer_.summaries.push_back(
          {{"property", property},
           {"summary", name},
           {"value", summary ? *summary : Value(Map{{"error", summary.error().message}})}});
    }
  }

  Result<Value> summary_of(const std::string& name, std::vector<ComputedValue> values) {
    const SummarySubject subject(ComputedValue::list_of(values));
    expression::Environment environment = environment_;
    environment.formulas = &base_.summaries;
    Evaluation evaluation(environment, subject);
    if (base_.summaries.find(name) != nullptr) {
      const auto value = evaluation.value_of_formula(name);
      if (!value) return value.error();
      return evaluation.answer_of(*value);
    }
    if (const auto value = summarized(name, values, evaluation))
      return evaluation.answer_of(*value);
    return unknown_name(ErrorCode::invalid_argument, "summary", name, summary_names());
  }

  void add_issues(const std::string& path) {
    answer_.issues = base_.issues;
    for (Issue& issue : answer_.issues)
      issue.path = path;
  }

  const BaseRequest& request_;
  BaseFile base_;
  View view_;
  Vault vault_;
  expression::Environment environment_;
  Matches matches_;
  BaseAnswer answer_;
};

}  // namespace

Result<BaseAnswer> run_base(Workspace& workspace, const BaseRequest& request) {
  std::string path = request.file;
  std::string view = request.view;
  const std::size_t anchor = path.find('#');
  if (anchor != std::string::npos) {
    if (view.empty()) view = path.substr(anchor + 1);
    path.resize(anchor);
  }
  while (path.starts_with("./"))
    path.erase(0, 2);
  if (!path.ends_with(".base"))
    return Error{ErrorCode::invalid_argument, "'" + path + "' is not a .base file", Map{}};
  auto read = workspace.files().read(path);
  if (!read && read.error().code == ErrorCode::unknown_row)
    return unknown_name(
        ErrorCode::invalid_argument, ".base file", path, base_files(workspace, "."));
  if (!read) return read.error();
  auto base = parse_base(std::move(read->bytes));
  if (!base) return base.error();
  auto chosen = base->view(view);
  if (!chosen) return chosen.error();
  return ViewRun(workspace, request, *std::move(base), *std::move(chosen)).run(path);
}

}  // namespace notesdb::bases
