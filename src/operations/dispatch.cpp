#include "operations/dispatch.h"

#include <algorithm>
#include <chrono>
#include <exception>
#include <iterator>
#include <memory>
#include <new>
#include <optional>
#include <thread>

#include "core/budget.h"
#include "files/disk.h"
#include "git/past.h"
#include "json/json_value.h"
#include "operations/answer.h"
#include "operations/short_error.h"

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

// The workspace of the moment that the caller asked for; null where it is the one of today.
Result<std::shared_ptr<Workspace>> asked_past(const Operation& operation,
                                              const Value& given,
                                              const Context& context) {
  const bool has_past =
      std::ranges::find(operation.arguments, "as_of", &Argument::name) != operation.arguments.end();
  const Value* as_of = has_past ? given.find("as_of") : nullptr;
  if (as_of == nullptr || !as_of->is_text() || is_blank(as_of->text()))
    return std::shared_ptr<Workspace>();
  return past_workspace(context.workspace, as_of->text());
}

Budget::Limits limits_of(const Context& context) {
  const Settings& settings = context.workspace.settings();
  return {.time = settings.query_timeout.value,
          .memory = settings.query_memory.value,
          .cancelled = context.cancelled};
}

bool is_dry_run(const Value& given) {
  const Value* said = given.find("dry_run");
  return said != nullptr && said->is_boolean() && said->boolean();
}

// How an operation is run: for its answer as a value, as JSON, or as lines.
template <typename Answer>
using Run = Result<Answer> (*)(const Call& call);

constexpr std::string_view half_change =
    "a change of several files is under way: this is partly of before it and partly of after; ask "
    "again";

void tell_half_change(Value& answer, bool /*is_json*/) {
  add_notice(answer, std::string(half_change));
}

// The text of an answer that is JSON says it as well.
void tell_half_change(WrittenAnswer& answer, bool is_json) {
  const auto notice = [&] {
    const Value* said = answer.rest.find("notice");
    return said == nullptr ? std::string() : R"("notice":)" + to_json(*said);
  };
  const std::string before = notice();
  add_notice(answer.rest, std::string(half_change));
  if (!is_json) return;
  if (before.empty())
    answer.text.insert(1, notice() + ",");
  else
    answer.text.replace(answer.text.find(before), before.size(), notice());
}

bool is_json(const Operation& /*operation*/, Run<Value> /*run*/) {
  return true;
}
bool is_json(const Operation& operation, Run<WrittenAnswer> run) {
  return run == operation.run_as_json;
}

// What is asked while a change of several files is being made is answered as of before or after it:
// its end is waited for, and the question asked again if one came in between. Of one that takes
// long the answer says so.
template <typename Answer>
Result<Answer> run_beside_changes(const Operation& operation, Run<Answer> run, const Call& call) {
  using Clock = std::chrono::steady_clock;
  constexpr std::chrono::milliseconds patience{1000};
  constexpr std::chrono::milliseconds pause{10};
  const auto* disk = dynamic_cast<const Disk*>(&call.context.workspace.files());
  if (writes(operation.effect) || disk == nullptr) return run(call);
  const auto deadline = Clock::now() + patience;
  for (;;) {
    const ChangeMark before = disk->change_mark();
    const bool is_late = Clock::now() >= deadline;
    if (before.is_under_way && !is_late) {
      Budget::look();
      std::this_thread::sleep_for(pause);
      continue;
    }
    Result<Answer> answer = run(call);
    if (!answer || (!before.is_under_way && disk->change_mark() == before)) return answer;
    if (is_late) {
      tell_half_change(*answer, is_json(operation, run));
      return answer;
    }
  }
}

template <typename Answer>
Result<Answer> run_in(const Operation& operation,
                      Run<Answer> run,
                      const Value& given,
                      const Context& context) {
  if (context.is_cancelled()) return Error{ErrorCode::cancelled, "the call was cancelled", Map{}};
  Result<Database*> database = named_database(operation, given, context);
  if (!database) return database.error();
  if (writes(operation.effect)) {
    Result<void> writable = context.workspace.check_writable();
    if (!writable) return writable.error();
    // What a crash left half done is finished before a writer plans; one who only reads or tries
    // out leaves it.
    if (!is_dry_run(given) && !context.rehearses) (void)context.workspace.files().recover();
  }
  const ProgressScope progress(context.progress);
  // A writer may take as long as it takes, and is not stopped once it changes files (commit.h).
  const Budget budget(writes(operation.effect) ? Budget::Limits{.cancelled = context.cancelled}
                                               : limits_of(context));
  Decoding decoding = decode_arguments(operation.arguments, given, context.door);
  Call call{context, *database, decoding.arguments};
  if (decoding.errors.empty()) return run_beside_changes(operation, run, call);
  if (operation.check != nullptr)
    std::ranges::move(operation.check(call), std::back_inserter(decoding.errors));
  return join(decoding.errors);
}

template <typename Answer>
Result<Answer> run_then(const Operation& operation,
                        Run<Answer> run,
                        const Value& given,
                        const Context& context) {
  Result<std::shared_ptr<Workspace>> past = asked_past(operation, given, context);
  if (!past) return past.error();
  if (*past == nullptr) return run_in(operation, run, given, context);
  Context then{.workspace = **past,
               .door = context.door,
               .caps = context.caps,
               .cancelled = context.cancelled,
               .progress = context.progress,
               .rehearses = context.rehearses};
  return run_in(operation, run, given, then);
}

// What a package says may name paths of this machine, which no answer does.
Error internal(std::string_view what) {
  std::string reason(what.find('/') == std::string_view::npos ? what : "");
  return {ErrorCode::internal, "internal error: " + reason, Map{}};
}

template <typename Answer>
Result<Answer> run_safely(const Operation& operation,
                          Run<Answer> run,
                          const Value& given,
                          const Context& context) {
  try {
    Result<Answer> answer = run_then(operation, run, given, context);
    if (!answer) return shortened(answer.error());
    return answer;
  } catch (const BudgetSpent& spent) {
    return spent.error();
  } catch (const std::bad_alloc&) {
    std::string message = "there is not enough memory for this answer";
    if (writes(operation.effect)) message += "; the change may have been made";
    return Error{ErrorCode::limit_exceeded, std::move(message), Map{}};
  } catch (const std::exception& problem) {
    return internal(problem.what());
  }
}

}  // namespace

Result<Value> dispatch(const Operation& operation, const Value& arguments, const Context& context) {
  return run_safely(operation, operation.run, arguments, context);
}

Result<WrittenAnswer> dispatch_as_json(const Operation& operation,
                                       const Value& arguments,
                                       const Context& context) {
  if (operation.run_as_json != nullptr)
    return run_safely(operation, operation.run_as_json, arguments, context);
  Result<Value> answer = dispatch(operation, arguments, context);
  if (!answer) return answer.error();
  WrittenAnswer written{to_json(*answer), *std::move(answer)};
  std::erase_if(written.rest.map(),
                [&](const Member& member) { return member.key == operation.shown; });
  return written;
}

Result<WrittenAnswer> dispatch_as_lines(const Operation& operation,
                                        const Value& arguments,
                                        const Context& context) {
  return run_safely(operation, operation.run_as_lines, arguments, context);
}

}  // namespace notesdb
