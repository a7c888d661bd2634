#include "operations/dispatch.h"

#include <algorithm>
#include <exception>
#include <iterator>
#include <new>

namespace notesdb {

namespace {

bool is_blank(std::string_view text) {
  return text.find_first_not_of(" \t\r\n") == std::string_view::npos;
}

// The database that the caller named, before the other arguments are looked at. Null where none is
// named: the arguments will say so.
Result<Database*> named_database(const Operation& operation,
                                 const Value& arguments,
                                 const Context& context) {
  const Argument* argument = operation.find_argument(ArgumentKind::database);
  const Value* id = argument == nullptr ? nullptr : arguments.find(argument->name);
  if (id == nullptr || id->is_null()) return static_cast<Database*>(nullptr);
  if (id->is_integer()) return context.workspace.get(std::to_string(id->integer()));
  if (!id->is_text() || is_blank(id->text())) return static_cast<Database*>(nullptr);
  return context.workspace.get(id->text());
}

Result<Value> run(const Operation& operation, const Value& given, const Context& context) {
  if (context.is_cancelled()) return Error{ErrorCode::cancelled, "the call was cancelled", Map{}};
  Result<Database*> database = named_database(operation, given, context);
  if (!database) return database.error();
  if (writes(operation.effect)) {
    Result<void> writable = context.workspace.check_writable();
    if (!writable) return writable.error();
  }
  Decoding decoding = decode_arguments(operation.arguments, given, context.door);
  Call call{context, *database, decoding.arguments};
  if (decoding.errors.empty()) return operation.run(call);
  if (operation.check != nullptr)
    std::ranges::move(operation.check(call), std::back_inserter(decoding.errors));
  return join(decoding.errors);
}

// What a package says may name paths of this machine, which no answer does.
Error internal(std::string_view what) {
  std::string reason(what.find('/') == std::string_view::npos ? what : "");
  return {ErrorCode::internal, "a mistake inside notesdb: " + reason, Map{}};
}

}  // namespace

Result<Value> dispatch(const Operation& operation, const Value& arguments, const Context& context) {
  try {
    return run(operation, arguments, context);
  } catch (const std::bad_alloc&) {
    return Error{ErrorCode::limit_exceeded, "there is not enough memory for this answer", Map{}};
  } catch (const std::exception& problem) {
    return internal(problem.what());
  }
}

Value to_value(const Error& error) {
  Value value = Map{};
  value.set("code", name_of(error.code));
  value.set("message", error.message);
  if (error.data.is_map() && !error.data.map().empty()) value.set("data", error.data);
  return value;
}

}  // namespace notesdb
