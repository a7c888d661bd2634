// Folder answers: what check, infer and import answer, as a tool and as `-o json` of a command.
#pragma once

#include <vector>

#include "check/check.h"
#include "core/error.h"
#include "core/value.h"
#include "exchange/import.h"
#include "infer/infer.h"

namespace notesdb {

// {databases, issues}.
Value check_result(const CheckAnswer& answer);
// Of each fixed field {path, line, field, rule, before, after}: its line before and after.
List fixed_fields(const std::vector<FixedFile>& files);

// {database_id, row_count, schema, exceptions}.
Value inferred_value(const Inferred& inferred);

// {database_id, created, inserted, updated, unchanged} and the receipt.
Value import_result(const ImportRequest& request, const ImportAnswer& answer);
// What stands against an import that wrote nothing.
Error import_refusal(const ImportAnswer& answer);

}  // namespace notesdb
