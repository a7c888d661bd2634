#include "database/query_plan.h"

#include <algorithm>
#include <utility>

#include "core/result.h"

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
    errors.push_back(
        unknown_name(ErrorCode::invalid_argument, "view", request.view, view_ids(schema)));
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

}  // namespace notesdb
