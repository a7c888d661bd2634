#include "database/query_plan.h"

#include <algorithm>
#include <utility>

#include "core/result.h"
#include "core/text.h"

namespace notesdb {

namespace {

std::vector<std::string> view_ids(const Schema& schema) {
  std::vector<std::string> ids;
  for (const View& view : schema.views)
    ids.push_back(view.id);
  return ids;
}

const View* find_view(const QueryRequest& request,
                      const Schema& schema,
                      std::vector<Error>& errors) {
  if (request.view.empty()) return nullptr;
  const View* view = schema.find_view(request.view);
  if (view == nullptr) {
    Error error = unknown_name(ErrorCode::invalid_argument, "view", request.view, view_ids(schema));
    if (request.view.find(".base") != std::string::npos)
      error.message =
          "'" + request.view +
          "' is no view of the schema; the rows of a view of a .base file are printed by: notesdb "
          "base '" +
          request.view + "' -o csv";
    errors.push_back(std::move(error));
  }
  return view;
}

// A view's columns were chosen by somebody else: those that have gone are passed over.
std::vector<std::string> names_shown(const QueryRequest& request,
                                     const View* view,
                                     const Schema& schema) {
  if (!request.select.empty()) return request.select;
  std::vector<std::string> names;
  if (view != nullptr) {
    for (const std::string& name : view->columns) {
      if (bind_field(name, schema)) names.push_back(name);
    }
  }
  return names.empty() ? schema.column_ids() : names;
}

// A calendar shows its dates in order, unless the view says otherwise.
Value order_of(const View& view, const Schema& schema) {
  const bool is_calendar = view.type == "calendar" && schema.find(view.date_column) != nullptr;
  return view.sorts.is_null() && is_calendar ? Value(view.date_column) : view.sorts;
}

void plan_shown(const std::vector<std::string>& names,
                const Schema& schema,
                QueryPlan& plan,
                std::vector<Error>& errors) {
  for (const std::string& name : names) {
    auto field = bind_field(name, schema);
    if (!field || !field->steps.empty()) {
      errors.push_back(unknown_name(ErrorCode::unknown_field, "column", name, field_names(schema)));
      continue;
    }
    if (field->source == Field::Source::body) plan.wants_body = true;
    const auto same = [&](const Field& shown) { return shown.name == name; };
    if (std::none_of(plan.shown.begin(), plan.shown.end(), same)) {
      plan.shown.push_back(std::move(*field));
    }
  }
}

}  // namespace

std::vector<Error> plan_query(const QueryRequest& request,
                              const Schema& schema,
                              const Clock& clock,
                              QueryPlan& plan) {
  std::vector<Error> errors;
  const View* view = find_view(request, schema, errors);
  keep(parse_filter(request.filters, schema, clock), plan.query.filter, errors);
  keep(parse_order(request.sort, schema), plan.query.order, errors);
  if (view != nullptr) {
    Filter of_view;
    keep(parse_filter(view->filters, schema, clock), of_view, errors);
    auto& all = plan.query.filter.all;
    all.insert(all.begin(), of_view.all.begin(), of_view.all.end());
    if (plan.query.order.empty()) {
      keep(parse_order(order_of(*view, schema), schema), plan.query.order, errors);
    }
  }
  plan_shown(names_shown(request, view, schema), schema, plan, errors);
  plan.wants_body = plan.wants_body || request.include_body;
  keep(parse_page(request.limit, request.offset, Page{}), plan.query.page, errors);
  return errors;
}

Result<std::shared_ptr<const QueryPlan>> make_plan(const QueryRequest& request,
                                                   const Schema& schema) {
  const auto plan = std::make_shared<QueryPlan>();
  const auto errors = plan_query(request, schema, local_clock(), *plan);
  if (!errors.empty()) return join(errors);
  return std::shared_ptr<const QueryPlan>(plan);
}

namespace {

constexpr std::size_t max_plans = 8;
constexpr std::size_t longest_request = 2000;  // in bytes, or as many values

// Whether texts are short together, and none of them may count from the clock.
class Lasting {
 public:
  void add(std::string_view text) {
    take(text.size());
    const std::string folded = left_ == 0 ? "" : fold_case(text);
    is_of_time_ = is_of_time_ || folded.find("today") != std::string::npos ||
                  folded.find("now") != std::string::npos;
  }
  void add(const Value& value) {
    take(1);
    if (value.is_text()) add(std::string_view(value.text()));
    if (value.is_list()) {
      for (const Value& item : value.list())
        add(item);
    }
    if (value.is_map()) {
      for (const Member& member : value.map()) {
        add(std::string_view(member.key));
        add(member.value);
      }
    }
  }
  bool holds() const { return left_ > 0 && !is_of_time_; }

 private:
  void take(std::size_t bytes) { left_ -= std::min(left_, bytes); }

  std::size_t left_ = longest_request;
  bool is_of_time_ = false;
};

// The filters of a view are another's words, and not looked at here.
bool lasts(const QueryRequest& request) {
  Lasting lasting;
  lasting.add(request.filters);
  lasting.add(request.sort);
  for (const std::string& name : request.select)
    lasting.add(std::string_view(name));
  return request.view.empty() && lasting.holds();
}

}  // namespace

Result<PlanCache::Plan> PlanCache::of(const QueryRequest& request, const Folder& folder) {
  if (folder_ != folder) plans_.clear();
  folder_ = folder;
  const auto known = std::ranges::find(plans_, request, &Kept::request);
  if (known != plans_.end()) return known->plan;
  auto plan = make_plan(request, folder->schema());
  if (plan && lasts(request)) {
    if (plans_.size() == max_plans) plans_.erase(plans_.begin());
    plans_.push_back({request, *plan});
  }
  return plan;
}

}  // namespace notesdb
