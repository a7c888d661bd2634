#include "serving/http_calls.h"

#include <algorithm>
#include <atomic>
#include <vector>

#include "core/budget.h"
#include "json/json_value.h"
#include "operations/catalog.h"
#include "operations/dispatch.h"

namespace notesdb {

namespace {

int status_of(ErrorCode code) {
  switch (code) {
    case ErrorCode::invalid_argument:
    case ErrorCode::unknown_field:
    case ErrorCode::unknown_operator: return 400;
    case ErrorCode::read_only:
    case ErrorCode::path_not_allowed: return 403;
    case ErrorCode::unknown_database:
    case ErrorCode::unknown_row: return 404;
    case ErrorCode::conflict:
    case ErrorCode::already_exists: return 409;
    case ErrorCode::invalid_value:
    case ErrorCode::malformed_file: return 422;
    case ErrorCode::limit_exceeded:
    case ErrorCode::cancelled:
    case ErrorCode::busy: return 503;
    case ErrorCode::io_error:
    case ErrorCode::internal: return 500;
  }
  return 500;
}

HttpCallAnswer refusal(const Error& error, int status) {
  return {.status = status, .json = to_json(to_value(error)) + "\n"};
}

}  // namespace

HttpCallAnswer answer_http_call(Workspace& workspace,
                                const ServingOptions& options,
                                std::string_view tool,
                                std::string_view arguments,
                                const std::function<bool()>& gone) {
  const Operation* operation = find_operation(tool);
  if (operation == nullptr || !is_offered(*operation, options)) {
    const bool read_only = workspace.settings().read_only.value;
    std::vector<const Operation*> offered = offered_operations(read_only);
    std::erase_if(offered, [&](const Operation* one) { return !is_offered(*one, options); });
    return refusal(
        unknown_name(ErrorCode::invalid_argument, "tool", std::string(tool), names_of(offered)),
        404);
  }
  const Result<Value> given = parse_json(arguments);
  if (!given) return refusal(given.error(), 400);
  std::atomic<bool> cancelled = false;
  const CallerWatch watch([&] {
    if (gone()) cancelled.store(true);
    return cancelled.load();
  });
  const Context context{
      .workspace = workspace, .door = Door::tools, .caps = Caps::page, .cancelled = &cancelled};
  Result<WrittenAnswer> answer = dispatch_as_json(*operation, *given, context);
  if (!answer) return refusal(answer.error(), status_of(answer.error().code));
  return {.json = std::move(answer->text) + "\n", .wrote = writes(operation->effect)};
}

}  // namespace notesdb
