// Dispatch: the one way from a interface to an operation.
//
// The order of checks is the contract's: database, permission to write, arguments, then what only
// the operation can judge (row, etag, values). Nothing on the disk changes before all have passed.
// What a package throws on the way is caught here, once, and becomes the error `internal`.
#pragma once

#include <string>
#include <string_view>

#include "core/result.h"
#include "operations/operation.h"
#include "operations/short_error.h"

namespace notesdb {

// `arguments` is a map of what the caller gave, undecoded; null is an empty one.
Result<Value> dispatch(const Operation& operation, const Value& arguments, const Context& context);

// The same as JSON: to_json of that answer, made sooner.
Result<WrittenAnswer> dispatch_as_json(const Operation& operation,
                                       const Value& arguments,
                                       const Context& context);

// The same for a interface that shows records a line each; of an operation that has run_as_lines.
Result<WrittenAnswer> dispatch_as_lines(const Operation& operation,
                                        const Value& arguments,
                                        const Context& context);

}  // namespace notesdb
