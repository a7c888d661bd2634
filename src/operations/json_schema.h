// JSON Schema of operations, as tools/list shows them: everything inline, a type on every node, no
// `$ref`, no list of types, no key beyond those declared. Every byte is read by models at the
// start of every conversation, so nothing is said twice.
#pragma once

#include "core/value.h"
#include "operations/operation.h"

namespace notesdb {

Value input_schema(const Operation& operation);
// What an answer always has; it may have more.
Value output_schema(const Operation& operation);
// readOnlyHint and openWorldHint; of a writer also destructiveHint, and idempotentHint where it is
// so, which say nothing about a reader.
Value annotations(const Operation& operation);

// {name, title, description, inputSchema, outputSchema, annotations}
Value tool_definition(const Operation& operation);

}  // namespace notesdb
